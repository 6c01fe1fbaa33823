// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"

namespace kaname::request {

inline constexpr const char* kScenarioSchema = "kaname.v1.Scenario";

/// Id of the source of a scenario's dataset that is the sum of all events.
inline constexpr const char* kTotal = "total";

[[nodiscard]] inline bool is_scenario(const v1::GreensBatch& batch) {
    return batch.schema() == kScenarioSchema;
}

/// Returns true for a scenario without events whose sides neither move nor bear a load.
[[nodiscard]] bool nothing_moves(const v1::GreensBatch& batch);

/// The slip models of a scenario's events: events whose models say the same, whatever their times
/// and scales, share one.
struct SlipModels {
    std::vector<v1::SlipEvent> model;  ///< each alone, without name, time, scale and history
    std::vector<std::string> name;     ///< name of the first event that has it: the source's id
    std::vector<int> first_event;      ///< index of that event
    std::vector<int> of_event;         ///< [events] index into `model`
};
[[nodiscard]] SlipModels slip_models(const v1::GreensBatch& batch);

}  // namespace kaname::request
