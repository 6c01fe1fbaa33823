// SPDX-License-Identifier: BSD-3-Clause
#include "worker/channel/exit_code.hpp"

namespace kaname::channel {

int exit_code(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
            return kExitBadInput;
        case ErrorCode::NotFound:
            return kExitNotFound;
        case ErrorCode::NotConverged:
            return kExitSomeFailed;
        case ErrorCode::Unavailable:
        case ErrorCode::DeviceFault:
            return kExitUnavailable;
        case ErrorCode::Conflict:
            return kExitConflict;
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
        default:
            return ErrorCode::Internal;
    }
}

}  // namespace kaname::channel
