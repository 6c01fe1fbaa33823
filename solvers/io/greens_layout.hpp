// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/io/greens_dataset.hpp"

/// Names and attributes of the plain columns of a dataset, shared by its writer and reader.
namespace kaname::io::layout {

template <typename Row>
struct Column {
    const char* name;
    double Row::*member;
    const char* units;
    const char* long_name;
};

using Source = GreensDataset::Source;
using Station = GreensDataset::Station;

inline constexpr std::array<Column<Source>, 8> kSourceColumns = {{
    {"rake", &Source::rake_deg, "degree", "rake of unit slip"},
    {"patch_lon", &Source::lon_deg, "degrees_east", "longitude of patch centre"},
    {"patch_lat", &Source::lat_deg, "degrees_north", "latitude of patch centre"},
    {"patch_depth", &Source::depth_m, "m", "depth of patch centre below sea level"},
    {"strike", &Source::strike_deg, "degree", "strike at patch centre, clockwise from true north"},
    {"dip", &Source::dip_deg, "degree", "dip at patch centre, to the right of strike"},
    {"patch_length", &Source::length_m, "m", "patch spacing along strike"},
    {"patch_width", &Source::width_m, "m", "patch spacing down dip"},
}};

inline constexpr std::array<Column<Station>, 6> kStationColumns = {{
    {"station_lon", &Station::lon_deg, "degrees_east", "longitude of station as requested"},
    {"station_lat", &Station::lat_deg, "degrees_north", "latitude of station as requested"},
    {"station_depth", &Station::depth_m, "m", "depth of station as requested"},
    {"snapped_lon", &Station::snapped_lon_deg, "degrees_east", "longitude of point in model"},
    {"snapped_lat", &Station::snapped_lat_deg, "degrees_north", "latitude of point in model"},
    {"snapped_depth", &Station::snapped_depth_m, "m", "depth of point in model"},
}};

struct OutlineColumn {
    const char* name;
    double (Source::*member)[4];
    const char* units;
    const char* long_name;
};

inline constexpr std::array<OutlineColumn, 3> kOutlineColumns = {{
    {"outline_lon", &Source::outline_lon_deg, "degrees_east", "longitude of patch corner"},
    {"outline_lat", &Source::outline_lat_deg, "degrees_north", "latitude of patch corner"},
    {"outline_depth", &Source::outline_depth_m, "m", "depth of patch corner below sea level"},
}};

[[nodiscard]] inline std::string reduced_group(std::size_t source) {
    return "reduced_model/" + std::to_string(source);
}

inline constexpr std::array<const char*, 3> kComponents = {"east", "north", "up"};
inline constexpr std::size_t kCorners = 4;

}  // namespace kaname::io::layout
