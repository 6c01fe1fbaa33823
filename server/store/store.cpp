// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/store.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "server/store/types.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store {
namespace {

constexpr std::array<std::pair<DispatchState, std::string_view>, 5> kStates = {
    {{DispatchState::Intended, "intended"},
     {DispatchState::Submitted, "submitted"},
     {DispatchState::Running, "running"},
     {DispatchState::Unknown, "unknown"},
     {DispatchState::Ended, "ended"}}};

constexpr std::array kTakenAway = {"CANCELLED", "PREEMPTED", "TIMEOUT", "REVOKED", "REQUEUED"};

bool is_uuid(const std::string& text) {
    if (text.size() != 36) {
        return false;
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
        const bool digit = std::string_view("0123456789abcdef").find(text[at]) != std::string::npos;
        if (dash ? text[at] != '-' : !digit) {
            return false;
        }
    }
    return true;
}

}  // namespace

DispatchOutcome outcome_of(const Dispatch& ended) {
    if (ended.reason.empty() || ended.reason.starts_with("COMPLETED")) {
        return DispatchOutcome::Worked;
    }
    const bool taken = std::ranges::any_of(
        kTakenAway, [&](const char* word) { return ended.reason.starts_with(word); });
    return taken ? DispatchOutcome::TakenAway : DispatchOutcome::Failed;
}

std::string_view to_string(DispatchOutcome outcome) {
    switch (outcome) {
        case DispatchOutcome::Worked:
            return "worked";
        case DispatchOutcome::Failed:
            return "failed";
        case DispatchOutcome::TakenAway:
            return "taken away";
    }
    throw Error(ErrorCode::Internal, "outcome of a dispatch without a name");
}

std::vector<FailingPool> failing_pools(const std::vector<Dispatch>& dispatches) {
    std::vector<Dispatch> ended;
    std::ranges::copy_if(dispatches, std::back_inserter(ended), [](const Dispatch& dispatch) {
        return dispatch.state == DispatchState::Ended;
    });
    std::ranges::stable_sort(ended, {}, &Dispatch::ended_s);
    std::vector<FailingPool> failing;
    for (const Dispatch& dispatch : ended) {
        const auto of_pool = std::ranges::find(failing, dispatch.pool,
                                               [](const FailingPool& one) { return one.pool; });
        const DispatchOutcome outcome = outcome_of(dispatch);
        if (outcome == DispatchOutcome::TakenAway) {
            continue;
        }
        FailingPool next{dispatch.pool, 1, dispatch};
        if (of_pool != failing.end()) {
            next.n_in_a_row += of_pool->n_in_a_row;
            failing.erase(of_pool);
        }
        if (outcome == DispatchOutcome::Failed) {
            failing.push_back(std::move(next));
        }
    }
    return failing;
}

std::string_view to_string(DispatchState state) {
    for (const auto& [known, text] : kStates) {
        if (known == state) {
            return text;
        }
    }
    throw Error(ErrorCode::Internal, "dispatch state without a name");
}

DispatchState parse_dispatch_state(std::string_view text) {
    for (const auto& [state, known] : kStates) {
        if (known == text) {
            return state;
        }
    }
    throw Error(ErrorCode::Internal,
                "dispatch state in the database: \"" + std::string(text) + "\" is none");
}

namespace {

// Names in the order of the enumerators; the database holds these texts.
constexpr std::array<std::string_view, 4> kItemStates{"live", "done", "failed", "cancelled"};
constexpr std::array<std::string_view, 4> kJobStates{"active", "done", "failed", "cancelled"};
constexpr std::array<std::string_view, 6> kEventTypes{"submitted",      "item_done", "item_failed",
                                                      "item_cancelled", "job_ended", "retried"};

template <typename T, std::size_t N>
T parse(const std::array<std::string_view, N>& names, std::string_view text) {
    for (std::size_t i = 0; i < N; ++i) {
        if (names[i] == text) {
            return static_cast<T>(i);
        }
    }
    throw Error(ErrorCode::Internal, "unknown name in the database: \"" + std::string(text) + '"');
}

}  // namespace

std::string_view to_string(ItemState state) {
    return kItemStates[static_cast<std::size_t>(state)];
}
std::string_view to_string(JobState state) {
    return kJobStates[static_cast<std::size_t>(state)];
}
std::string_view to_string(EventType type) {
    return kEventTypes[static_cast<std::size_t>(type)];
}

ItemState parse_item_state(std::string_view text) {
    return parse<ItemState>(kItemStates, text);
}
JobState parse_job_state(std::string_view text) {
    return parse<JobState>(kJobStates, text);
}
EventType parse_event_type(std::string_view text) {
    return parse<EventType>(kEventTypes, text);
}

std::string id_of(const std::string& name, const std::string& collection,
                  const std::string& field) {
    const std::string prefix = collection + "/";
    const std::string id = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
    if (!is_uuid(id)) {
        throw ValidationError(std::vector<Violation>{
            {field, "must be \"" + prefix + "<uuid>\", got \"" + name.substr(0, 100) + '"'}});
    }
    return id;
}

std::string etag_of(const Job& job) {
    return std::to_string(job.event_seq) + '-' + std::string(to_string(job.state));
}

bool tried_again(const StoreOptions& options, const Failure& failure, int attempt,
                 int crash_count) {
    return failure.crashed ? crash_count < options.poison
                           : failure.retryable && attempt < options.max_attempts;
}

ReturnedTask judge_return(const StoreOptions& options, int attempt, int refunds, bool draining) {
    return draining || refunds < options.max_refunds ? ReturnedTask::Refunded
           : attempt < options.max_attempts          ? ReturnedTask::Counted
                                                     : ReturnedTask::Failed;
}

}  // namespace kaname::store
