// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/events.hpp"

#include <array>
#include <filesystem>
#include <new>
#include <system_error>

#include <nlohmann/json.hpp>

namespace kaname::run {
namespace {

using nlohmann::json;

/// Levels of brackets in an event; a program that writes millions gets memory for each.
constexpr int kDeepest = 100;
constexpr ErrorCode kCodes[] = {
    ErrorCode::InvalidArgument, ErrorCode::OutOfRange,      ErrorCode::NotFound,
    ErrorCode::Conflict,        ErrorCode::NotReady,        ErrorCode::Aborted,
    ErrorCode::Exhausted,       ErrorCode::Unauthenticated, ErrorCode::PermissionDenied,
    ErrorCode::Unavailable,     ErrorCode::NotConverged,    ErrorCode::DeviceFault,
    ErrorCode::DataLoss,        ErrorCode::Internal};

/// File names and third-party messages may hold bytes that are not UTF-8.
std::string line_of(const json& object) {
    return std::string(kEventPrefix) + object.dump(-1, ' ', false, json::error_handler_t::replace);
}

ErrorCode code_named(const std::string& name) {
    for (const ErrorCode code : kCodes) {
        if (name == to_string(code)) {
            return code;
        }
    }
    return ErrorCode::Internal;
}

/// Returns whether brackets outside of strings stand more than kDeepest levels deep.
bool is_too_deep(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string && c == '\\') {
            ++at;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '[' || c == '{') && ++depth > kDeepest) {
            return true;
        } else if (!in_string && (c == ']' || c == '}')) {
            --depth;
        }
    }
    return false;
}

Event progress_of(const json& object) {
    Progress progress{object.at("stage"), object.at("fraction"), std::nullopt,
                      object.value("text", "")};
    if (object.contains("eta_s")) {
        progress.eta_s = object.at("eta_s").get<double>();
    }
    return progress;
}

Event failure_of(const json& object) {
    Failure failure{code_named(object.at("code")), object.at("message"), {}};
    if (object.contains("device_fault")) {
        const json& fault = object.at("device_fault");
        failure.device_fault =
            DeviceFault{fault.at("call"), fault.at("error"), fault.value("gpu", "")};
    }
    for (const json& violation : object.value("violations", json::array())) {
        failure.violations.push_back({violation.at("field"), violation.at("message")});
    }
    return failure;
}

/// Paths that may not be used, full disks and limits of the user are no faults of this program.
Failure refused_by_the_system(const std::system_error& error) {
    const std::error_code& code = error.code();
    const bool is_errno =
        code.category() == std::generic_category() || code.category() == std::system_category();
    if (!is_errno) {
        return {ErrorCode::Internal, error.what(), {}};
    }
    const bool denied =
        code == std::errc::permission_denied || code == std::errc::operation_not_permitted;
    std::string message = error.what();
    if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
        message = file->path1().string() + ": " + code.message();
    } else if (code == std::errc::resource_unavailable_try_again) {
        message = "a thread cannot be started: " + code.message() +
                  " (limits of this user's processes: ulimit -u)";
    }
    return {denied ? ErrorCode::PermissionDenied : ErrorCode::Unavailable, message, {}};
}

}  // namespace

std::string to_line(const Progress& progress) {
    json object = {{"type", "progress"},
                   {"stage", progress.stage},
                   {"fraction", progress.fraction},
                   {"text", progress.text}};
    if (progress.eta_s) {
        object["eta_s"] = *progress.eta_s;
    }
    return line_of(object);
}

std::string to_line(const Result& result) {
    const json content = json::parse(result.json, nullptr, /*allow_exceptions=*/false);
    if (!content.is_object()) {
        throw Error(ErrorCode::InvalidArgument,
                    "result of " + result.verb + " must be a JSON object, got " + result.json);
    }
    return line_of({{"type", "result"}, {"verb", result.verb}, {"result", content}});
}

std::string to_line(const Failure& failure) {
    json violations = json::array();
    for (const Violation& violation : failure.violations) {
        violations.push_back({{"field", violation.field}, {"message", violation.message}});
    }
    json object = {{"type", "error"},
                   {"code", to_string(failure.code)},
                   {"message", failure.message},
                   {"violations", violations}};
    if (failure.device_fault) {
        object["device_fault"] = {{"call", failure.device_fault->call},
                                  {"error", failure.device_fault->error},
                                  {"gpu", failure.device_fault->gpu}};
    }
    return line_of(object);
}

std::string to_line(const Checkpoint& checkpoint) {
    return line_of({{"type", "checkpoint"},
                    {"step", checkpoint.step},
                    {"file", checkpoint.file},
                    {"sources", checkpoint.sources}});
}

Event parse_line(std::string_view line) {
    const Log log{std::string(line)};
    if (!line.starts_with(kEventPrefix) || is_too_deep(line)) {
        return log;
    }
    try {
        const json object = json::parse(line.substr(kEventPrefix.size()));
        const std::string type = object.at("type");
        if (type == "progress") {
            return progress_of(object);
        }
        if (type == "result" && object.at("result").is_object()) {
            return Result{object.at("verb"), object.at("result").dump()};
        }
        if (type == "error") {
            return failure_of(object);
        }
        if (type == "checkpoint") {
            return Checkpoint{object.at("step"), object.at("file"), object.at("sources")};
        }
    } catch (const json::exception&) {
        // Not an event after all: the caller still sees the line.
    }
    return log;
}

Failure describe(const std::exception& error) {
    if (const auto* invalid = dynamic_cast<const ValidationError*>(&error)) {
        return {invalid->code(), invalid->what(), invalid->violations()};
    }
    if (const auto* device = dynamic_cast<const DeviceError*>(&error)) {
        return {device->code(), device->what(), {}, device->fault()};
    }
    if (const auto* known = dynamic_cast<const Error*>(&error)) {
        return {known->code(), known->what(), {}};
    }
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        return {ErrorCode::Unavailable, "out of memory", {}};
    }
    if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
        return refused_by_the_system(*system);
    }
    return {ErrorCode::Internal, error.what(), {}};
}

}  // namespace kaname::run
