// SPDX-License-Identifier: BSD-3-Clause
// csi (Classic Slip Inversion): Fault.saveGFs and setGFsFromFile, readPatchesFromFile, gps's
// read_from_enu.
#include <deque>

#include "solvers/base/units.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/export_text.hpp"
#include "solvers/io/export/greens/place_tables.hpp"
#include "solvers/io/export/greens/slip_columns.hpp"

namespace kaname::io {
namespace {

constexpr const char* kDataSet = "gnss";
// csi's number of a parameter that a patch does not have.
constexpr int kNoParameter = 99999;

/// Numbers of a patch's parameters among all strike slip, then dip slip, then opening.
std::string parameters_text(const std::vector<SlipDirection>& directions, std::size_t patch,
                            std::size_t n_patches) {
    std::string text;
    std::size_t column = patch;
    for (const char* name : {"SS", "DS", "TS"}) {
        const bool has =
            std::ranges::find(directions, name, &SlipDirection::name) != directions.end();
        text += " " + (has ? std::to_string(column) : std::to_string(kNoParameter));
        column += has ? n_patches : 0;
    }
    return text;
}

void write_patch_outlines(const ExportCall& call, const std::string& name,
                          const std::vector<SlipDirection>& directions) {
    const GreensDataset& rows = call.source.rows();
    BinaryFile file(call.path(name));
    for (std::size_t i = 0; i < call.source.n_patches(); ++i) {
        const GreensDataset::Source& patch = call.source.patch(i);
        file.text("> -Z0 #" + parameters_text(directions, i, call.source.n_patches()) +
                  " # 0 0 0\n");
        for (std::size_t corner = 0; corner < 4; ++corner) {
            file.text(degrees_or_km(rows, corner_place(rows, patch, corner)) + " " +
                      exact(patch.outline_depth_m[corner] / kMetresPerKm) + "\n");
        }
    }
    file.commit();
}

void write_gnss_stations(const ExportCall& call, const std::string& name) {
    const GreensDataset& rows = call.source.rows();
    BinaryFile file(call.path(name));
    for (std::size_t i = 0; i < call.source.n_stations(); ++i) {
        file.text(plain_name(rows.stations[i].id) + " " +
                  degrees_or_km(rows, station_place(rows, i)) + " 0 0 0 1 1 1\n");
    }
    file.commit();
}

}  // namespace

void write_csi(const ExportCall& call, ExportRecord& record) {
    const ExportSource& source = call.source;
    const std::vector<SlipDirection> directions =
        named_directions(source, "csi", {"SS", "DS", "TS"});
    const std::string fault = plain_name(source.rows().name);
    std::deque<BinaryFile> files;
    for (const SlipDirection& direction : directions) {
        const std::string name = fault + "_" + kDataSet + "_" + direction.name + ".gf";
        files.emplace_back(call.path(name));
        record.files.push_back({name,
                                "Green's functions of " + direction.name,
                                "float64",
                                {3 * source.n_stations(), source.n_patches()},
                                {"east of all stations, north of all, up of all", "patch"},
                                "m per m of slip"});
    }
    for_rows_by_component(call, [&](const GreensBlock& block) {
        for_stations(block, [&](std::size_t station) {
            for (std::size_t i = 0; i < directions.size(); ++i) {
                for (const std::size_t column : directions[i].sources) {
                    files[i].number(block.at(column, call.epoch, station, block.components.first));
                }
            }
        });
    });
    for (BinaryFile& file : files) {
        file.commit();
    }
    const std::string places = source.rows().projected ? "lon lat" : "x y [km]";
    write_patch_outlines(call, fault + "_patches.gmt", directions);
    write_gnss_stations(call, fault + "_" + kDataSet + ".enu");
    record.files.push_back(
        {fault + "_patches.gmt", "four corners of each patch: " + places +
                                     " depth [km]; top start, top "
                                     "end, bottom end, bottom start along strike"});
    record.files.push_back(
        {fault + "_" + kDataSet + ".enu",
         "stations: name " + places + " east north up and their sigmas, which stand for data"});
    record.notes.push_back(
        source.rows().projected
            ? "read the patches with increasingy=False, which keeps the corners' order"
            : "places are km in the model: read the patches with inputCoordinates='xyz' and "
              "increasingy=False");
    record.notes.push_back("all three components are there: setGFsFromFile wants vertical=True");
    record.left_to_user.push_back(
        "displacements and sigmas of the stations (0 and 1 in the .enu file); keep their order");
}

}  // namespace kaname::io
