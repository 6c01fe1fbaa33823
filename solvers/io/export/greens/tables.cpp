// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/base/json.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/place_tables.hpp"

// One long table of all values, a row for each source, epoch and station.
namespace kaname::io {
namespace {

class LongTable {
public:
    LongTable(const ExportCall& call, const std::string& name)
        : rows_(call.source.rows()), file_(call.path(name)) {
        const std::string unit = rows_.unit_slip ? "_m_per_m" : "_m";
        file_.text("source,patch,slip_component,epoch_s,station,east" + unit + ",north" + unit +
                   ",up" + unit + "\n");
    }
    void add(const GreensBlock& block) {
        for (std::size_t i = 0; i < block.sources.count; ++i) {
            const std::size_t source = block.sources.first + i;
            const GreensDataset::Source& row = rows_.sources[source];
            if (row.status != GreensDataset::kDone) {
                continue;
            }
            const std::string head = csv_cell(row.id) + "," + csv_cell(row.patch_id) + "," +
                                     csv_cell(row.component) + ",";
            for (std::size_t epoch = block.epochs.first;
                 epoch < block.epochs.first + block.epochs.count; ++epoch) {
                add_epoch(block, source, epoch, head + exact(rows_.epochs_s[epoch]) + ",");
            }
        }
    }
    void commit() { file_.commit(); }
    [[nodiscard]] std::size_t n_rows() const { return n_rows_; }

private:
    void add_epoch(const GreensBlock& block, std::size_t source, std::size_t epoch,
                   const std::string& head) {
        for (std::size_t station = block.stations.first;
             station < block.stations.first + block.stations.count; ++station) {
            std::string line = head + csv_cell(rows_.stations[station].id);
            for (std::size_t component = 0; component < 3; ++component) {
                line += "," + exact(block.at(source, epoch, station, component));
            }
            file_.text(line + "\n");
            ++n_rows_;
        }
    }

    const GreensDataset& rows_;
    BinaryFile file_;
    std::size_t n_rows_ = 0;
};

}  // namespace

void write_csv(const ExportCall& call, ExportRecord& record) {
    const ExportSource& source = call.source;
    const Part stations{0, source.n_stations()};
    LongTable table(call, "greens.csv");
    // Epochs are split only where a single source is larger than a part: rows stay in order.
    const std::size_t per_epoch = 3 * stations.count;
    for_parts(source.rows().sources.size(), per_epoch * call.epochs.count, [&](Part sources) {
        for_parts(call.epochs.count, per_epoch * sources.count, [&](Part epochs) {
            epochs.first += call.epochs.first;
            table.add(source.read(sources, epochs, stations));
        });
    });
    table.commit();
    record.files.push_back(
        {"greens.csv", "displacement, a row for each source, epoch and station, in this order"});
    record.numbers.emplace_back("rows", static_cast<double>(table.n_rows()));
    for (const GreensDataset::Source& row : source.rows().sources) {
        if (row.status != GreensDataset::kDone) {
            record.notes.push_back("left out, not done: " + row.id);
        }
    }
    write_place_tables(call, record);
}

// GeoJSON (RFC 7946): patches as polygons, stations as points, both on WGS84.
namespace {

/// A FeatureCollection that is written feature by feature.
class FeatureFile {
public:
    explicit FeatureFile(const std::string& path) : file_(path) {
        file_.text("{\"type\": \"FeatureCollection\", \"features\": [");
    }
    /// `fill` writes members geometry and properties.
    template <class Fill>
    void add(const Fill& fill) {
        JsonWriter json;
        json.begin_object().member("type", "Feature");
        fill(json);
        json.end_object();
        file_.text(first_ ? "\n" : ",\n");
        file_.text(json.text());
        first_ = false;
    }
    void commit() {
        file_.text("\n]}\n");
        file_.commit();
    }

private:
    BinaryFile file_;
    bool first_ = true;
};

void write_position(JsonWriter& json, PlanePlace at) {
    json.begin_array().value(at.x).value(at.y).end_array();
}

/// The outline as an exterior ring, which runs counterclockwise and ends where it begins; null
/// where there is none, as of sides.
void write_polygon(JsonWriter& json, const GreensDataset& rows,
                   const GreensDataset::Source& patch) {
    std::array<PlanePlace, 4> ring;
    double area = 0.0;
    for (std::size_t corner = 0; corner < 4; ++corner) {
        ring[corner] = corner_place(rows, patch, corner);
    }
    for (std::size_t corner = 0; corner < 4; ++corner) {
        const PlanePlace& next = ring[(corner + 1) % 4];
        area += ring[corner].x * next.y - next.x * ring[corner].y;
    }
    json.key("geometry");
    if (!std::isfinite(area)) {
        json.null();
        return;
    }
    if (area < 0.0) {
        std::ranges::reverse(ring);
    }
    json.begin_object().member("type", "Polygon");
    json.key("coordinates").begin_array().begin_array();
    for (const PlanePlace& at : ring) {
        write_position(json, at);
    }
    write_position(json, ring.front());
    json.end_array().end_array().end_object();
}

const char* status_name(std::int8_t status) {
    return status == 1 ? "done" : status == 2 ? "failed" : "missing";
}

void write_patch_features(const ExportCall& call, const std::string& name) {
    const GreensDataset& rows = call.source.rows();
    FeatureFile file(call.path(name));
    for (std::size_t i = 0; i < call.source.n_patches(); ++i) {
        const GreensDataset::Source& patch = call.source.patch(i);
        file.add([&](JsonWriter& json) {
            write_polygon(json, rows, patch);
            json.key("properties").begin_object().member("patch", patch.patch_id);
            json.member("lon_deg", patch.lon_deg).member("lat_deg", patch.lat_deg);
            json.member("depth_m", patch.depth_m);
            json.member("strike_deg", patch.strike_deg).member("dip_deg", patch.dip_deg);
            json.member("length_m", patch.length_m).member("width_m", patch.width_m);
            json.member("area_m2", patch.patch_area_m2);
            json.member("top_depth_m", patch.outline_depth_m[0]);
            json.member("bottom_depth_m", patch.outline_depth_m[3]);
            json.key("sources").begin_array();
            for (const GreensDataset::Source& source : rows.sources) {
                if (source.patch_id == patch.patch_id) {
                    json.begin_object().member("source", source.id);
                    json.member("slip_component", source.component);
                    json.member("rake_deg", source.rake_deg);
                    json.member("status", status_name(source.status)).end_object();
                }
            }
            json.end_array().end_object();
        });
    }
    file.commit();
}

void write_station_features(const ExportCall& call, const std::string& name) {
    const GreensDataset& rows = call.source.rows();
    FeatureFile file(call.path(name));
    for (std::size_t i = 0; i < rows.stations.size(); ++i) {
        const GreensDataset::Station& station = rows.stations[i];
        file.add([&](JsonWriter& json) {
            json.key("geometry").begin_object().member("type", "Point").key("coordinates");
            write_position(json, station_place(rows, i));
            json.end_object();
            json.key("properties").begin_object().member("station", station.id);
            json.member("depth_m", station.depth_m);
            json.member("snapped_lon_deg", station.snapped_lon_deg);
            json.member("snapped_lat_deg", station.snapped_lat_deg);
            json.member("snapped_depth_m", station.snapped_depth_m).end_object();
        });
    }
    file.commit();
}

}  // namespace

void write_geojson(const ExportCall& call, ExportRecord& record) {
    write_patch_features(call, "patches.geojson");
    write_station_features(call, "stations.geojson");
    record.files.push_back({"patches.geojson", "outlines of the patches, polygons on WGS84"});
    record.files.push_back({"stations.geojson", "stations as requested, points on WGS84"});
    record.notes.push_back("places only: displacements are in the other layouts");
}

// Tables for GMT: outlines of patches, stations, and motion at one epoch, a segment for each
// source.
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
