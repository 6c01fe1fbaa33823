// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <mutex>
#include <streambuf>
#include <string>

namespace kaname::run {

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
