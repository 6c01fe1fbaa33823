// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/workers/ready_board.hpp"

namespace kaname::service {
namespace {

/// Callers choose the pools: no list of theirs grows for ever.
constexpr std::size_t kMostLooks = 256;

}  // namespace

std::optional<std::vector<std::string>> ReadyBoard::find(const std::vector<std::string>& pools,
                                                         Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    const auto known = looks_.find(pools);
    if (known == looks_.end() || known->second.seen != wakeups_.version() ||
        now - known->second.at >= kNet) {
        return std::nullopt;
    }
    return known->second.owners;
}

std::vector<std::string> ReadyBoard::owners(const std::vector<std::string>& pools,
                                            Clock::time_point now) {
    if (auto known = find(pools, now)) {
        return *std::move(known);
    }
    // Workers that wait come at the same moment: the first looks for all.
    const std::lock_guard one_looks(looking_);
    if (auto known = find(pools, now)) {
        return *std::move(known);
    }
    // Read before the look: what changes during it is looked for again.
    const std::uint64_t version = wakeups_.version();
    std::vector<std::string> owners = store_.ready_owners(pools);
    const std::lock_guard lock(mutex_);
    if (looks_.size() >= kMostLooks && !looks_.contains(pools)) {
        looks_.clear();
    }
    looks_[pools] = {version, now, owners};
    return owners;
}

}  // namespace kaname::service
