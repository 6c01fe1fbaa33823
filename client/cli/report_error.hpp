// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

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

}  // namespace kaname::cli
