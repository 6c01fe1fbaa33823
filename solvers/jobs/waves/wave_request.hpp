// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "solvers/earth/projection.hpp"
#include "solvers/jobs/spec/solver_spec.hpp"

namespace kaname::jobs {

/// A place by x, y, z of the model's frame; on the globe by longitude, latitude and depth below sea
/// level, without a depth on the ground.
struct WavePlace {
    std::array<double, 3> xyz_m{};
    std::optional<earth::LonLat> globe;
    std::optional<double> depth_m;
    bool on_the_ground = false;  ///< x and y alone count
};

/// A source as results know it.
struct WaveName {
    std::string id, key, field;  ///< field: its path in the specification
};

struct WaveReceiver {
    std::string id, field;
    WavePlace at;
};

/// WaveRequest holds what jobs for waves have in common, whatever solves them.
struct WaveRequest {
    std::string name, title;
    std::vector<WaveReceiver> receivers;
    double end_s = 0.0;
    std::vector<double> snapshots_s;
    bool checkpoint = true;
    std::optional<double> checkpoint_interval_s;
    Placement placement;
    std::string specification_json;  ///< canonical, for provenance
    std::string version;

    virtual ~WaveRequest() = default;
    /// All sources, in the order of the dataset.
    [[nodiscard]] virtual std::vector<WaveName> names() const = 0;
};

}  // namespace kaname::jobs
