// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::run {

/// How far a verb is.
struct Progress {
    std::string stage;            ///< "mesh", "solve", ...
    double fraction = 0.0;        ///< 0..1 of the stage
    std::optional<double> eta_s;  ///< to the end of the stage
    std::string text;             ///< for people: "pack 1/2, step 12/50, 9 iterations"
};

/// Result is what a verb found or made: one JSON object.
struct Result {
    std::string verb;
    std::string json;
};

/// Failure describes why a verb gave up.
struct Failure {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::vector<Violation> violations;  ///< a request's broken rules; `message` repeats them
    std::optional<DeviceFault> device_fault = {};  ///< a GPU failed: the process ends
};

/// Checkpoint reports that a file was written from which a killed solve can go on.
struct Checkpoint {
    int step = 0;                      ///< the step solved last
    std::string file;                  ///< the next one replaces it
    std::vector<std::string> sources;  ///< ids of the pack's sources
};

/// Any other line of output.
struct Log {
    std::string line;
};

/// kEventPrefix begins the line of every event.
inline constexpr std::string_view kEventPrefix = "@kaname ";

using Event = std::variant<Progress, Result, Failure, Checkpoint, Log>;

/// One event is one line of standard output, `@kaname {"type": "progress", ...}`, so that it
/// survives being mixed with whatever libraries print.
[[nodiscard]] std::string to_line(const Progress& progress);
/// Throws InvalidArgument when `result.json` is no JSON object.
[[nodiscard]] std::string to_line(const Result& result);
[[nodiscard]] std::string to_line(const Failure& failure);
[[nodiscard]] std::string to_line(const Checkpoint& checkpoint);

/// Never throws on what a program may print: a line without the prefix, and a malformed event, is
/// a Log with the whole line.
[[nodiscard]] Event parse_line(std::string_view line);

/// The failure that describes a caught exception: violations of a ValidationError, code of an
/// Error, Unavailable for exhausted memory, Unavailable or PermissionDenied for what the operating
/// system refuses, Internal for the rest.
[[nodiscard]] Failure describe(const std::exception& error);

}  // namespace kaname::run
