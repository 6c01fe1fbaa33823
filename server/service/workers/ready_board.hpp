// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/store/store.hpp"

namespace kaname::service {

/// Tells waiting calls that something in the store may have changed through this server. They poll
/// all the same: other servers change it too.
class ChangeNotifier {
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

/// Who has something to do, asked of the store once for all workers of the same pools: after each
/// change through this server, and every few seconds, for other servers and tasks whose time comes.
/// Safe from any thread.
class ReadyBoard {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kNet{3000};

    /// Both outlive this.
    ReadyBoard(store::Store& store, ChangeNotifier& wakeups) : store_(store), wakeups_(wakeups) {}

    /// As Store::ready_owners, whose errors it throws; not older than kNet at `now`.
    [[nodiscard]] std::vector<std::string> owners(const std::vector<std::string>& pools,
                                                  Clock::time_point now = Clock::now());

private:
    struct Look {
        std::uint64_t seen = 0;
        Clock::time_point at;
        std::vector<std::string> owners;
    };
    /// Returns the owners that are known and still current at `now`; nothing where the store must
    /// be asked.
    std::optional<std::vector<std::string>> find(const std::vector<std::string>& pools,
                                                 Clock::time_point now);

    store::Store& store_;
    ChangeNotifier& wakeups_;
    std::mutex looking_;  ///< held during a look; before mutex_
    std::mutex mutex_;
    std::map<std::vector<std::string>, Look> looks_;  ///< by pools
};

}  // namespace kaname::service
