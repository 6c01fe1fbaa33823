// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "server/store/operations_store.hpp"

namespace kaname::service {

/// How the database is, asked at most once in 15 s whoever wants to know: its answer reads sums
/// over all tables and the size of all files.
class DatabaseLook {
public:
    explicit DatabaseLook(store::OperationsStore& store) : store_(store) {}

    /// Throws Unavailable.
    [[nodiscard]] store::DatabaseState read() {
        const std::lock_guard lock(mutex_);
        const auto now = Clock::now();
        if (!last_ || now - at_ > kLasts) {
            last_ = store_.look_at_database();
            at_ = now;
        }
        return *last_;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kLasts{15};

    store::OperationsStore& store_;
    std::mutex mutex_;
    std::optional<store::DatabaseState> last_;
    Clock::time_point at_;
};

}  // namespace kaname::service
