// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/globe.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/export/binary_file.hpp"

namespace kaname::io {
namespace {

/// Azimuth in 0 to 360 and distance of a place from the centre of an azimuthal equidistant
/// projection, which keeps both.
std::array<double, 2> seen_from(const earth::Projection& centre, earth::LonLat place) {
    const earth::MapPoint at = centre.forward(place);
    const double azimuth_deg = std::atan2(at.x_m, at.y_m) / kDegree;
    return {azimuth_deg < 0.0 ? azimuth_deg + 360.0 : azimuth_deg, std::hypot(at.x_m, at.y_m)};
}

/// The direction of a place from the centre of the Earth.
Vec3 from_centre(earth::LonLat place) {
    constexpr double kSquaredAxes = 0.99330562000986;  // (b / a)^2 of WGS84
    const double lat = std::atan(kSquaredAxes * std::tan(place.lat_deg * kDegree));
    const double lon = place.lon_deg * kDegree;
    return {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon), std::sin(lat)};
}

}  // namespace

EventPath path_between(const earth::Projection& event, const earth::Projection& station) {
    EventPath path;
    const auto [azimuth_deg, distance_m] = seen_from(event, station.centre());
    path.azimuth_deg = azimuth_deg;
    path.distance_m = distance_m;
    path.back_azimuth_deg = seen_from(station, event.centre())[0];
    const Vec3 a = from_centre(event.centre()), b = from_centre(station.centre());
    path.arc_deg = std::atan2(norm(cross(a, b)), dot(a, b)) / kDegree;
    return path;
}

void turn_to_north(double turn_deg, std::span<float> x, std::span<float> y) {
    const double c = std::cos(turn_deg * kDegree), s = std::sin(turn_deg * kDegree);
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
        const double along_x = x[i], along_y = y[i];
        x[i] = static_cast<float>(c * along_x + s * along_y);
        y[i] = static_cast<float>(c * along_y - s * along_x);
    }
}

namespace {

std::string element(int indent, const std::string& name, const std::string& text) {
    return std::string(static_cast<std::size_t>(indent), ' ') + "<" + name + ">" +
           xml_escaped(text) + "</" + name + ">\n";
}

std::string degrees(double value) {
    return formatted("%.7f", value);
}

/// Longitudes of StationXML lie in -180 to 180.
double within_half_a_turn(double lon_deg) {
    return lon_deg > 180.0 ? lon_deg - 360.0 : lon_deg < -180.0 ? lon_deg + 360.0 : lon_deg;
}

std::string place_text(int indent, const GeoPlace& place) {
    return element(indent, "Latitude", degrees(place.lat_deg)) +
           element(indent, "Longitude", degrees(within_half_a_turn(place.lon_deg))) +
           element(indent, "Elevation", formatted("%.3f", place.elevation_m));
}

std::string unit_text(const std::string& name, const std::string& unit) {
    return "            <" + name + ">\n" + element(14, "Name", unit) + "            </" + name +
           ">\n";
}

std::string channel_text(const Trace& trace, const std::string& start) {
    return "      <Channel code=\"" + xml_escaped(trace.channel) + "\" locationCode=\"" +
           xml_escaped(trace.location) + "\" startDate=\"" + start + "\">\n" +
           place_text(8, *trace.station_place) + element(8, "Depth", "0.0") +
           element(8, "Azimuth", degrees(trace.orientation->azimuth_deg)) +
           element(8, "Dip", degrees(trace.orientation->dip_deg)) +
           element(8, "Type", "SYNTHESIZED") +
           element(8, "SampleRate", formatted("%.12g", 1.0 / trace.dt_s)) +
           "        <Response>\n          <InstrumentSensitivity>\n" + element(12, "Value", "1") +
           element(12, "Frequency", "1") + unit_text("InputUnits", trace.units) +
           unit_text("OutputUnits", trace.units) +
           "          </InstrumentSensitivity>\n        </Response>\n      </Channel>\n";
}

void check_station(const Trace& trace) {
    if (!trace.station_place || !trace.orientation) {
        throw Error(ErrorCode::InvalidArgument, "StationXML, trace " + name_of(trace) +
                                                    ": must have the place of its station on the "
                                                    "globe and an orientation");
    }
}

}  // namespace

void write_station_xml(const std::string& path, std::span<const Trace> traces,
                       const std::string& software) {
    if (traces.empty()) {
        throw Error(ErrorCode::InvalidArgument, path + ": traces must hold one at least, got none");
    }
    const std::string start = utc_text(traces.front().start_s);
    std::vector<std::string> order;  // of networks
    std::map<std::string, std::vector<std::string>> stations;
    std::map<std::pair<std::string, std::string>, std::string> heads, channels;
    std::set<std::string> known;
    for (const Trace& trace : traces) {
        check_station(trace);
        const std::pair key(trace.network, trace.station);
        if (!stations.contains(trace.network)) {
            order.push_back(trace.network);
        }
        if (!heads.contains(key)) {
            stations[trace.network].push_back(trace.station);
            heads[key] = place_text(6, *trace.station_place) + "      <Site>\n" +
                         element(8, "Name", trace.station) + "      </Site>\n";
        }
        if (known.insert(name_of(trace)).second) {
            channels[key] += channel_text(trace, start);
        }
    }
    const auto now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<FDSNStationXML "
        "xmlns=\"http://www.fdsn.org/xml/station/1\" schemaVersion=\"1.2\">\n" +
        element(2, "Source", "Kaname") + element(2, "Module", software) +
        element(2, "Created", utc_text(now.count()));
    for (const std::string& network : order) {
        text += "  <Network code=\"" + xml_escaped(network) + "\" startDate=\"" + start + "\">\n" +
                element(4, "Description", "synthetic seismograms");
        for (const std::string& station : stations[network]) {
            const std::pair key(network, station);
            text += "    <Station code=\"" + xml_escaped(station) + "\" startDate=\"" + start +
                    "\">\n" + heads[key] + channels[key] + "    </Station>\n";
        }
        text += "  </Network>\n";
    }
    write_file(path, text + "</FDSNStationXML>\n");
}

}  // namespace kaname::io
