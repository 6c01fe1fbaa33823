// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "server/helpers/caller.hpp"

namespace kaname::helpers {

/// Something that there is only so much of: places of processes, bytes of memory. Whoever asks for
/// a share waits until there is one. Those who wait take turns by owner: the owner who has least
/// comes first, and nobody has more than `most_of_one` unless by one share that is larger. Safe
/// from any thread.
class Turns {
public:
    Turns(std::int64_t all, std::int64_t most_of_one) : all_(all), most_of_one_(most_of_one) {}
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    /// Given back at its destruction.
    class Share {
    public:
        Share(Turns& turns, std::string owner, std::int64_t amount)
            : turns_(turns), owner_(std::move(owner)), amount_(amount) {}
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        ~Share() { turns_.give_back(owner_, amount_); }

    private:
        Turns& turns_;
        const std::string owner_;
        const std::int64_t amount_;
    };

    /// Waits for the caller's share; false when the caller has gone before. Then, and only then,
    /// nothing is to be given back. More than there is counts as all.
    [[nodiscard]] bool wait_for(const Caller& caller, std::int64_t& amount);
    /// How many of the owner's calls wait.
    [[nodiscard]] int n_waiting(const std::string& owner);
    [[nodiscard]] bool is_full();

private:
    struct Waiter {
        std::string owner;
        std::int64_t amount;
    };
    /// True when nobody who waits comes before this one and its share is there.
    [[nodiscard]] bool may_go(std::list<Waiter>::const_iterator waiter) const;
    [[nodiscard]] std::int64_t used_by(const std::string& owner) const;
    [[nodiscard]] bool within_own(const Waiter& waiter) const;
    void give_back(const std::string& owner, std::int64_t amount);

    const std::int64_t all_, most_of_one_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t used_ = 0;
    std::map<std::string, std::int64_t> used_by_;
    std::list<Waiter> waiting_;  ///< in the order in which they came
};

}  // namespace kaname::helpers
