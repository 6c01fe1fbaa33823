// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::agent {

/// "NotFound: there is no such file"
[[nodiscard]] inline std::string coded_text(const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
}

/// How a call ended.
struct CallEnd {
    enum class Outcome { Done, Unwanted, Refused };
    Outcome outcome;
    std::optional<Error> refusal = std::nullopt;  ///< when refused
};

/// Repeats calls of a server that is away for as long as they are wanted, and of one without room
/// for `full_store`. For any number of threads.
class PersistentCalls {
public:
    explicit PersistentCalls(std::chrono::duration<double> full_store) : full_store_(full_store) {}

    /// Calls until it succeeds, the server refuses, or `wanted` is false. Room is awaited only with
    /// `waiting`, which is told once that there is none.
    CallEnd insist(const std::function<void()>& call, const std::function<bool()>& wanted,
                   const std::function<void(const std::string&)>& waiting = {});
    /// From here on nothing is wanted.
    void stop();
    /// Calls so far that are tried again, or were refused.
    [[nodiscard]] int n_failed() const { return n_failed_; }

private:
    std::chrono::duration<double> full_store_;
    std::mutex mutex_;
    std::condition_variable stopped_;
    std::atomic<bool> stop_ = false;
    std::atomic<int> n_failed_ = 0;
};

}  // namespace kaname::agent
