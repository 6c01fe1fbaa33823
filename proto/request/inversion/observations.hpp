// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proto/kaname/v1/inversion.pb.h"

namespace kaname::request {

/// One number that was observed: the motion of a place along a direction.
struct Observation {
    std::string station;  ///< empty: the file names none
    std::optional<double> lon_deg, lat_deg;
    std::string component;                     ///< "east", "north", "up" or "los"
    double east = 0.0, north = 0.0, up = 0.0;  ///< the direction, a unit vector
    double epoch_s = 0.0;
    std::optional<double> since_s;
    double value = 0.0, sigma = 0.0;  ///< m; of velocities m/year. sigma 0: the file has none
    std::string field;                ///< where it stands: "offsets.csv:17"
};

/// ObservationTable holds the contents of a file of observations.
struct ObservationTable {
    bool velocity = false;
    bool placed = false;                  ///< every row has lon_deg and lat_deg
    std::vector<std::string> components;  ///< those that are read, in the order of the kind
    std::vector<Observation> rows;        ///< line by line, in the order of the components
    std::vector<std::string> warnings;

    /// Rows without a name are stations of their own.
    [[nodiscard]] std::vector<std::string> station_ids() const;
};

/// The table of a set whose kind is known and whose file has an absolute path. The first line that
/// is neither blank nor a comment (#) names the columns, docs/user/inversion.md lists them; blank
/// cells were not observed. `field` is the set's path ("data[0]"). sigma_scale is not applied.
/// Where values will be synthetic, a file without columns of any is read for its places: values are
/// 0. Throws ValidationError with every bad row as "file:line" and what the set itself must say,
/// Error when the file cannot be read.
[[nodiscard]] ObservationTable read_observations(const v1::Observations& set,
                                                 const std::string& field, bool synthetic);

}  // namespace kaname::request
