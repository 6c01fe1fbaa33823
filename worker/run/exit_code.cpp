// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/exit_code.hpp"

namespace kaname::run {

int exit_code(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
        case ErrorCode::OutOfRange:
        case ErrorCode::DataLoss:  // of a file that was given, or that the server kept
            return kExitBadInput;
        case ErrorCode::NotFound:
            return kExitNotFound;
        case ErrorCode::NotConverged:
            return kExitSomeFailed;
        case ErrorCode::Unavailable:
        case ErrorCode::DeviceFault:
        case ErrorCode::Exhausted:
            return kExitUnavailable;
        case ErrorCode::Conflict:
        case ErrorCode::NotReady:
        case ErrorCode::Aborted:
            return kExitConflict;
        case ErrorCode::Unauthenticated:
        case ErrorCode::PermissionDenied:
            return kExitDenied;
        case ErrorCode::Internal:
            return kExitInternal;
    }
    return kExitInternal;
}

ErrorCode error_of_exit(int exit_code) {
    switch (exit_code) {
        case kExitBadInput:
            return ErrorCode::InvalidArgument;
        case kExitNotFound:
            return ErrorCode::NotFound;
        case kExitSomeFailed:
            return ErrorCode::NotConverged;
        case kExitUnavailable:
            return ErrorCode::Unavailable;
        case kExitConflict:
            return ErrorCode::Conflict;
        case kExitDenied:
            return ErrorCode::PermissionDenied;
        default:
            return ErrorCode::Internal;
    }
}

}  // namespace kaname::run
