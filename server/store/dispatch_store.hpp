// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kaname::store {

/// A worker job of a batch system, from the intent to submit it on.
///
///   intended -> submitted -> running -> ended
///      `-----------> unknown <--'         ^ from any; nothing follows
enum class DispatchState {
    Intended,   ///< noted; whether the batch system took it is not known yet
    Submitted,  ///< it waits there
    Running,
    Unknown,  ///< the batch system says nothing of it, which does not mean that it ended
    Ended,
};

[[nodiscard]] std::string_view to_string(DispatchState state);
/// The reverse; throws Internal on other text, which only a damaged database holds.
[[nodiscard]] DispatchState parse_dispatch_state(std::string_view text);

struct Dispatch {
    std::string dispatch_id;     ///< UUID
    std::string place;           ///< of the server that sent it: host and state folder
    std::string pool;            ///< name of the launcher's pool
    std::string native_id = {};  ///< of the batch system; empty: not known
    DispatchState state = DispatchState::Intended;
    std::string reason = {};  ///< why it waits, or ended, as the batch system says
    std::optional<int> exit_code = {};
    double intended_s = 0, ended_s = 0;  ///< Unix time of the store's clock; 0: not ended
};

/// How a dispatch that has ended counts for its pool: what is taken away, or runs to its time
/// limit, tells nothing of whether workers can start there.
enum class DispatchOutcome { Worked, Failed, TakenAway };
[[nodiscard]] DispatchOutcome outcome_of(const Dispatch& ended);
[[nodiscard]] std::string_view to_string(DispatchOutcome outcome);

/// A pool whose last dispatches have failed one after another.
struct FailingPool {
    std::string pool;
    int n_in_a_row = 0;
    Dispatch last;
};
/// Returns the failing pools among rows in the order of list_dispatches; the pool whose last
/// failure is the newest comes last.
[[nodiscard]] std::vector<FailingPool> failing_pools(const std::vector<Dispatch>& dispatches);

/// Throws Unavailable as Store does.
class DispatchStore {
public:
    virtual ~DispatchStore() = default;

    /// The intent, before anything is submitted; times are filled in. Throws Conflict for an id
    /// that is there.
    virtual void add_dispatch(const Dispatch& dispatch) = 0;
    /// Sets native id, state, reason and exit code. False, with nothing changed, for one that has
    /// ended or is not there.
    virtual bool change_dispatch(const Dispatch& dispatch) = 0;
    /// Lists the dispatches that have not ended, or ended within `ended_within_s`, oldest first. An
    /// empty `place` stands for all places.
    [[nodiscard]] virtual std::vector<Dispatch> list_dispatches(const std::string& place,
                                                                double ended_within_s) = 0;
    /// Forgets the dispatches that ended longer ago; returns how many.
    virtual std::int64_t forget_dispatches(double ended_before_s) = 0;
    /// Claimable tasks of each pool of tasks, in order, counted up to `most` (>= 1).
    [[nodiscard]] virtual std::vector<std::int64_t> count_ready(std::span<const std::string> pools,
                                                                std::int64_t most) = 0;
};

}  // namespace kaname::store
