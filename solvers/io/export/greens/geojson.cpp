// SPDX-License-Identifier: BSD-3-Clause
// GeoJSON (RFC 7946): patches as polygons, stations as points, both on WGS84.
#include <array>
#include <cmath>

#include "solvers/base/json.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/place_tables.hpp"

namespace kaname::io {
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

}  // namespace kaname::io
