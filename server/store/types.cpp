// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/types.hpp"

#include <array>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::store {
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
