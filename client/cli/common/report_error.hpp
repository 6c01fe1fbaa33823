// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <exception>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "worker/command/command.hpp"

namespace kaname::cli {

/// Says what went wrong on standard error, one "error: field: message" line per broken rule; with
/// `json` also as one line {"error": {code, message, field, rule, value, violations [{field,
/// message, rule, value}]}} on standard output, where field, rule and value are those of the first
/// broken rule and empty where there is none. Returns the exit code.
int report_error(const std::exception& error, bool json);

/// Does the same with a command line that is refused.
int report_refusal(const command::Refusal& refusal, const std::string& advice, bool json);

/// Does the same with a command that the user stopped.
int report_interrupt(bool json);

/// One violation for all entries of a list that break one rule: the first of more than three, with
/// the indices of the next and the count of the rest. Rules are one when their words are, numbers
/// and quoted texts aside.
[[nodiscard]] std::vector<Violation> grouped(const std::vector<Violation>& violations);

/// Refuses the first word of a command line (without the program's name) that is no command or
/// option where it stands, with the nearest known one: "unknown command 'sumbit'; did you mean
/// submit?". Nothing is said when there is none.
[[nodiscard]] command::Refusal mistyped(const command::CommandText& program,
                                        const std::vector<std::string>& words);

}  // namespace kaname::cli
