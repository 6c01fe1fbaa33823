// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kaname {

enum class ErrorCode {
    InvalidArgument,
    OutOfRange,  ///< an offset or index past the end of what is there
    NotFound,
    Conflict,         ///< somebody else has it, or the name is taken
    NotReady,         ///< the state of the thing does not allow it yet, or no more
    Aborted,          ///< the caller's view is stale: a lost lease, an old etag
    Exhausted,        ///< a quota, or the disk's watermark
    Unauthenticated,  ///< no token, or an unknown one
    PermissionDenied,
    Unavailable,
    NotConverged,
    DeviceFault,
    DataLoss,  ///< stored bytes are no longer what they were
    Internal
};

[[nodiscard]] std::string_view to_string(ErrorCode code);
/// True only for codes where the same call may succeed later without change.
[[nodiscard]] bool is_retryable(ErrorCode code);

/// Error ends an operation. Its message names the value and the rule it broke.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string& message,
          std::source_location where = std::source_location::current());

    [[nodiscard]] ErrorCode code() const noexcept { return code_; }
    [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

private:
    ErrorCode code_;
    std::source_location where_;
};

/// One broken rule of a request.
struct Violation {
    std::string field;    ///< path, e.g. "structure.materials[2].viscosity_pa_s"
    std::string message;  ///< value and rule, e.g. "must be > 0, got -1"
};

/// All broken rules at once; what() lists one per line as "field: message".
class ValidationError : public Error {
public:
    explicit ValidationError(std::vector<Violation> violations,
                             std::source_location where = std::source_location::current());

    [[nodiscard]] const std::vector<Violation>& violations() const noexcept { return violations_; }

private:
    std::vector<Violation> violations_;
};

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
