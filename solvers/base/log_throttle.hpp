// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace kaname {

/// Passes on one line of a kind per interval and counts those that it holds back: what fails again
/// and again must not fill a log. For any number of threads.
class LogThrottle {
public:
    using Clock = std::chrono::steady_clock;

    explicit LogThrottle(std::function<void(const std::string&)> log,
                         std::chrono::seconds interval = std::chrono::minutes(1))
        : log_(std::move(log)), interval_(interval) {}

    /// `kind` is from a small set: it is kept for as long as this is.
    void operator()(const std::string& kind, const std::string& line,
                    Clock::time_point now = Clock::now()) {
        std::string said = line;
        {
            const std::lock_guard lock(mutex_);
            const auto [found, is_new] = kinds_.try_emplace(kind);
            Kind& known = found->second;
            if (!is_new && now - known.last < interval_) {
                ++known.n_held_back;
                return;
            }
            if (known.n_held_back > 0) {
                said += " (and " + std::to_string(known.n_held_back) + " more like it before)";
            }
            known = {now, 0};
        }
        if (log_) {
            log_(said);
        }
    }

private:
    struct Kind {
        Clock::time_point last;
        int n_held_back = 0;
    };
    std::function<void(const std::string&)> log_;
    std::chrono::seconds interval_;
    std::mutex mutex_;
    std::map<std::string, Kind> kinds_;
};

}  // namespace kaname
