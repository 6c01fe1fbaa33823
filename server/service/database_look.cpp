// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/database_look.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kaname::service {

store::DatabaseState DatabaseLook::read() {
    const std::lock_guard lock(mutex_);
    const auto now = now_();
    if (!last_ || now - at_ > kLasts) {
        store::DatabaseState state = store_.look_at_database();
        add_hidden(state, now);
        last_ = std::move(state);
        at_ = now;
    }
    return *last_;
}

void DatabaseLook::add_hidden(store::DatabaseState& state, Clock::time_point now) {
    const bool looked = last_ && now - at_ <= kRecent;
    std::map<std::string, Seen> still;
    bool unknown = false;
    for (const std::string& holder : state.hidden_holders) {
        const auto before = seen_.find(holder);
        const Seen seen = before != seen_.end() ? before->second
                          : looked              ? Seen{at_, true}
                                                : Seen{now, false};
        still[holder] = seen;
        const std::chrono::duration<double> age = now - seen.since;
        if (seen.from_the_beginning || age >= kRecent) {
            state.oldest_xmin_age_s = std::max(state.oldest_xmin_age_s, age.count());
        } else {
            unknown = true;
        }
    }
    seen_ = std::move(still);
    if (unknown && state.oldest_xmin_age_s < std::chrono::duration<double>(kRecent).count()) {
        state.oldest_xmin_age_s = std::numeric_limits<double>::quiet_NaN();
    }
}

}  // namespace kaname::service
