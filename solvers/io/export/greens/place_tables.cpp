// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/greens/place_tables.hpp"

#include "solvers/base/units.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/export_text.hpp"

namespace kaname::io {

PlanePlace station_place(const GreensDataset& rows, std::size_t station) {
    const GreensDataset::Station& row = rows.stations[station];
    return rows.projected ? PlanePlace{row.lon_deg, row.lat_deg} : PlanePlace{row.x_m, row.y_m};
}

PlanePlace patch_place(const GreensDataset& rows, const GreensDataset::Source& patch) {
    return rows.projected ? PlanePlace{patch.lon_deg, patch.lat_deg}
                          : PlanePlace{patch.x_m, patch.y_m};
}

PlanePlace corner_place(const GreensDataset& rows, const GreensDataset::Source& patch,
                        std::size_t corner) {
    return rows.projected ? PlanePlace{patch.outline_lon_deg[corner], patch.outline_lat_deg[corner]}
                          : PlanePlace{patch.outline_x_m[corner], patch.outline_y_m[corner]};
}

std::array<std::string, 2> place_columns(const GreensDataset& rows) {
    return rows.projected ? std::array<std::string, 2>{"lon_deg", "lat_deg"}
                          : std::array<std::string, 2>{"x_m", "y_m"};
}

std::string degrees_or_km(const GreensDataset& rows, PlanePlace at) {
    const double scale = rows.projected ? 1.0 : kMetresPerKm;
    return exact(at.x / scale) + " " + exact(at.y / scale);
}

void write_place_tables(const ExportCall& call, ExportRecord& record) {
    const GreensDataset& rows = call.source.rows();
    const auto [x, y] = place_columns(rows);
    BinaryFile stations(call.path("stations.csv"));
    stations.text("station," + x + "," + y + ",depth_m\n");
    for (std::size_t i = 0; i < rows.stations.size(); ++i) {
        const PlanePlace at = station_place(rows, i);
        stations.text(csv_cell(rows.stations[i].id) + "," + exact(at.x) + "," + exact(at.y) + "," +
                      exact(rows.stations[i].depth_m) + "\n");
    }
    stations.commit();
    BinaryFile patches(call.path("patches.csv"));
    patches.text("patch," + x + "," + y +
                 ",depth_m,strike_deg,dip_deg,length_m,width_m,area_m2,grid_row,grid_column\n");
    for (std::size_t i = 0; i < call.source.n_patches(); ++i) {
        const GreensDataset::Source& patch = call.source.patch(i);
        const PlanePlace at = patch_place(rows, patch);
        patches.text(csv_cell(patch.patch_id));
        for (const double value : {at.x, at.y, patch.depth_m, patch.strike_deg, patch.dip_deg,
                                   patch.length_m, patch.width_m, patch.patch_area_m2}) {
            patches.text("," + exact(value));
        }
        patches.text("," + std::to_string(patch.grid_row) + "," +
                     std::to_string(patch.grid_column) + "\n");
    }
    patches.commit();
    record.files.push_back({"stations.csv", "stations in their order, as requested"});
    record.files.push_back({"patches.csv", "centres of the patches in their order"});
}

}  // namespace kaname::io
