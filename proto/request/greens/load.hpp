// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/form/json.hpp"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "proto/request/greens/stations.hpp"

namespace kaname::request {

/// A request that keeps every rule that needs no geometry.
struct LoadedBatch {
    v1::GreensBatch batch;                 ///< defaults filled, file paths absolute, sha256 set
    std::vector<RequestStation> stations;  ///< from stations.list, then from each of stations.files
    /// Size at the fault and box in place of what was left out, in words; empty: none.
    std::string chosen = {};
};

/// A request as users write it. Throws ValidationError with everything that is wrong with
/// it, its files and their rows (with lines of the YAML); Error when the file is no YAML at all.
[[nodiscard]] LoadedBatch load_batch_file(const std::string& path);

/// A request that to_json() wrote; checked in the same way, and that files still are those
/// it was written for.
[[nodiscard]] LoadedBatch load_batch_json(const std::string& path);

/// A request that came as a message; its files have absolute paths. Checked in the same way;
/// `reading` says what was read of YAML, if it was.
[[nodiscard]] LoadedBatch load_batch(v1::GreensBatch batch, YamlReading reading = {});

/// The message in the text that to_json() wrote; nothing is checked but that it is one. `name`
/// begins the message of the error. Throws InvalidArgument.
[[nodiscard]] v1::GreensBatch parse_json(const std::string& text, const std::string& name);

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
[[nodiscard]] std::vector<StationForce> station_forces(const std::vector<RequestStation>& stations);

/// Settles solve_by auto: receivers where these are fewer solves and the batch can be solved so.
/// `surface_open`: output.surface was left out, and with receivers is none. Returns what was chosen
/// in words, empty where nothing was.
std::string choose_solve_by(v1::GreensBatch& batch, const std::vector<RequestStation>& stations,
                            bool surface_open);

/// solve_by, what goes along with receivers, and the directions that stations look in.
void check_solve_by(const v1::GreensBatch& batch, const std::vector<RequestStation>& stations,
                    Rules& rules);

}  // namespace kaname::request
