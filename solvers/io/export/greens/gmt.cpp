// SPDX-License-Identifier: BSD-3-Clause
// Tables for GMT: outlines of patches, stations, and motion at one epoch, a segment for each
// source.
#include <algorithm>

#include "solvers/base/units.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/export_text.hpp"
#include "solvers/io/export/greens/place_tables.hpp"

namespace kaname::io {
namespace {

/// -L of a segment's head; GMT has no escape for a quote.
std::string label(std::string text) {
    std::ranges::replace(text, '"', '\'');
    return " -L\"" + text + "\"";
}

void write_outlines(const ExportCall& call, const std::string& name) {
    const GreensDataset& rows = call.source.rows();
    BinaryFile file(call.path(name));
    for (std::size_t i = 0; i < call.source.n_patches(); ++i) {
        const GreensDataset::Source& patch = call.source.patch(i);
        file.text("> -Z" + exact(patch.depth_m / kMetresPerKm) + label(patch.patch_id) + "\n");
        for (const std::size_t corner : {0, 1, 2, 3, 0}) {
            file.text(degrees_or_km(rows, corner_place(rows, patch, corner)) + " " +
                      exact(patch.outline_depth_m[corner] / kMetresPerKm) + "\n");
        }
    }
    file.commit();
}

void write_station_places(const ExportCall& call, const std::string& name) {
    const GreensDataset& rows = call.source.rows();
    BinaryFile file(call.path(name));
    file.text(std::string("# ") + (rows.projected ? "lon lat" : "x_km y_km") +
              " depth_km station\n");
    for (std::size_t i = 0; i < rows.stations.size(); ++i) {
        file.text(degrees_or_km(rows, station_place(rows, i)) + " " +
                  exact(rows.stations[i].depth_m / kMetresPerKm) + " " +
                  plain_name(rows.stations[i].id) + "\n");
    }
    file.commit();
}

void write_motion(const ExportCall& call, const std::string& horizontal,
                  const std::string& vertical) {
    const ExportSource& source = call.source;
    const GreensDataset& rows = source.rows();
    BinaryFile arrows(call.path(horizontal));
    BinaryFile heights(call.path(vertical));
    const Part stations{0, source.n_stations()};
    for_parts(rows.sources.size(), 3 * stations.count, [&](Part part) {
        const GreensBlock block = source.read(part, {call.epoch, 1}, stations);
        for (std::size_t i = part.first; i < part.first + part.count; ++i) {
            if (rows.sources[i].status != GreensDataset::kDone) {
                continue;
            }
            arrows.text(">" + label(rows.sources[i].id) + "\n");
            heights.text(">" + label(rows.sources[i].id) + "\n");
            for (std::size_t station = 0; station < stations.count; ++station) {
                const std::string at = degrees_or_km(rows, station_place(rows, station)) + " ";
                const auto value = [&](std::size_t component) {
                    return exact(block.at(i, call.epoch, station, component));
                };
                const std::string id = " " + plain_name(rows.stations[station].id) + "\n";
                arrows.text(at + value(0) + " " + value(1) + " 0 0 0" + id);
                heights.text(at + value(2) + id);
            }
        }
    });
    arrows.commit();
    heights.commit();
}

}  // namespace

void write_gmt(const ExportCall& call, ExportRecord& record) {
    const GreensDataset& rows = call.source.rows();
    write_outlines(call, "patches.gmt");
    write_station_places(call, "stations.gmt");
    write_motion(call, "horizontal.gmt", "vertical.gmt");
    const std::string unit = rows.unit_slip ? "m per m of slip" : "m";
    record.files.push_back({"patches.gmt",
                            "closed outlines with their depth [km]; -Z is the depth of the centre "
                            "[km], -L the patch"});
    record.files.push_back({"stations.gmt", "places, depth [km] and names"});
    record.files.push_back({"horizontal.gmt",
                            "a segment for each source, for gmt velo -Se: place, east, north, "
                            "three zeros, station",
                            {},
                            {},
                            {},
                            unit});
    record.files.push_back(
        {"vertical.gmt", "a segment for each source: place, up, station", {}, {}, {}, unit});
    if (!rows.projected) {
        record.notes.push_back("places are x and y of the model in km");
    }
    for (const GreensDataset::Source& row : rows.sources) {
        if (row.status != GreensDataset::kDone) {
            record.notes.push_back("left out, not done: " + row.id);
        }
    }
}

}  // namespace kaname::io
