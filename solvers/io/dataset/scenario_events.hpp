// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {

/// Describes one event in a scenario's dataset.
struct ScenarioEventRow {
    std::string name;
    std::string source_id;  ///< its slip model: the first event that has it
    std::string history;    ///< step, ramp, ...
    double time_s = 0.0, interval_s = 0.0;
    double scale = 1.0, repeats = 1.0;
    double moment_nm = 0.0, mw = 0.0;  ///< each time it happens, on the meshed fault
    double max_slip_m = 0.0;
    /// Slip times area on the meshed fault over that of the model's patches; NaN for slip at
    /// points.
    double potency_ratio = 0.0;
};

/// Group "events" with the dimension event, their names, and a variable per member. Nothing is
/// written without events, and none are read where there is no group.
void write_events(const GroupWriter& root, const std::vector<ScenarioEventRow>& events);
[[nodiscard]] std::vector<ScenarioEventRow> read_events(const h5::File& file);

}  // namespace kaname::io
