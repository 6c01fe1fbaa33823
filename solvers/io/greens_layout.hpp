// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

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

/// Of the tables above, what an unprojected dataset has in place of longitudes and latitudes.
inline constexpr std::array<Column<Source>, 2> kPlainSourceColumns = {{
    {"patch_x", &Source::x_m, "m", "x of patch centre"},
    {"patch_y", &Source::y_m, "m", "y of patch centre"},
}};
inline constexpr std::array<Column<Station>, 4> kPlainStationColumns = {{
    {"station_x", &Station::x_m, "m", "x of station as requested"},
    {"station_y", &Station::y_m, "m", "y of station as requested"},
    {"snapped_x", &Station::snapped_x_m, "m", "x of point in model"},
    {"snapped_y", &Station::snapped_y_m, "m", "y of point in model"},
}};

/// The plain columns of a dataset: those of places on the globe only where it has a projection.
template <typename Row, std::size_t n, std::size_t m>
[[nodiscard]] std::vector<Column<Row>> columns_of(const std::array<Column<Row>, n>& projected,
                                                  const std::array<Column<Row>, m>& plain,
                                                  bool is_projected) {
    std::vector<Column<Row>> columns;
    for (const Column<Row>& column : projected) {
        const std::string_view units = column.units;
        if (is_projected || (units != "degrees_east" && units != "degrees_north")) {
            columns.push_back(column);
        }
    }
    if (!is_projected) {
        columns.insert(columns.end(), plain.begin(), plain.end());
    }
    return columns;
}
[[nodiscard]] inline std::vector<Column<Source>> source_columns(bool is_projected) {
    return columns_of(kSourceColumns, kPlainSourceColumns, is_projected);
}
[[nodiscard]] inline std::vector<Column<Station>> station_columns(bool is_projected) {
    return columns_of(kStationColumns, kPlainStationColumns, is_projected);
}

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

inline constexpr std::array<OutlineColumn, 3> kPlainOutlineColumns = {{
    {"outline_x", &Source::outline_x_m, "m", "x of patch corner"},
    {"outline_y", &Source::outline_y_m, "m", "y of patch corner"},
    {"outline_depth", &Source::outline_depth_m, "m", "depth of patch corner below sea level"},
}};
[[nodiscard]] inline const std::array<OutlineColumn, 3>& outline_columns(bool is_projected) {
    return is_projected ? kOutlineColumns : kPlainOutlineColumns;
}

// Values of the attribute unit: displacement per slip, or for the slip of the sources' tables.
inline constexpr const char* kUnitOfUnitSlip = "m per m of slip";
inline constexpr const char* kUnitOfTables = "m";
inline constexpr const char* kNoCrs = "none";  // value of the attribute crs

[[nodiscard]] inline std::string reduced_group(std::size_t source) {
    return "reduced_model/" + std::to_string(source);
}

inline constexpr std::array<const char*, 3> kComponents = {"east", "north", "up"};
inline constexpr std::size_t kCorners = 4;

}  // namespace kaname::io::layout
