// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/spec/form/rules.hpp"
#include "proto/spec/greens/load.hpp"

namespace kaname::spec {

/// Values of solve_by beside the empty one, which is "sources".
inline constexpr const char* kSolveBySources = "sources";
inline constexpr const char* kSolveByReceivers = "receivers";
inline constexpr const char* kSolveByAuto = "auto";

[[nodiscard]] bool by_receivers(const v1::GreensBatch& batch);

/// A unit force at a station that is solved for in place of sources.
struct StationForce {
    std::string id;     ///< "STATION/east", "/north", "/up"; "STATION/look" of projected data
    std::string place;  ///< where it is and along what, as text
};
/// Returns the unit forces of all stations, in the order of the stations.
[[nodiscard]] std::vector<StationForce> station_forces(const std::vector<SpecStation>& stations);

/// Settles solve_by auto: receivers where these are fewer solves and the batch can be solved so.
/// `surface_open`: output.surface was left out, and with receivers is none. Returns what was chosen
/// in words, empty where nothing was.
std::string choose_solve_by(v1::GreensBatch& batch, const std::vector<SpecStation>& stations,
                            bool surface_open);

/// solve_by, what goes along with receivers, and the directions that stations look in.
void check_solve_by(const v1::GreensBatch& batch, const std::vector<SpecStation>& stations,
                    Rules& rules);

}  // namespace kaname::spec
