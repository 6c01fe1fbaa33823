// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::io {

/// A place on the globe; an event's elevation is negative below sea level.
struct GeoPlace {
    double lat_deg = 0.0;
    double lon_deg = 0.0;
    double elevation_m = 0.0;
};

/// One component at one station, evenly sampled: sample i is at start_s + i dt_s. Codes are written
/// as they are; each format says how long they may be.
struct Trace {
    std::string network, station, location, channel;
    double start_s = 0.0;  ///< of the first sample, after 1970-01-01T00:00:00 UTC, no leap seconds
    double dt_s = 0.0;
    std::vector<float> values;
    std::string units = "m";  ///< of the values: "m", "m/s", "Pa" ...

    // SAC's header also has room for the following.
    std::optional<GeoPlace> station_place, event_place;
    std::optional<Vec3> station_point, event_point;  ///< in the model's frame [m]
    std::optional<double> origin_after_start_s;      ///< of the event; negative: before sample 0
    std::string event;                               ///< its name
};

}  // namespace kaname::io
