// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace kaname::agent {

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
