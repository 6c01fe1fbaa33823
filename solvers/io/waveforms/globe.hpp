// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "solvers/earth/projection.hpp"
#include "solvers/io/waveforms/trace.hpp"

namespace kaname::io {

/// Returns the way from an event to a station, each the centre of an azimuthal equidistant
/// projection, which keeps distances and azimuths from there.
[[nodiscard]] EventPath path_between(const earth::Projection& event,
                                     const earth::Projection& station);

/// Turns the horizontal motion of a station from x and y of the model to true east and north: x
/// points to the azimuth 90 degrees + turn_deg, y to turn_deg, clockwise from true north. The
/// third component is up and stays.
void turn_to_north(double turn_deg, std::span<float> x, std::span<float> y);

/// Writes FDSN StationXML 1.2 of the stations and channels of traces, each once, in the order of
/// the first trace of it: places, azimuth and dip, sampling rate, and a sensitivity of 1 in the
/// traces' units. Stations and channels begin at the first trace's start. A sensor's depth is 0:
/// its elevation counts for the ground's, too. `software` is named as the module. The file appears
/// under its name when it is complete. Throws InvalidArgument for a trace without a place or an
/// orientation, Unavailable when the file cannot be written.
void write_station_xml(const std::string& path, std::span<const Trace> traces,
                       const std::string& software);

}  // namespace kaname::io
