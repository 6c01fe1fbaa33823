// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/waves.pb.h"
#include "solvers/base/error.hpp"

namespace kaname::request {

/// An observation point, from the list of the request or from a station file.
struct RequestStation {
    std::string id;
    double lon_deg = 0.0;
    double lat_deg = 0.0;
    std::optional<double> depth_m;  ///< below sea level; absent: at the model's surface
    std::string field;              ///< where it stands: "stations.list[3]", "gnss.csv:17"
    bool plain = false;             ///< given by x and y, without a place on the globe
    double x_m = 0.0;
    double y_m = 0.0;
    /// Unit vector (east, north, up) along which alone it is observed.
    std::optional<std::array<double, 3>> look = {};
};

/// A unit vector along this direction; none where all three are 0.
[[nodiscard]] std::optional<std::array<double, 3>> unit_look(double east, double north, double up);

/// Stations of a comma-separated file. The first line that is neither blank nor a comment (#)
/// names the columns: station, lon_deg, lat_deg (or x_m, y_m) and optionally depth_m, in any order;
/// also look_east, look_north, look_up where stations are observed along one line; others are
/// passed over. Cells may be quoted; an empty depth means the model's surface. Throws
/// ValidationError with every bad row as "file:line", Error when it cannot be read.
[[nodiscard]] std::vector<RequestStation> read_station_csv(const std::string& path);

/// Receivers of station files (read_station_csv) join the list, without a depth on the ground, and
/// the files leave the message, which then says all by itself. Files that resolve_files() has not
/// found stay. What is wrong with rows joins `broken`.
void take_receivers(google::protobuf::RepeatedPtrField<v1::File>& files,
                    google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers,
                    std::vector<Violation>& broken);

}  // namespace kaname::request
