// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/greens/greens_export.hpp"

#include <array>
#include <cmath>
#include <filesystem>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/json.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/export/greens/export_source.hpp"

namespace kaname::io {
namespace {

enum class Epochs { One, OneOrAll, All, None };

struct Layout {
    const char* name;
    void (*write)(const ExportCall&, ExportRecord&);
    Epochs epochs;
    bool needs_unit_slip;  ///< and every source done: the layout is a matrix without gaps
    bool needs_globe;
};

constexpr std::array<Layout, 9> kLayouts = {{
    {"csi", write_csi, Epochs::One, true, false},
    {"altar", write_altar, Epochs::One, true, false},
    {"beat", write_beat, Epochs::One, true, false},
    {"pylith", write_pylith, Epochs::One, true, false},
    {"viscojapan", write_viscojapan, Epochs::All, true, false},
    {"pyrocko", write_pyrocko, Epochs::All, true, true},
    {"csv", write_csv, Epochs::OneOrAll, false, false},
    {"geojson", write_geojson, Epochs::None, false, true},
    {"gmt", write_gmt, Epochs::One, false, false},
}};

const Layout& find_layout(const std::string& name) {
    std::string known;
    for (const Layout& layout : kLayouts) {
        if (name == layout.name) {
            return layout;
        }
        known += (known.empty() ? "" : ", ") + std::string(layout.name);
    }
    throw Error(ErrorCode::InvalidArgument,
                "--to: must be one of " + known +
                    " or vtu for motion; sac and miniseed are of seismograms, scec of ruptures; "
                    "got '" +
                    name + "'");
}

[[noreturn]] void refuse_export(const std::string& field, const std::string& rule) {
    throw Error(ErrorCode::InvalidArgument, field + ": " + rule);
}

/// Epochs typed as years with a few digits match those of a request to within this time, in
/// seconds.
constexpr double kSameEpoch_s = 60.0;

std::size_t find_epoch(const ExportSource& source, double years) {
    const std::vector<double>& epochs_s = source.rows().epochs_s;
    std::size_t nearest = 0;
    const double wanted_s = years * kJulianYear_s;
    for (std::size_t i = 1; i < epochs_s.size(); ++i) {
        if (std::abs(epochs_s[i] - wanted_s) < std::abs(epochs_s[nearest] - wanted_s)) {
            nearest = i;
        }
    }
    if (!(std::abs(epochs_s[nearest] - wanted_s) <= kSameEpoch_s)) {
        refuse_export("--epoch", "must be one of the dataset's epochs, got " + number(years) +
                                     "; the nearest is " +
                                     formatted("%.12g", epochs_s[nearest] / kJulianYear_s));
    }
    return nearest;
}

void check_options(const Layout& layout, const GreensExportOptions& options) {
    const std::string of = std::string(" with the layout ") + layout.name;
    if (options.epoch_years && layout.epochs == Epochs::All) {
        refuse_export("--epoch", "must not be given" + of + ", which holds all epochs");
    }
    if (options.epoch_years && layout.epochs == Epochs::None) {
        refuse_export("--epoch", "must not be given" + of + ", which holds no displacement");
    }
    if (options.rake_deg && layout.write != write_beat) {
        refuse_export("--rake", "must not be given" + of + ", only with beat");
    }
    if (options.rake_deg && !std::isfinite(*options.rake_deg)) {
        refuse_export("--rake", "must be finite, got " + number(*options.rake_deg));
    }
    if (options.dt_years && layout.write != write_pyrocko) {
        refuse_export("--dt", "must not be given" + of + ", only with pyrocko");
    }
    if (options.dt_years && !(*options.dt_years > 0.0 && std::isfinite(*options.dt_years))) {
        refuse_export("--dt", "must be > 0, got " + number(*options.dt_years));
    }
}

void check_dataset(const Layout& layout, const ExportSource& source) {
    if (layout.needs_unit_slip && !source.rows().unit_slip) {
        refuse_export(source.path(), std::string("must hold unit slip on patches for ") +
                                         layout.name + ", has the slip of tables or events");
    }
    if (layout.needs_globe && !source.rows().projected) {
        refuse_export(source.path(),
                      std::string("must have a projection for ") + layout.name +
                          ", which wants longitudes and latitudes; has none (region.crs)");
    }
    if (layout.needs_unit_slip) {
        source.require_complete();
    }
}

constexpr const char* kManifest = "manifest.json";

/// A folder, made where it is missing, and removed again when nothing has come there.
class FolderToFill {
public:
    explicit FolderToFill(std::string path) : path_(std::move(path)) {
        std::error_code failed;
        made_ = std::filesystem::create_directories(path_, failed);
        if (failed) {
            throw Error(ErrorCode::Unavailable, path_ + ": cannot be made: " + failed.message());
        }
    }
    ~FolderToFill() {
        std::error_code has_files;
        if (made_) {
            std::filesystem::remove(path_, has_files);
        }
    }
    FolderToFill(const FolderToFill&) = delete;
    FolderToFill& operator=(const FolderToFill&) = delete;

private:
    std::string path_;
    bool made_ = false;
};

}  // namespace

std::vector<std::string> greens_export_layouts() {
    std::vector<std::string> names;
    for (const Layout& layout : kLayouts) {
        names.emplace_back(layout.name);
    }
    return names;
}

std::vector<std::string> export_greens(const std::string& dataset_path, const std::string& layout,
                                       const std::string& folder,
                                       const GreensExportOptions& options) {
    const Layout& to = find_layout(layout);
    check_options(to, options);
    const ExportSource source(dataset_path);
    check_dataset(to, source);
    ExportCall call{source, {}, 0, {0, source.n_epochs()}, options.rake_deg, std::nullopt};
    if (options.dt_years) {
        call.dt_s = *options.dt_years * kJulianYear_s;
    }
    if (options.epoch_years) {
        call.epoch = find_epoch(source, *options.epoch_years);
    }
    if (to.epochs == Epochs::One || options.epoch_years) {
        call.epochs = {call.epoch, 1};
    } else if (to.epochs == Epochs::None) {
        call.epochs = {0, 0};
    }
    const FolderToFill to_fill(folder);
    const TemporaryFolder stage(folder);
    call.folder = stage.path().string();
    ExportRecord record;
    to.write(call, record);
    write_file(call.path(kManifest), manifest_text(layout, call, record));
    record.files.push_back({kManifest, ""});  // the last to come to its place
    std::vector<std::string> written;
    for (const ExportedFile& file : record.files) {
        written.push_back((std::filesystem::path(folder) / file.name).string());
        std::error_code failed;
        std::filesystem::rename(call.path(file.name), written.back(), failed);
        if (failed) {
            throw Error(ErrorCode::Unavailable,
                        written.back() + ": cannot be written: " + failed.message());
        }
    }
    return written;
}

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
