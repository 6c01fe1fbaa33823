// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>

namespace kaname::cli {

/// Says what went wrong on standard error, one "error: field: message" line per broken rule; with
/// `json` also as {"error": {code, message, violations}} on standard output. Returns the exit code.
int report_error(const std::exception& error, bool json);

}  // namespace kaname::cli
