// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/greens/place_tables.hpp"

#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/export/binary_file.hpp"

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

std::string exact(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value + 0.0);  // no -0
    return {text, end};
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string cell = "\"";
    for (const char c : text) {
        cell += c == '"' ? "\"\"" : std::string(1, c);
    }
    return cell + "\"";
}

std::string plain_name(const std::string& text) {
    std::string name;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        name += byte >= 0x80 || std::isalnum(byte) != 0 || c == '_' || c == '-' ? c : '_';
    }
    return name;
}

bool same_rake(double a_deg, double b_deg) {
    constexpr double kClose_deg = 1e-6;
    return std::abs(std::remainder(a_deg - b_deg, 360.0)) < kClose_deg;
}

std::vector<SlipDirection> named_directions(const ExportSource& source, const std::string& layout,
                                            const SlipNames& names) {
    std::vector<SlipDirection> directions = source.directions();
    for (SlipDirection& direction : directions) {
        if (direction.opening) {
            direction.name = names.opening;
        } else if (same_rake(direction.rake_deg, 0.0)) {
            direction.name = names.strike_slip;
        } else if (same_rake(direction.rake_deg, 90.0)) {
            direction.name = names.dip_slip;
        } else {
            throw Error(ErrorCode::InvalidArgument,
                        source.path() +
                            ": slip_component must be strike_slip (rake 0), dip_slip "
                            "(rake 90) or opening for " +
                            layout + ", got '" + direction.name + "' (rake " +
                            number(direction.rake_deg) + ")");
        }
    }
    return directions;
}

static_assert(std::endian::native == std::endian::little, "numbers are written as they are");

NpyFile::NpyFile(const std::string& path, const std::vector<std::size_t>& shape) : file_(path) {
    std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
    for (const std::size_t extent : shape) {
        head += std::to_string(extent) + ", ";
    }
    head += "), }";
    // Magic, version and length are 10 bytes; with the head and its line end a multiple of 64.
    constexpr std::size_t kFront = 10;
    head.append(63 - (kFront + head.size()) % 64, ' ');
    head += '\n';
    file_.text(std::string("\x93NUMPY\x01\x00", 8));
    file_.number(static_cast<std::uint16_t>(head.size()));
    file_.text(head);
}

}  // namespace kaname::io
