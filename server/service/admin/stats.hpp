// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "server/store/operations_store.hpp"

namespace kaname::service {

/// How the database is, asked at most once in 15 s whoever wants to know: its answer reads sums
/// over all tables and the size of all files.
///
/// Transactions whose beginning the role may not see have the age since which they have been seen:
/// since the look before the first that saw them where that was recent, else not known until they
/// have been seen for a minute.
class DatabaseLook {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;

    explicit DatabaseLook(store::OperationsStore& store, Now now = Clock::now)
        : store_(store), now_(std::move(now)) {}

    /// Throws Unavailable.
    [[nodiscard]] store::DatabaseState read();

private:
    static constexpr std::chrono::seconds kLasts{15}, kRecent{60};
    struct Seen {
        Clock::time_point since;
        bool from_the_beginning;
    };

    void add_hidden(store::DatabaseState& state, Clock::time_point now);

    store::OperationsStore& store_;
    Now now_;
    std::mutex mutex_;
    std::optional<store::DatabaseState> last_;
    Clock::time_point at_;
    std::map<std::string, Seen> seen_;
};

}  // namespace kaname::service
