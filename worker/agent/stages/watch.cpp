// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/watch.hpp"

#include <algorithm>

namespace kaname::agent {
namespace {

constexpr std::size_t kIntervals = 64;
constexpr double kTimesMedian = 20.0;

}  // namespace

void HangWatch::heard() {
    const auto now = Clock::now();
    if (intervals_s_.size() == kIntervals) {
        intervals_s_.erase(intervals_s_.begin());
    }
    intervals_s_.push_back(std::chrono::duration<double>(now - last_).count());
    last_ = now;
}

void HangWatch::check() const {
    double limit_s = std::chrono::duration<double>(patience_).count();
    if (!intervals_s_.empty()) {
        std::vector<double> sorted = intervals_s_;
        std::ranges::sort(sorted);
        limit_s = std::max(limit_s, kTimesMedian * sorted[sorted.size() / 2]);
    }
    const double silent_s = std::chrono::duration<double>(Clock::now() - last_).count();
    if (silent_s > limit_s) {
        throw Broken("hung", "no sign of life for " + std::to_string(static_cast<int>(silent_s)) +
                                 " s (allowed: " + std::to_string(static_cast<int>(limit_s)) +
                                 " s)");
    }
}

}  // namespace kaname::agent
