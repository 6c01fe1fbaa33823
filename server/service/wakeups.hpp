// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace kaname::service {

/// Tells waiting calls that something in the store may have changed through this server. They poll
/// all the same: other servers change it too.
class Wakeups {
public:
    void notify() {
        {
            const std::lock_guard lock(mutex_);
            ++version_;
        }
        changed_.notify_all();
    }
    [[nodiscard]] std::uint64_t version() {
        const std::lock_guard lock(mutex_);
        return version_;
    }
    /// Returns when something changed since `seen`, or after `patience`.
    void wait(std::uint64_t seen, std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, patience, [&] { return version_ != seen; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t version_ = 0;
};

}  // namespace kaname::service
