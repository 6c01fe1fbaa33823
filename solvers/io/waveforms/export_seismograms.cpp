// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/export_seismograms.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <set>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/io/waveforms/miniseed.hpp"
#include "solvers/io/waveforms/sac.hpp"

namespace kaname::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNetwork = "XX";  // FDSN's, of no network

/// FDSN source identifiers, band code of a short-period or broad-band instrument.
char band_of(double rate_hz) {
    struct Band {
        double from_hz;
        char letter;
    };
    constexpr Band kBands[] = {{5000.0, 'J'}, {1000.0, 'F'}, {250.0, 'C'}, {80.0, 'H'},
                               {10.0, 'B'},   {1.5, 'M'},    {0.8, 'L'},   {0.0, 'V'}};
    return std::ranges::find_if(kBands, [&](const Band& band) { return rate_hz >= band.from_hz; })
        ->letter;
}

bool is_code(const std::string& id, bool sac) {
    return sac ? id.size() <= 8
               : id.size() <= 5 && std::ranges::all_of(id, [](unsigned char c) {
                     return c < 128 && (std::isupper(c) != 0 || std::isdigit(c) != 0);
                 });
}

std::vector<std::string> codes_of(const std::vector<SeismogramDataset::Point>& receivers,
                                  bool sac) {
    std::vector<std::string> codes;
    std::set<std::string> taken;
    for (const SeismogramDataset::Point& receiver : receivers) {
        if (is_code(receiver.id, sac)) {
            taken.insert(receiver.id);
        }
    }
    std::size_t number = 0;
    for (const SeismogramDataset::Point& receiver : receivers) {
        std::string code = receiver.id;
        while (!is_code(code, sac) || (code != receiver.id && taken.contains(code))) {
            code = "R" + std::to_string(++number);
        }
        codes.push_back(code);
    }
    return codes;
}

std::string ten_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

Vec3 point_of(const SeismogramDataset::Point& point) {
    return {point.xyz_m[0], point.xyz_m[1], point.xyz_m[2]};
}

/// All components at all receivers of one source.
std::vector<Trace> traces_of(const std::string& path, const SeismogramDataset& d, std::size_t k,
                             const std::vector<std::string>& codes) {
    const std::vector<float> values = read_seismograms(path, k);
    const auto n = static_cast<std::size_t>(d.n_samples);
    std::vector<Trace> traces;
    for (std::size_t receiver = 0; receiver < d.receivers.size(); ++receiver) {
        for (std::size_t component = 0; component < 3; ++component) {
            Trace trace;
            trace.network = kNetwork;
            trace.station = codes[receiver];
            trace.channel = std::string(1, band_of(1.0 / d.interval_s)) + "X" + "XYZ"[component];
            trace.dt_s = d.interval_s;
            trace.units = d.unit == "m s-1" ? "m/s" : d.unit;
            const float* from = values.data() + (receiver * 3 + component) * n;
            trace.values.assign(from, from + n);
            trace.station_point = point_of(d.receivers[receiver]);
            trace.event_point = point_of(d.sources[k]);
            trace.origin_after_start_s = 0.0;
            trace.event = d.sources[k].id.substr(0, 16);
            traces.push_back(std::move(trace));
        }
    }
    return traces;
}

std::string receivers_csv(const SeismogramDataset& d, const std::vector<std::string>& codes) {
    std::string text = "code,receiver,x_m,y_m,z_m\n";
    for (std::size_t k = 0; k < codes.size(); ++k) {
        const auto& at = d.receivers[k].xyz_m;
        text += codes[k] + "," + d.receivers[k].id + "," + ten_digits(at[0]) + "," +
                ten_digits(at[1]) + "," + ten_digits(at[2]) + "\n";
    }
    return text;
}

std::string manifest_of(const SeismogramDataset& d, const std::string& layout,
                        const std::vector<std::string>& files) {
    std::string list;
    for (const std::string& file : files) {
        list +=
            (list.empty() ? "\n    \"" : ",\n    \"") + fs::path(file).filename().string() + "\"";
    }
    return "{\n  \"layout\": \"" + layout + "\",\n  \"dataset\": \"" + d.name +
           "\",\n  \"kaname_version\": \"" + d.kaname_version + "\",\n  \"quantity\": \"" +
           d.quantity + "\",\n  \"units\": \"" + d.unit +
           "\",\n  \"interval_s\": " + ten_digits(d.interval_s) + ",\n  \"files\": [" + list +
           "\n  ]\n}\n";
}

}  // namespace

std::vector<std::string> export_seismograms(const std::string& dataset_path,
                                            const std::string& layout, const std::string& folder) {
    const bool sac = layout == kSacLayout;
    if (!sac && layout != kMiniSeedLayout) {
        throw Error(ErrorCode::InvalidArgument,
                    "--to: must be sac or miniseed for seismograms, got '" + layout + "'");
    }
    const SeismogramDataset d = read_seismogram_rows(dataset_path);
    const std::vector<std::string> codes = codes_of(d.receivers, sac);
    fs::create_directories(folder);
    std::vector<std::string> written;
    for (std::size_t k = 0; k < d.sources.size(); ++k) {
        if (d.sources[k].status != 1) {
            continue;
        }
        const std::vector<Trace> traces = traces_of(dataset_path, d, k, codes);
        std::string file = d.sources[k].id;
        std::ranges::replace(file, '/', '_');  // unit sources, point/xx
        file = file_name_of(file);
        if (!sac) {
            written.push_back((fs::path(folder) / (file + ".mseed")).string());
            write_miniseed(written.back(), traces);
            continue;
        }
        for (const Trace& trace : traces) {
            const std::string name =
                file_name_of(file + "." + trace.station + "." + trace.channel, ".sac");
            written.push_back((fs::path(folder) / name).string());
            write_sac(written.back(), trace);
        }
    }
    if (written.empty()) {
        throw Error(ErrorCode::InvalidArgument, dataset_path + ": has no source that is done");
    }
    const std::string table = (fs::path(folder) / "receivers.csv").string();
    write_file(table, receivers_csv(d, codes));
    written.push_back(table);
    const std::string manifest = (fs::path(folder) / "manifest.json").string();
    write_file(manifest, manifest_of(d, layout, written));
    written.push_back(manifest);
    return written;
}

}  // namespace kaname::io
