// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/report_error.hpp"

#include <iostream>

#include <nlohmann/json.hpp>

#include "client/cli/grouped.hpp"
#include "worker/run/events.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

constexpr std::string_view kGot = ", got ";
constexpr const char* kFieldLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.[]";

/// Messages are "<field>: <rule>, got <value>", as all of them are written.
command::Refusal parts_of(const std::string& field, const std::string& message) {
    const std::size_t got = message.rfind(kGot);
    if (got == std::string::npos) {
        return {field, message, ""};
    }
    return {field, message.substr(0, got), message.substr(got + kGot.size())};
}

command::Refusal parts_of(const std::string& message) {
    const std::size_t end = message.find_first_not_of(kFieldLetters);
    const bool has_field = end != std::string::npos && end > 0 && message.substr(end, 2) == ": ";
    return has_field ? parts_of(message.substr(0, end), message.substr(end + 2))
                     : parts_of("", message);
}

void print(std::string_view code, const std::string& message, const command::Refusal& first,
           const nlohmann::json& violations) {
    const nlohmann::json report = {{"error",
                                    {{"code", code},
                                     {"message", message},
                                     {"field", first.field},
                                     {"rule", first.rule},
                                     {"value", first.value},
                                     {"violations", violations}}}};
    // On one line: it may end a stream of objects, one a line.
    std::cout << report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

nlohmann::json violation_of(const command::Refusal& parts, const std::string& message) {
    return {
        {"field", parts.field}, {"message", message}, {"rule", parts.rule}, {"value", parts.value}};
}

}  // namespace

int report_error(const std::exception& error, bool json) {
    const run::Failure failure = run::describe(error);
    for (const Violation& violation : grouped(failure.violations)) {
        std::cerr << "error: " << violation.field << ": " << violation.message << "\n";
    }
    if (failure.violations.empty()) {
        std::cerr << "error: " << failure.message << "\n";
    }
    if (json) {
        command::Refusal first = parts_of(failure.message);
        nlohmann::json violations = nlohmann::json::array();
        for (const Violation& violation : failure.violations) {
            const command::Refusal parts = parts_of(violation.field, violation.message);
            first = violations.empty() ? parts : first;
            violations.push_back(violation_of(parts, violation.message));
        }
        print(to_string(failure.code), failure.message, first, violations);
    }
    return run::exit_code(failure.code);
}

int report_refusal(const command::Refusal& refusal, const std::string& advice, bool json) {
    std::cerr << "error: " << refusal.text() << "\n" << advice << "\n";
    if (json) {
        const std::string message =
            refusal.rule + (refusal.value.empty() ? "" : std::string(kGot) + refusal.value);
        print(to_string(ErrorCode::InvalidArgument), refusal.text(), refusal,
              nlohmann::json::array({violation_of(refusal, message)}));
    }
    return run::kExitBadInput;
}

int report_interrupt(bool json) {
    std::cerr << "interrupted\n";
    if (json) {
        print("Interrupted", "interrupted", {}, nlohmann::json::array());
    }
    return run::kExitInterrupted;
}

}  // namespace kaname::cli
