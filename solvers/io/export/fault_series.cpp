// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/fault_series.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/json.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/fields.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/place_tables.hpp"

namespace kaname::io {
namespace fs = std::filesystem;
namespace {

using layout::in_group;

/// A column of a receiver: what it is called here, its variable, and the factor.
struct Column {
    const char *name, *text, *variable;
    double factor;
};
constexpr double kMpa = 1e-6;
constexpr std::array<Column, 7> kColumns = {{
    {"h-slip", "horizontal right-lateral slip (m)", "slip_strike", -1.0},
    {"h-slip-rate", "horizontal right-lateral slip rate (m/s)", "slip_rate_strike", -1.0},
    {"h-shear-stress", "horizontal right-lateral shear stress (MPa)", "traction_strike", -kMpa},
    {"v-slip", "up-dip slip (m), positive: the hanging wall goes up", "slip_dip", -1.0},
    {"v-slip-rate", "up-dip slip rate (m/s)", "slip_rate_dip", -1.0},
    {"v-shear-stress", "up-dip shear stress (MPa)", "traction_dip", -kMpa},
    {"n-stress", "normal stress (MPa), positive: extension", "traction_normal", kMpa},
}};
constexpr Column kState = {"psi", "state variable psi", "state", 1.0};
constexpr double kNever_s = 1e9;

std::string head_of(const h5::File& file) {
    return "# problem = " + file.string_attribute("/", "name") +
           "\n# code = Kaname\n# code_version = " + file.string_attribute("/", "kaname_version") +
           "\n";
}

std::string file_name(std::string id) {
    std::ranges::replace(id, '/', '_');
    return id;
}

class Exporter {
public:
    Exporter(const h5::File& file, fs::path folder) : file_(file), folder_(std::move(folder)) {
        fs::create_directories(folder_);
    }

    void receivers() {
        if (!file_.has("fault_receivers/time")) {
            return;
        }
        const std::vector<std::string> ids = file_.read_strings("fault_receivers/fault_receiver");
        const auto along = file_.read<double>("fault_receivers/along", {ids.size()});
        const auto down = file_.read<double>("fault_receivers/down", {ids.size()});
        const auto times = file_.read<double>("fault_receivers/time", {h5::kAny});
        std::vector<Column> columns(kColumns.begin(), kColumns.end());
        const auto state = read(kState, ids.size(), times.size());
        if (std::ranges::any_of(state, [](float psi) { return psi != 0.0F; })) {
            columns.push_back(kState);
        }
        std::vector<std::vector<float>> values;
        for (const Column& column : columns) {
            values.push_back(read(column, ids.size(), times.size()));
        }
        for (std::size_t r = 0; r < ids.size(); ++r) {
            std::string text = head_of(file_) + "# location = on fault, " + number(along[r] / 1e3) +
                               " km along strike, " + number(down[r] / 1e3) +
                               " km down-dip\n# num_time_steps = " + std::to_string(times.size()) +
                               "\n# Column #1 = time (s)\n";
            std::string names = "t";
            for (std::size_t c = 0; c < columns.size(); ++c) {
                text += "# Column #" + std::to_string(c + 2) + " = " + columns[c].text + "\n";
                names += std::string(" ") + columns[c].name;
            }
            text += names + "\n";
            for (std::size_t t = 0; t < times.size(); ++t) {
                text += formatted("%20.12e", times[t]);
                for (std::size_t c = 0; c < columns.size(); ++c) {
                    text += formatted(
                        " %14.6e",
                        columns[c].factor * values[c][r * times.size() + t] + 0.0);  // no -0
                }
                text += "\n";
            }
            put(file_name(ids[r]) + ".dat", text);
        }
    }

    void rupture_times() {
        const auto fault =
            file_.read<std::int32_t>(in_group(layout::kRupture, "fault"), {h5::kAny});
        const auto of = [&](const char* name) {
            return file_.read<float>(in_group(layout::kRupture, name), {fault.size()});
        };
        const std::vector<float> along = of("along"), down = of("down"), time = of("rupture_time");
        const auto names = file_.read_strings(in_group(layout::kRupture, "fault_name"));
        for (std::size_t f = 0; f < names.size(); ++f) {
            std::string text = head_of(file_) +
                               "# Column #1 = distance along strike (m)\n# Column #2 = distance "
                               "down-dip (m)\n# Column #3 = rupture time (s)\nj k t\n";
            for (std::size_t k = 0; k < time.size(); ++k) {
                if (fault[k] == static_cast<std::int32_t>(f)) {
                    text += formatted("%14.6e", along[k]) + formatted(" %14.6e", down[k]) +
                            formatted(" %14.6e", std::isnan(time[k]) ? kNever_s : time[k]) + "\n";
                }
            }
            put(file_name(names[f]) + "_rupture_times.dat", text);
        }
    }

    std::vector<std::string> finish() {
        JsonWriter json;
        json.begin_object().member("layout", kScecLayout).key("files").begin_array();
        for (const std::string& path : written_) {
            json.value(fs::path(path).filename().string());
        }
        json.end_array().end_object();
        put("manifest.json", json.text() + "\n");
        return written_;
    }

private:
    [[nodiscard]] std::vector<float> read(const Column& column, std::size_t receivers,
                                          std::size_t times) const {
        return file_.read<float>(std::string("fault_receivers/") + column.variable,
                                 {receivers, times});
    }
    void put(const std::string& name, const std::string& text) {
        const std::string path = (folder_ / name).string();
        write_file(path, text);
        written_.push_back(path);
    }

    const h5::File& file_;
    fs::path folder_;
    std::vector<std::string> written_;
};

}  // namespace

std::vector<std::string> export_fault_series(const std::string& dataset_path,
                                             const std::string& folder) {
    if (!has_rupture(dataset_path)) {
        throw Error(ErrorCode::InvalidArgument,
                    dataset_path + ": has no rupture, which the layout " + kScecLayout + " needs");
    }
    const h5::File file(dataset_path, h5::File::Mode::Read);
    Exporter exporter(file, folder);
    exporter.receivers();
    exporter.rupture_times();
    return exporter.finish();
}

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
