// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/base/error.hpp"

namespace kaname::run {

/// Exit codes of kaname and kaname-compute; they agree so that a verb's code can be passed on.
inline constexpr int kExitOk = 0;
inline constexpr int kExitUnsound = 1;   ///< what a check looked at is not as it must be
inline constexpr int kExitBadInput = 2;  ///< also a file that is damaged
inline constexpr int kExitNotFound = 3;
inline constexpr int kExitSomeFailed = 4;
inline constexpr int kExitUnavailable = 5;
inline constexpr int kExitConflict = 6;
inline constexpr int kExitDenied = 7;
inline constexpr int kExitInternal = 70;  ///< a fault of this program, and nothing else
inline constexpr int kExitInterrupted = 130;

inline constexpr const char* kExitCodesHelp =
    "Exit codes: 0 done, 1 mesh unsound, 2 bad input, 3 not found, 4 sources failed,\n"
    "5 unavailable, 6 not in this state, 7 not allowed, 70 internal, 130 interrupted";

[[nodiscard]] int exit_code(ErrorCode code);
/// The error that an exit code stands for, where a program could say no more; Internal for codes
/// that are not in the table.
[[nodiscard]] ErrorCode error_of_exit(int exit_code);

}  // namespace kaname::run
