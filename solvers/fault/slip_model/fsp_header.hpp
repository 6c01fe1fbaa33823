// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/text_file.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"

namespace kaname::slip_model {

/// Value of "KEY = 12.3" in a header line, case ignored; nothing when the key is not there or has
/// 999, SRCMOD's mark for unknown. Refuses a value that is no number.
[[nodiscard]] std::optional<double> fsp_value(const TextLine& line, std::string_view key);

/// Which point of a patch LAT, LON and Z name.
enum class FspPoint { Centre, TopCentre };

/// Holds the values of the lines that start with % in a SRCMOD file. They are read in order: a
/// segment's header overrides earlier values.
struct FspHeader {
    std::string event;
    std::optional<double> hypocentre_lat_deg, hypocentre_lon_deg, hypocentre_depth_m;
    std::optional<double> mw, moment_nm;
    std::optional<double> strike_deg, dip_deg, rake_deg;
    std::optional<double> top_depth_m;        ///< Htop or Z2top of the plane
    std::optional<double> length_m, width_m;  ///< size of the segment
    std::optional<double> dx_m, dz_m;         ///< size of a patch
    std::optional<double> n_strike, n_dip;
    std::optional<double> n_patches, n_segments;
    std::optional<double> window_s, window_shift_s;  ///< of several time windows of slip
    std::optional<FspPoint> point;
    std::vector<std::string> columns;  ///< upper case: LAT, LON, Z, SLIP, ...
    TextLine columns_line;
    int segment = 0;  ///< 0 before the first SEGMENT line
    RigidityTable rigidity;
    std::vector<std::string> warnings;

    /// Reads one line that starts with %.
    void read(const TextLine& line);

private:
    void read_layer(const TextLine& line);

    bool in_layers_ = false;
    bool layers_usable_ = true;
};

}  // namespace kaname::slip_model
