// SPDX-License-Identifier: BSD-3-Clause
// Tables of the project's own: a row per patch, by its centre or by its corners.
#include <array>

#include "solvers/base/csv_table.hpp"
#include "solvers/fault/slip_model/corner_patch.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/readers.hpp"

namespace kaname::slip_model {
namespace {

void read_shared_columns(const CsvTable& table, const CsvTable::Row& row, SlipPatch& patch) {
    patch.id = table.has("patch") ? std::string(table.text(row, "patch"))
                                  : std::to_string(row.line.number);
    patch.rake_deg = table.number(row, "rake_deg");
    patch.slip_m = table.number(row, "slip_m");
    patch.opening_m = table.number_if(row, "opening_m").value_or(0.0);
    patch.rupture_time_s = table.number_if(row, "rupture_time_s");
    patch.rise_time_s = table.number_if(row, "rise_time_s");
    patch.moment_nm = table.number_if(row, "moment_Nm");
}

}  // namespace

SlipModel read_patch_csv(const TextFile& file) {
    const CsvTable table(
        file,
        {"patch",           "lon_centre_deg", "lat_centre_deg",  "east_centre_km", "east_centre_m",
         "north_centre_km", "north_centre_m", "depth_centre_km", "depth_centre_m", "length_km",
         "length_m",        "width_km",       "width_m",         "strike_deg",     "dip_deg",
         "rake_deg",        "slip_m",         "opening_m",       "rupture_time_s", "rise_time_s",
         "moment_Nm"});
    SlipModel model;
    model.geographic = table.has("lon_centre_deg") || table.has("lat_centre_deg");
    for (const CsvTable::Row& row : table.rows()) {
        SlipPatch patch;
        if (model.geographic) {
            patch.lon_deg = table.number(row, "lon_centre_deg");
            patch.lat_deg = table.number(row, "lat_centre_deg");
        } else {
            patch.east_m = table.metres(row, "east_centre");
            patch.north_m = table.metres(row, "north_centre");
        }
        patch.depth_m = table.metres(row, "depth_centre");
        patch.length_m = table.metres(row, "length");
        patch.width_m = table.metres(row, "width");
        patch.strike_deg = table.number(row, "strike_deg");
        patch.dip_deg = table.number(row, "dip_deg");
        read_shared_columns(table, row, patch);
        add_patch(model, patch, row.line);
    }
    split_into_segments(model);
    return model;
}

SlipModel read_corner_csv(const TextFile& file) {
    const CsvTable table(
        file, {"patch", "lon0_deg", "lat0_deg", "depth0_km", "lon1_deg", "lat1_deg", "depth1_km",
               "lon2_deg", "lat2_deg", "depth2_km", "lon3_deg", "lat3_deg", "depth3_km", "rake_deg",
               "slip_m", "opening_m", "rupture_time_s", "rise_time_s", "moment_Nm"});
    SlipModel model;
    for (const CsvTable::Row& row : table.rows()) {
        std::array<Place, 4> corners;
        for (int i = 0; i < 4; ++i) {
            const std::string n = std::to_string(i);
            const std::string lat = "lat" + n + "_deg";
            corners[i] = {table.number(row, "lon" + n + "_deg"),
                          row.line.number_in(lat, table.text(row, lat), -89.9, 89.9,
                                             "must be from -89.9 to 89.9 degrees"),
                          kMetresPerKm * table.number(row, "depth" + n + "_km")};
        }
        SlipPatch patch = patch_of_corners(corners, row.line);
        read_shared_columns(table, row, patch);
        add_patch(model, patch, row.line);
    }
    split_into_segments(model);
    return model;
}

}  // namespace kaname::slip_model
