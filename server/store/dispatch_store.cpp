// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/dispatch_store.hpp"

#include <array>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::store {
namespace {

constexpr std::array<std::pair<DispatchState, std::string_view>, 5> kStates = {
    {{DispatchState::Intended, "intended"},
     {DispatchState::Submitted, "submitted"},
     {DispatchState::Running, "running"},
     {DispatchState::Unknown, "unknown"},
     {DispatchState::Ended, "ended"}}};

}  // namespace

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

}  // namespace kaname::store
