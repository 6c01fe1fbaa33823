// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
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
        const std::lock_guard lock(listening_);
        if (listener_) {
            listener_();
        }
    }
    /// `listener` is called after each change; empty: none any more, when this returns.
    void listen(std::function<void()> listener) {
        const std::lock_guard lock(listening_);
        listener_ = std::move(listener);
    }
    [[nodiscard]] std::uint64_t version() {
        const std::lock_guard lock(mutex_);
        return version_;
    }

private:
    std::mutex mutex_, listening_;
    std::function<void()> listener_;
    std::uint64_t version_ = 0;
};

}  // namespace kaname::service
