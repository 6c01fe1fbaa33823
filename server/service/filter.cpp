// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/filter.hpp"

#include <algorithm>
#include <cctype>

#include "server/service/filter_text.hpp"

namespace kaname::service {
namespace {

constexpr const char* kExample = "state = \"active\" AND title = \"x\"";
const FilterFields kFieldsOfJobs{{"state", "title", "owner"}, kExample};
const FilterFields kFieldsOfMembers{{"state"}, kExample};

/// A state by its name in answers, ACTIVE, or by the word of commands, active.
std::string state_in(const FilterCondition& condition) {
    std::string state = condition.value;
    std::ranges::transform(state, state.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return state;
}

}  // namespace

store::JobFilter parse_filter(const std::string& text) {
    FilterText parser(text, kFieldsOfJobs);
    store::JobFilter filter;
    for (const FilterCondition& condition : parser.parse()) {
        if (condition.field == "title") {
            filter.name = condition.value;
        } else if (condition.field == "owner") {
            filter.owner = condition.value;
        } else {
            filter.state.reset();
            const std::string wanted = state_in(condition);
            for (const auto state : {store::JobState::Active, store::JobState::Done,
                                     store::JobState::Failed, store::JobState::Cancelled}) {
                if (to_string(state) == wanted) {
                    filter.state = state;
                }
            }
            if (!filter.state) {
                parser.fail_at(condition.place, "state must be active, done, failed or cancelled");
            }
        }
    }
    return filter;
}

store::CampaignFilter parse_campaign_filter(const std::string& text) {
    FilterText parser(text, kFieldsOfJobs);
    store::CampaignFilter filter;
    for (const FilterCondition& condition : parser.parse()) {
        if (condition.field == "title") {
            filter.title = condition.value;
        } else if (condition.field == "owner") {
            filter.owner = condition.value;
        } else {
            filter.state = store::campaign_state_named(state_in(condition));
            if (!filter.state) {
                parser.fail_at(condition.place,
                               "state must be active, paused, done, failed or cancelled");
            }
        }
    }
    return filter;
}

std::optional<store::MemberState> parse_member_filter(const std::string& text) {
    FilterText parser(text, kFieldsOfMembers);
    std::optional<store::MemberState> state;
    for (const FilterCondition& condition : parser.parse()) {
        state = store::member_state_named(state_in(condition));
        if (!state) {
            parser.fail_at(condition.place,
                           "state must be waiting, active, done, failed, cancelled or refused");
        }
    }
    return state;
}

}  // namespace kaname::service
