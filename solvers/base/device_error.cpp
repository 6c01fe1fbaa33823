// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/device_error.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kaname {
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
