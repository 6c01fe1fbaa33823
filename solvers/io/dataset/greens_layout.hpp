// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/group_writer.hpp"

/// Names and attributes of the plain columns of a dataset, shared by its writer and reader.
namespace kaname::io::layout {

template <typename Row>
struct Column {
    const char* name;
    double Row::*member;
    const char* units;
    const char* long_name;
    bool later = false;  ///< files of earlier versions lack it
};

template <typename Row, typename Value>
[[nodiscard]] auto column(std::span<const Row> rows, Value Row::*member) {
    std::vector<Value> values;
    values.reserve(rows.size());
    for (const Row& row : rows) {
        values.push_back(row.*member);
    }
    return values;
}
template <typename Row, typename Value>
[[nodiscard]] auto column(const std::vector<Row>& rows, Value Row::*member) {
    return column(std::span<const Row>(rows), member);
}

using Source = GreensDataset::Source;
using Station = GreensDataset::Station;

/// Attributes of the root that say how it was solved, and how well as predicted; files of earlier
/// versions lack them.
inline constexpr std::array<std::pair<const char*, std::string GreensDataset::*>, 5>
    kWaysOfSolving = {{{"element", &GreensDataset::element},
                       {"time_method", &GreensDataset::time_method},
                       {"solver_method", &GreensDataset::solver_method},
                       {"gravity", &GreensDataset::gravity},
                       {"predicted_error", &GreensDataset::predicted_error}}};

inline constexpr std::array<Column<Source>, 8> kSourceColumns = {{
    {"rake", &Source::rake_deg, "degree", "rake of unit slip"},
    {"patch_lon", &Source::lon_deg, "degrees_east", "longitude of patch centre"},
    {"patch_lat", &Source::lat_deg, "degrees_north", "latitude of patch centre"},
    {"patch_depth", &Source::depth_m, "m", "depth of patch centre below sea level"},
    {"strike", &Source::strike_deg, "degree", "strike at patch centre, clockwise from true north"},
    {"dip", &Source::dip_deg, "degree", "dip at patch centre, to the right of strike"},
    {"patch_length", &Source::length_m, "m", "spacing of the grid of patches along strike"},
    {"patch_width", &Source::width_m, "m", "spacing of the grid of patches down dip"},
}};

inline constexpr std::array<Column<Source>, 8> kMoreSourceColumns = {{
    {"patch_x", &Source::x_m, "m", "x of patch centre in the model", true},
    {"patch_y", &Source::y_m, "m", "y of patch centre in the model", true},
    {"patch_area", &Source::patch_area_m2, "m2", "area of the patch on the fault", true},
    {"slip_length", &Source::slip_length_m, "m", "extent of the slip along strike", true},
    {"slip_width", &Source::slip_width_m, "m", "extent of the slip down dip", true},
    {"slip_area", &Source::slip_area_m2, "m2", "area of the mesh's fault faces that slip", true},
    {"potency", &Source::potency_m3, "m3", "integral of the source's slip over the fault", true},
    {"rigidity", &Source::rigidity_pa, "Pa",
     "shear modulus at the fault, mean of both sides, weighted by slip", true},
}};

inline constexpr std::array<Column<Station>, 6> kStationColumns = {{
    {"station_lon", &Station::lon_deg, "degrees_east", "longitude of station as requested"},
    {"station_lat", &Station::lat_deg, "degrees_north", "latitude of station as requested"},
    {"station_depth", &Station::depth_m, "m", "depth of station as requested"},
    {"snapped_lon", &Station::snapped_lon_deg, "degrees_east", "longitude of point in model"},
    {"snapped_lat", &Station::snapped_lat_deg, "degrees_north", "latitude of point in model"},
    {"snapped_depth", &Station::snapped_depth_m, "m", "depth of point in model"},
}};

/// Only of a dataset with a station that is observed along one line.
inline constexpr std::array<Column<Station>, 3> kLookColumns = {{
    {"station_look_east", &Station::look_east, "1", "direction of observation, true east", true},
    {"station_look_north", &Station::look_north, "1", "direction of observation, true north", true},
    {"station_look_up", &Station::look_up, "1", "direction of observation, up", true},
}};

/// Lists the station columns that an unprojected dataset has in place of longitudes and latitudes.
inline constexpr std::array<Column<Station>, 4> kPlainStationColumns = {{
    {"station_x", &Station::x_m, "m", "x of station as requested"},
    {"station_y", &Station::y_m, "m", "y of station as requested"},
    {"snapped_x", &Station::snapped_x_m, "m", "x of point in model"},
    {"snapped_y", &Station::snapped_y_m, "m", "y of point in model"},
}};

/// Returns true for units of columns that only a dataset with a projection has.
[[nodiscard]] inline bool on_globe(const char* units) {
    return std::string_view(units) == "degrees_east" || std::string_view(units) == "degrees_north";
}
template <class Columns, class Table>
void append(Columns& columns, const Table& table, bool is_projected) {
    for (const auto& column : table) {
        if (is_projected || !on_globe(column.units)) {
            columns.push_back(column);
        }
    }
}
[[nodiscard]] inline std::vector<Column<Source>> source_columns(bool is_projected) {
    std::vector<Column<Source>> columns;
    append(columns, kSourceColumns, is_projected);
    append(columns, kMoreSourceColumns, is_projected);
    return columns;
}
[[nodiscard]] inline std::vector<Column<Station>> station_columns(bool is_projected) {
    std::vector<Column<Station>> columns;
    append(columns, kStationColumns, is_projected);
    if (!is_projected) {
        append(columns, kPlainStationColumns, is_projected);
    }
    return columns;
}

struct OutlineColumn {
    const char* name;
    double (Source::*member)[4];
    const char* units;
    const char* long_name;
    bool later = false;  ///< files of earlier versions lack it
};

inline constexpr std::array<OutlineColumn, 5> kOutlineColumns = {{
    {"outline_lon", &Source::outline_lon_deg, "degrees_east", "longitude of patch corner"},
    {"outline_lat", &Source::outline_lat_deg, "degrees_north", "latitude of patch corner"},
    {"outline_depth", &Source::outline_depth_m, "m", "depth of patch corner below sea level"},
    {"outline_x", &Source::outline_x_m, "m", "x of patch corner in the model", true},
    {"outline_y", &Source::outline_y_m, "m", "y of patch corner in the model", true},
}};
[[nodiscard]] inline std::vector<OutlineColumn> outline_columns(bool is_projected) {
    std::vector<OutlineColumn> columns;
    append(columns, kOutlineColumns, is_projected);
    return columns;
}

// Values of the attribute unit: displacement per slip, or for the slip of the sources' tables.
inline constexpr const char* kUnitOfUnitSlip = "m per m of slip";
inline constexpr const char* kUnitOfTables = "m";
inline constexpr const char* kNoCrs = "none";  // value of the attribute crs

[[nodiscard]] inline std::string reduced_group(std::size_t source) {
    return "reduced_model/" + std::to_string(source);
}

// Values of component for sources that have no single direction of slip.
inline constexpr const char* kSides = "boundary";
inline constexpr const char* kAnySlip = "slip";
inline constexpr std::size_t kCorners = 4;

}  // namespace kaname::io::layout

namespace kaname::io {

/// Holds the solver's record of a dataset's S sources and K steps (incl. the coseismic one).
struct SolveRecords {
    std::vector<std::string> sources;      ///< ids [S]
    std::vector<std::int8_t> status;       ///< [S] 0 missing, 1 done, 2 failed
    std::vector<double> step_time_s;       ///< [K]; NaN at the shifts of a spectrum
    std::vector<std::int32_t> iterations;  ///< [S][K], -1 missing
    std::vector<double> residual;          ///< [S][K] final ||r||/||f||
    std::vector<double> initial_residual;  ///< [S][K] before the first iteration
    std::vector<double> shift_per_s;       ///< [S][K] a spectrum's shifts; else none
};

/// Reads the records of greens.h5, without its values. Throws as read_greens_dataset.
[[nodiscard]] SolveRecords read_solve_records(const std::string& path);

/// Where sources are and what they are beside: every variable of docs/user/dataset.md that has the
/// dimension source and does not tell how it was solved. The dimensions source and corner are
/// there.
void write_source_places(GroupWriter& root, std::span<const GreensDataset::Source> sources,
                         bool projected);

}  // namespace kaname::io
