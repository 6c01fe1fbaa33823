// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/fault/slip_model/read_slip_model.hpp"
#include "solvers/fault/slip_model/slip_sampler.hpp"
#include "solvers/jobs/spec/time_spec.hpp"

namespace kaname::jobs {

/// A slip model as events refer to it; equal ones are one source.
struct SlipModelSpec {
    std::string id;     ///< id of the source: that of the first event with this model
    std::string field;  ///< "events[0].slip_model" or "events[0].patches", for messages
    std::string path;   ///< path of a file, or else:
    std::vector<slip_model::SlipPatch> patches;
    std::string format;            ///< format of the file; empty: found from the file
    slip_model::ReadOptions read;  ///< what the file leaves unsaid, but for its format
    /// Place where the coordinates of a file in a local frame are zero.
    struct Origin {
        double lon_deg = 0.0, lat_deg = 0.0, x_m = 0.0, y_m = 0.0;
    };
    std::optional<Origin> origin;
    slip_model::Interpolation interpolation = slip_model::Interpolation::Auto;
    double max_distance_m = 0.0;  ///< 0: one patch width
    std::string key;              ///< key of what the model says
};

struct ScenarioEvent {
    std::string name;
    int model = 0;  ///< index into Scenario::models
    double time_s = 0.0, scale = 1.0;
    SlipHistory history;
    int repeats = 1;
    double interval_s = 0.0;
};

/// Coulomb stress change in the whole volume, or at a place.
struct ReceiverSpec {
    std::string name;
    double strike_deg = 0.0, dip_deg = 0.0, rake_deg = 0.0, friction = 0.0, skempton = 0.0;
    struct Place {
        double lon_deg, lat_deg, depth_m;
    };
    std::optional<Place> at;
};

struct VolumeSpec {
    std::vector<double> epochs_s;  ///< none: no volume
    std::vector<ReceiverSpec> receivers;
};

/// Events whose motion is added up. Its sources are the slip models.
struct Scenario {
    std::vector<SlipModelSpec> models;
    std::vector<ScenarioEvent> events;
    std::string total_id;  ///< id of the source that is the sum of all events
    VolumeSpec volume;
};

}  // namespace kaname::jobs
