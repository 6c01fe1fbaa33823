// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/throttle.hpp"

#include <algorithm>

#include "server/http/error_answer.hpp"

namespace kaname::gateway {

constexpr std::chrono::minutes kMinute{1};

void Throttle::forget_old(Clock::time_point now) {
    std::erase_if(minutes_,
                  [&](const auto& minute) { return minute.second.began + kMinute <= now; });
    while (minutes_.size() >= kMost) {
        minutes_.erase(std::ranges::min_element(
            minutes_, {}, [](const auto& minute) { return minute.second.began; }));
    }
}

void Throttle::check(const std::string& address, const std::string& what, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    const auto found = minutes_.find(address);
    if (found != minutes_.end() && found->second.began + kMinute > now &&
        found->second.n >= most_) {
        const int after_s = 1 + static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(
                                                     found->second.began + kMinute - now)
                                                     .count());
        throw http::RetryLater("at most " + std::to_string(most_) + ' ' + what +
                                   " a minute from one address; try again in " +
                                   std::to_string(after_s) + " s",
                               after_s);
    }
}

void Throttle::count(const std::string& address, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (const auto found = minutes_.find(address);
        found != minutes_.end() && found->second.began + kMinute > now) {
        ++found->second.n;
        return;
    }
    forget_old(now);
    minutes_[address] = {now, 1};
}

}  // namespace kaname::gateway
