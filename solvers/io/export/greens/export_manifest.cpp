// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/greens/export_manifest.hpp"

#include <filesystem>

#include "solvers/base/json.hpp"
#include "solvers/base/sha256.hpp"
#include "solvers/base/units.hpp"

namespace kaname::io {
namespace {

void write_texts(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
    json.key(key).begin_array();
    for (const std::string& text : texts) {
        json.value(text);
    }
    json.end_array();
}

void write_dataset(JsonWriter& json, const ExportSource& source) {
    const GreensDataset& rows = source.rows();
    json.key("dataset").begin_object();
    json.member("file", std::filesystem::path(source.path()).filename().string());
    json.member("name", rows.name).member("sha256", sha256_file(source.path()));
    json.member("kaname_version", rows.kaname_version);
    json.member("mesh_sha256", rows.mesh_sha256);
    json.member("material_sha256", rows.material_sha256);
    json.member("slip_history", rows.slip_history);
    json.member("projected", rows.projected).member("unit_slip", rows.unit_slip).end_object();
}

void write_files(JsonWriter& json, const ExportRecord& record) {
    json.key("files").begin_array();
    for (const ExportedFile& file : record.files) {
        json.begin_object().member("name", file.name).member("content", file.content);
        if (!file.type.empty()) {
            json.member("type", file.type).key("shape").begin_array();
            for (const std::size_t extent : file.shape) {
                json.value(extent);
            }
            json.end_array();
            write_texts(json, "axes", file.axes);
        }
        if (!file.unit.empty()) {
            json.member("unit", file.unit);
        }
        json.end_object();
    }
    json.end_array();
}

void write_orders(JsonWriter& json, const ExportSource& source) {
    json.key("patches").begin_array();
    for (std::size_t i = 0; i < source.n_patches(); ++i) {
        json.value(source.patch(i).patch_id);
    }
    json.end_array();
    json.key("stations").begin_array();
    for (const GreensDataset::Station& station : source.rows().stations) {
        json.value(station.id);
    }
    json.end_array();
    json.key("sources").begin_array();
    for (const GreensDataset::Source& row : source.rows().sources) {
        json.begin_object().member("source", row.id).member("patch", row.patch_id);
        json.member("slip_component", row.component).member("rake_deg", row.rake_deg).end_object();
    }
    json.end_array();
}

}  // namespace

std::string manifest_text(const std::string& layout, const ExportCall& call,
                          const ExportRecord& record) {
    JsonWriter json;
    json.begin_object().member("layout", layout);
    write_dataset(json, call.source);
    json.key("epochs").begin_array();
    for (std::size_t i = 0; i < call.epochs.count; ++i) {
        const double epoch_s = call.source.rows().epochs_s[call.epochs.first + i];
        json.begin_object().member("epoch_s", epoch_s);
        json.member("epoch_years", epoch_s / kJulianYear_s).end_object();
    }
    json.end_array();
    write_files(json, record);
    for (const auto& [name, value] : record.numbers) {
        json.member(name, value);
    }
    json.member("rake_convention",
                "0 left-lateral, 90 reverse (Aki and Richards): the hanging wall's motion relative "
                "to the footwall; strike clockwise from true north, dip to its right");
    json.member("displacement_convention", call.source.rows().projected
                                               ? "true east, true north, up; cumulative"
                                               : "x, y of the model, up; cumulative");
    write_texts(json, "notes", record.notes);
    write_texts(json, "left_to_user", record.left_to_user);
    write_orders(json, call.source);
    json.end_object();
    return json.text() + "\n";
}

}  // namespace kaname::io
