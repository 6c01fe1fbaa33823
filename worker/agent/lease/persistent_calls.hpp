// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
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

/// Delays that double from 0.2 s up to `longest`, each between half and one and a half of its
/// value: many agents must not call in step.
class Backoff {
public:
    explicit Backoff(std::chrono::duration<double> longest = std::chrono::seconds(5))
        : longest_s_(longest.count()) {}

    [[nodiscard]] std::chrono::duration<double> next() {
        thread_local std::minstd_rand random{std::random_device{}()};
        const double factor = 0.5 + static_cast<double>(random() % 1000) / 1000.0;
        const double delay_s = delay_s_;
        delay_s_ = std::min(longest_s_, 2 * delay_s_);
        return std::chrono::duration<double>(delay_s * factor);
    }
    void reset() { delay_s_ = kFirst_s; }

private:
    static constexpr double kFirst_s = 0.2;
    double longest_s_, delay_s_ = kFirst_s;
};

}  // namespace kaname::agent
