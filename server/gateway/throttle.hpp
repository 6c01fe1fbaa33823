// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace kaname::gateway {

/// Counts what somebody does wrong, by address and minute. Safe from any thread.
class Throttle {
public:
    using Clock = std::chrono::steady_clock;

    explicit Throttle(int most_a_minute) : most_(most_a_minute) {}

    /// Throws Exhausted when `address` has reached the limit of this minute, saying of `what`.
    void check(const std::string& address, const std::string& what,
               Clock::time_point now = Clock::now());
    void count(const std::string& address, Clock::time_point now = Clock::now());

private:
    static constexpr std::size_t kMost = 4096;  ///< addresses; with more the oldest are forgotten
    struct Minute {
        Clock::time_point began;
        int n = 0;
    };
    void forget_old(Clock::time_point now);

    const int most_;
    std::mutex mutex_;
    std::map<std::string, Minute> minutes_;
};

}  // namespace kaname::gateway
