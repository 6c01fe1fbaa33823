// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/slip_table.hpp"

#include <cmath>
#include <filesystem>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/export_text.hpp"

namespace kaname::io {

std::vector<std::string> write_slip_tables(const std::string& inversion,
                                           const std::string& folder) {
    const h5::File file(inversion, h5::File::Mode::Read);
    if (!file.has("patch_slip") || !file.has("outline_lon")) {
        throw Error(ErrorCode::InvalidArgument,
                    inversion + ": must be an inversion whose patches have a place on the globe");
    }
    const std::vector<std::string> windows = file.read_strings("window");
    const std::vector<std::string> patches = file.read_strings("patch");
    const std::vector<std::string> patch_of_source = file.read_strings("patch_id");
    std::map<std::string, std::size_t> first_source;
    for (std::size_t s = 0; s < patch_of_source.size(); ++s) {
        first_source.try_emplace(patch_of_source[s], s);
    }
    std::map<std::string, std::vector<double>> of_source;
    for (const char* name : {"patch_lon", "patch_lat", "patch_depth", "patch_length", "patch_width",
                             "slip_length", "slip_width", "strike", "dip"}) {
        of_source[name] = file.read<double>(name, {patch_of_source.size()});
    }
    const auto slip = file.read<double>("patch_slip", {windows.size(), patches.size()});
    const auto rake = file.read<double>("patch_rake", {windows.size(), patches.size()});
    std::vector<std::string> written;
    for (std::size_t w = 0; w < windows.size(); ++w) {
        const std::string path =
            (std::filesystem::path(folder) / (plain_name(windows[w]) + ".csv")).string();
        BinaryFile table(path);
        table.text(
            "patch,lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,"
            "dip_deg,rake_deg,slip_m\n");
        for (std::size_t p = 0; p < patches.size(); ++p) {
            const auto source = first_source.find(patches[p]);
            if (source == first_source.end()) {
                throw Error(ErrorCode::InvalidArgument,
                            inversion + ": patch '" + patches[p] + "' has no source");
            }
            const std::size_t s = source->second;
            const auto value = [&](const char* name) { return of_source[name][s]; };
            // Patches of no grid have the extent of their slip.
            const auto size = [&](const char* grid, const char* extent) {
                return (std::isnan(value(grid)) ? value(extent) : value(grid)) / kMetresPerKm;
            };
            const std::size_t at = w * patches.size() + p;
            std::string row = csv_cell(patches[p]);
            for (const double number :
                 {value("patch_lon"), value("patch_lat"), value("patch_depth") / kMetresPerKm,
                  size("patch_length", "slip_length"), size("patch_width", "slip_width"),
                  value("strike"), value("dip"), std::isnan(rake[at]) ? 0.0 : rake[at], slip[at]}) {
                row += "," + exact(number);
            }
            table.text(row + "\n");
        }
        table.commit();
        written.push_back(path);
    }
    return written;
}

}  // namespace kaname::io
