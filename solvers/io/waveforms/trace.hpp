// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
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

/// The direction of positive values: clockwise from true north, and downwards from the horizontal
/// (up is -90).
struct Orientation {
    double azimuth_deg = 0.0;
    double dip_deg = 0.0;
};

/// The way from an event to a station along the WGS84 ellipsoid: its length, its azimuth at the
/// event and the azimuth of the event at the station, clockwise from true north in 0 to 360, and
/// the angle between both seen from the centre of the Earth.
struct EventPath {
    double distance_m = 0.0;
    double azimuth_deg = 0.0;
    double back_azimuth_deg = 0.0;
    double arc_deg = 0.0;
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
    std::optional<Orientation> orientation;
    std::optional<EventPath> path;
};

/// A file's times may be off by this share of the sample interval: what a format cannot say more
/// exactly than that is refused. Programs that join records take half an interval for a gap.
inline constexpr double kTimeTolerance = 0.05;

/// Returns seconds after 1970 of a time of UTC: "2016-11-13T11:02:56.34Z", the letters T and Z, the
/// time of day and the fraction may be absent. Throws InvalidArgument naming `field` for other
/// texts and for years other than 1900 to 2100.
[[nodiscard]] double utc_seconds(const std::string& field, const std::string& text);
/// Returns such a text, to the microsecond, for XML and tables.
[[nodiscard]] std::string utc_text(double seconds);

/// "KN.ABC.00.HXZ", for messages.
[[nodiscard]] std::string name_of(const Trace& trace);

/// Throws InvalidArgument unless there are samples, dt_s is finite and above 0, and the first
/// sample lies in the years 1900 to 2100, by which readers of both formats tell the byte order.
void check_times(const Trace& trace);

/// Returns true if a reader that takes samples to be `written_s` apart places each of them, the
/// last one too, within kTimeTolerance of its time. The samples are really `dt_s` apart.
[[nodiscard]] bool keeps_time(const Trace& trace, double written_s);

/// Throws InvalidArgument with field, value and rule unless the value is printable ASCII of at most
/// `most` characters.
void check_text(const std::string& field, const std::string& value, std::size_t most);

/// Throws likewise unless the value is `least` to `most` capital letters and digits.
void check_code(const std::string& field, const std::string& value, std::size_t least,
                std::size_t most);

}  // namespace kaname::io
