// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/error.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kaname {
namespace {

std::string join(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations) {
        if (!text.empty()) {
            text += '\n';
        }
        text += violation.field + ": " + violation.message;
    }
    return text;
}

}  // namespace

std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
            return "InvalidArgument";
        case ErrorCode::OutOfRange:
            return "OutOfRange";
        case ErrorCode::NotFound:
            return "NotFound";
        case ErrorCode::Conflict:
            return "Conflict";
        case ErrorCode::NotReady:
            return "NotReady";
        case ErrorCode::Aborted:
            return "Aborted";
        case ErrorCode::Exhausted:
            return "Exhausted";
        case ErrorCode::Unauthenticated:
            return "Unauthenticated";
        case ErrorCode::PermissionDenied:
            return "PermissionDenied";
        case ErrorCode::Unavailable:
            return "Unavailable";
        case ErrorCode::NotConverged:
            return "NotConverged";
        case ErrorCode::DeviceFault:
            return "DeviceFault";
        case ErrorCode::DataLoss:
            return "DataLoss";
        case ErrorCode::Internal:
            return "Internal";
    }
    return "Internal";
}

bool is_retryable(ErrorCode code) {
    return code == ErrorCode::Unavailable;
}

Error::Error(ErrorCode code, const std::string& message, std::source_location where)
    : std::runtime_error(message), code_(code), where_(where) {}

ValidationError::ValidationError(std::vector<Violation> violations, std::source_location where)
    : Error(ErrorCode::InvalidArgument, join(violations), where),
      violations_(std::move(violations)) {}

namespace {

/// Errors that a kernel brings about by what it does.
constexpr std::string_view kOfPrograms[] = {
    "cudaErrorIllegalAddress",
    "cudaErrorMisalignedAddress",
    "cudaErrorInvalidAddressSpace",
    "cudaErrorInvalidPc",
    "cudaErrorIllegalInstruction",
    "cudaErrorLaunchFailure",
    "cudaErrorLaunchTimeout",
    "cudaErrorLaunchOutOfResources",
    "cudaErrorAssert",
    "cudaErrorInvalidConfiguration",
    "cudaErrorInvalidValue",
};

}  // namespace

DeviceError::DeviceError(DeviceFault fault, const std::string& message, std::source_location where)
    : Error(ErrorCode::DeviceFault, message, where), fault_(std::move(fault)) {}

std::string describe(const DeviceFault& fault, const std::string& text) {
    return fault.call + ": " + fault.error + ": " + text;
}

bool blames_hardware(const DeviceFault& fault) {
    return std::ranges::find(kOfPrograms, fault.error) == std::end(kOfPrograms);
}

}  // namespace kaname
