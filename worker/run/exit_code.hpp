// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <mutex>
#include <streambuf>
#include <string>

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

/// Writes what goes to std::cout while this lives, and remembers the first error: a full disk, a
/// pipe that nobody reads any more, a standard output that was closed. What comes after an error is
/// dropped. A pipe without a reader is an error like others from then on: SIGPIPE is ignored.
class CheckedOutput final : public std::streambuf {
public:
    /// `failed` is called once, at the first error, from whichever thread writes.
    explicit CheckedOutput(std::function<void()> failed = {});
    ~CheckedOutput() override;
    CheckedOutput(const CheckedOutput&) = delete;
    CheckedOutput& operator=(const CheckedOutput&) = delete;

    /// Writes out what is still held and returns `code`; where anything was lost, says so on
    /// standard error and returns kExitUnavailable in place of kExitOk and kExitInterrupted.
    [[nodiscard]] int finish(int code);
    /// Returns whether something was lost.
    [[nodiscard]] bool has_failed() const { return error_ != 0; }

protected:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    bool write_out();

    std::streambuf* before_;
    std::function<void()> failed_;
    std::mutex mutex_;
    std::string held_;
    bool is_terminal_;
    int error_ = 0;  ///< errno of the first write that failed
};

}  // namespace kaname::run
