// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/base/units.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"

namespace kaname::io {

/// greens of a small dataset, distinct integers that say where they belong.
inline double small_value(std::size_t source, std::size_t epoch, std::size_t station,
                          std::size_t component) {
    return static_cast<double>(1000 * (source + 1) + 100 * epoch + 10 * station + component);
}

/// Two rows and three columns of patches with strike slip and dip slip, three epochs (0, 1 and
/// 3.5 years), four stations: every axis has another extent.
inline GreensDataset small_greens() {
    GreensDataset d;
    d.name = "small fault";
    d.title = "Small dataset";
    for (int row = 0; row < 2; ++row) {
        for (int column = 0; column < 3; ++column) {
            for (const bool is_dip : {false, true}) {
                GreensDataset::Source source;
                source.patch_id = "s0" + std::to_string(column) + "d0" + std::to_string(row);
                source.component = is_dip ? "dip_slip" : "strike_slip";
                source.id = source.patch_id + "/" + source.component;
                source.rake_deg = is_dip ? 90.0 : 0.0;
                source.lon_deg = 135.25 + 0.5 * column;
                source.lat_deg = 33.0 - 0.1 * row;
                source.depth_m = 5e3 + 1e4 * row;
                source.x_m = 1e4 * column;
                source.y_m = -2e3 * row;
                source.strike_deg = 90.0;
                source.dip_deg = 45.0;
                source.length_m = 2e4;
                source.width_m = 1e4;
                source.status = 1;
                source.grid_row = row;
                source.grid_column = column;
                for (int corner = 0; corner < 4; ++corner) {
                    const bool is_end = corner == 1 || corner == 2;
                    const bool is_bottom = corner > 1;
                    source.outline_lon_deg[corner] = 135.0 + 0.5 * column + (is_end ? 0.5 : 0.0);
                    source.outline_lat_deg[corner] = 33.0 - 0.1 * (row + (is_bottom ? 1 : 0));
                    source.outline_x_m[corner] = 1e4 * (column + (is_end ? 1 : 0));
                    source.outline_y_m[corner] = -2e3 * (row + (is_bottom ? 1 : 0));
                    source.outline_depth_m[corner] = 1e4 * (row + (is_bottom ? 1 : 0));
                }
                d.sources.push_back(source);
            }
        }
    }
    d.epochs_s = {0.0, kJulianYear_s, 3.5 * kJulianYear_s};
    d.stations = {{"A", 135.0, 33.0, -20.0, 135.0, 33.0, 0.0},
                  {"M.B", 135.5, 33.1, 0.0, 135.5, 33.1, 0.0},
                  {"室戸", 134.2, 33.3, -10.0, 134.2, 33.3, 0.0},
                  {"D, \"4\"", 136.0, 33.9, 2000.0, 136.0, 33.9, 0.0}};
    for (std::size_t i = 0; i < d.stations.size(); ++i) {
        d.stations[i].x_m = 1e3 * static_cast<double>(i);
        d.stations[i].y_m = -500.0;
    }
    for (std::size_t source = 0; source < d.sources.size(); ++source) {
        for (std::size_t epoch = 0; epoch < d.epochs_s.size(); ++epoch) {
            for (std::size_t station = 0; station < d.stations.size(); ++station) {
                for (std::size_t component = 0; component < 3; ++component) {
                    d.greens.push_back(small_value(source, epoch, station, component));
                }
            }
        }
    }
    d.step_time_s = {0.0};
    d.iterations.assign(d.sources.size(), 9);
    d.residual.assign(d.sources.size(), 1e-9);
    d.initial_residual.assign(d.sources.size(), 1.0);
    d.crs_wkt = "PROJCRS[\"unknown\"]";
    d.specification_json = "{\"name\":\"small\"}";
    d.kaname_version = "0.1.0";
    d.mesh_sha256 = "ab";
    d.material_sha256 = "cd";
    d.tolerance = 1e-8;
    d.dof = 123456;
    return d;
}

}  // namespace kaname::io
