// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/base/error.hpp"

namespace kaname {

/// Describes an error that a GPU's runtime reported.
struct DeviceFault {
    std::string call;   ///< what was asked of it: "cudaMemset", a kernel's name
    std::string error;  ///< the runtime's name for it: "cudaErrorECCUncorrectable"
    std::string gpu;    ///< UUID; empty where it is not known
};

/// A GPU that failed. Most of these stick: every later call of the process fails too, so that the
/// process must end.
class DeviceError : public Error {
public:
    /// `message` is the whole of what().
    DeviceError(DeviceFault fault, const std::string& message,
                std::source_location where = std::source_location::current());

    [[nodiscard]] const DeviceFault& fault() const noexcept { return fault_; }

private:
    DeviceFault fault_;
};

/// "call: error: text".
[[nodiscard]] std::string describe(const DeviceFault& fault, const std::string& text);

/// Returns true if the runtime's error names the GPU or its memory as the culprit. The others, an
/// illegal address for example, may as well be the program's own doing.
[[nodiscard]] bool blames_hardware(const DeviceFault& fault);

}  // namespace kaname
