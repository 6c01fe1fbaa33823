// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/export_seismograms.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/io/waveforms/globe.hpp"
#include "solvers/io/waveforms/miniseed.hpp"
#include "solvers/io/waveforms/trace.hpp"

namespace kaname::io {
namespace {

[[noreturn]] void refuse_sac(const Trace& trace, const std::string& rule) {
    throw Error(ErrorCode::InvalidArgument, "SAC, trace " + name_of(trace) + ": " + rule);
}

void check_sac(const Trace& trace) {
    check_times(trace);
    check_text("SAC network", trace.network, 8);
    check_text("SAC station", trace.station, 8);
    check_text("SAC location", trace.location, 8);
    check_text("SAC channel", trace.channel, 8);
    check_text("SAC units", trace.units, 8);
    check_text("SAC event", trace.event, 16);
    if (trace.values.size() > std::numeric_limits<std::int32_t>::max()) {
        refuse_sac(trace,
                   "values must be at most 2147483647, got " + std::to_string(trace.values.size()));
    }
    if (!keeps_time(trace, static_cast<float>(trace.dt_s))) {
        refuse_sac(trace, "dt_s is written as a float, with which the last of " +
                              std::to_string(trace.values.size()) +
                              " samples must not move by a twentieth of it, got " +
                              formatted("%.17g", trace.dt_s));
    }
    if (trace.origin_after_start_s && !std::isfinite(*trace.origin_after_start_s)) {
        refuse_sac(trace, "origin_after_start_s must be finite, got " +
                              number(*trace.origin_after_start_s));
    }
    for (const auto& place : {trace.station_place, trace.event_place}) {
        if (place && !(std::abs(place->lat_deg) <= 90.0 && std::abs(place->lon_deg) <= 360.0)) {
            refuse_sac(trace, "latitude, longitude must lie in [-90, 90] x [-360, 360], got " +
                                  number(place->lat_deg) + ", " + number(place->lon_deg));
        }
    }
}

void set_times(SacHeader& header, const Trace& trace) {
    const std::int64_t reference_ms = std::llround(trace.start_s * 1e3);
    const double begin_s = trace.start_s - static_cast<double>(reference_ms) / 1e3;
    const double last = static_cast<double>(trace.values.size() - 1);
    header.set_reference(reference_ms);
    header.set(SacInt::Iztype, begin_s == 0.0 ? SacHeader::kBeginTime : SacHeader::kUnknown);
    header.set(SacFloat::Delta, trace.dt_s);
    header.set(SacFloat::B, begin_s);
    header.set(SacFloat::E, begin_s + last * trace.dt_s);
    if (trace.origin_after_start_s) {
        header.set(SacFloat::O, begin_s + *trace.origin_after_start_s);
    }
    header.set(SacInt::Npts, static_cast<std::int32_t>(trace.values.size()));
}

void set_places(SacHeader& header, const Trace& trace) {
    if (trace.station_place) {
        header.set(SacFloat::Stla, trace.station_place->lat_deg);
        header.set(SacFloat::Stlo, trace.station_place->lon_deg);
        header.set(SacFloat::Stel, trace.station_place->elevation_m);
    }
    if (trace.event_place) {
        header.set(SacFloat::Evla, trace.event_place->lat_deg);
        header.set(SacFloat::Evlo, trace.event_place->lon_deg);
        header.set(SacFloat::Evdp, -trace.event_place->elevation_m / 1e3);
    }
    for (int comp = 0; comp < 3; ++comp) {
        if (trace.station_point) {
            header.set_user(comp, (*trace.station_point)[comp]);
        }
        if (trace.event_point) {
            header.set_user(3 + comp, (*trace.event_point)[comp]);
        }
    }
    if (trace.orientation) {
        header.set(SacFloat::Cmpaz, trace.orientation->azimuth_deg);
        header.set(SacFloat::Cmpinc, 90.0 + trace.orientation->dip_deg);
    }
    if (trace.path) {
        header.set(SacFloat::Dist, trace.path->distance_m / 1e3);
        header.set(SacFloat::Az, trace.path->azimuth_deg);
        header.set(SacFloat::Baz, trace.path->back_azimuth_deg);
        header.set(SacFloat::Gcarc, trace.path->arc_deg);
    }
    // Programs may work out distance and azimuths themselves, from coordinates of both.
    header.set(SacInt::Lcalda, trace.station_place && trace.event_place ? 1 : 0);
}

void set_values(SacHeader& header, const Trace& trace) {
    double least = trace.values.front();
    double most = least;
    double sum = 0.0;
    for (const double value : trace.values) {
        least = std::fmin(least, value);
        most = std::fmax(most, value);
        sum += value;
    }
    header.set(SacFloat::Depmin, least);
    header.set(SacFloat::Depmax, most);
    header.set(SacFloat::Depmen, sum / static_cast<double>(trace.values.size()));
    header.set(SacInt::Idep, SacHeader::kind_of(trace.units));
}

}  // namespace

void write_sac(const std::string& path, const Trace& trace) {
    check_sac(trace);
    SacHeader header;
    set_times(header, trace);
    set_places(header, trace);
    set_values(header, trace);
    header.set(SacText::Kstnm, trace.station);
    header.set(SacText::Kevnm, trace.event);
    header.set(SacText::Khole, trace.location);
    header.set(SacText::Kuser0, trace.units);
    header.set(SacText::Kcmpnm, trace.channel);
    header.set(SacText::Knetwk, trace.network);
    std::string bytes = header.bytes();
    bytes.append(reinterpret_cast<const char*>(trace.values.data()),
                 trace.values.size() * sizeof(float));
    write_file(path, bytes);
}

namespace {

constexpr int kFloats = 70;
constexpr int kInts = 40;
constexpr std::size_t kTexts = 4 * (kFloats + kInts);

void put_text(char* at, std::size_t room, const std::string& text) {
    std::fill_n(at, room, ' ');
    std::copy_n(text.data(), std::min(room, text.size()), at);
}

}  // namespace

SacHeader::SacHeader() {
    for (int word = 0; word < kFloats; ++word) {
        set(SacFloat{word}, -12345.0);
    }
    for (int word = 0; word < kInts; ++word) {
        set(SacInt{kFloats + word}, -12345);
    }
    for (std::size_t at = kTexts; at < bytes_.size(); at += 8) {
        put_text(bytes_.data() + at, 8, "-12345");
    }
    // The second half of the one long text is not undefined on its own.
    put_text(bytes_.data() + static_cast<std::size_t>(SacText::Kevnm), 16, "-12345");
    set(SacInt::Nvhdr, 6);
    set(SacInt::Iftype, kTimeSeries);
    set(SacInt::Leven, 1);
    set(SacInt::Lpspol, 0);
    set(SacInt::Lovrok, 1);
    set(SacInt::Lcalda, 0);
}

void SacHeader::set(SacFloat field, double value) {
    const auto written = static_cast<float>(value);
    std::memcpy(bytes_.data() + 4 * static_cast<std::size_t>(field), &written, sizeof written);
}

void SacHeader::set_user(int index, double value) {
    set(SacFloat{static_cast<int>(SacFloat::User0) + index}, value);
}

void SacHeader::set(SacInt field, std::int32_t value) {
    std::memcpy(bytes_.data() + 4 * static_cast<std::size_t>(field), &value, sizeof value);
}

void SacHeader::set(SacText field, const std::string& value) {
    if (!value.empty()) {
        put_text(bytes_.data() + static_cast<std::size_t>(field), field == SacText::Kevnm ? 16 : 8,
                 value);
    }
}

void SacHeader::set_reference(std::int64_t epoch_ms) {
    using namespace std::chrono;
    const sys_time<milliseconds> time{milliseconds(epoch_ms)};
    const sys_days date = floor<days>(time);
    const year year_of = year_month_day(date).year();
    const hh_mm_ss clock(time - date);
    const auto number = [](auto count) { return static_cast<std::int32_t>(count); };
    set(SacInt::Nzyear, static_cast<int>(year_of));
    set(SacInt::Nzjday, number((date - sys_days(year_of / January / 1)).count()) + 1);
    set(SacInt::Nzhour, number(clock.hours().count()));
    set(SacInt::Nzmin, number(clock.minutes().count()));
    set(SacInt::Nzsec, number(clock.seconds().count()));
    set(SacInt::Nzmsec, number(clock.subseconds().count()));
}

std::int32_t SacHeader::kind_of(const std::string& units) {
    constexpr std::int32_t kDisplacement = 6, kVelocity = 7, kAcceleration = 8, kVolts = 50;
    return units == "nm"       ? kDisplacement
           : units == "nm/s"   ? kVelocity
           : units == "nm/s/s" ? kAcceleration
           : units == "V"      ? kVolts
                               : kUnknown;
}

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

/// Makes the traces of a dataset, and has what those of all sources share.
class Recorder {
public:
    Recorder(const std::string& path, const SeismogramDataset& dataset, bool sac, double origin_s)
        : path_(path), d_(dataset), codes_(codes_of(dataset.receivers, sac)), origin_s_(origin_s) {
        if (!d_.globe) {
            return;
        }
        const earth::Projection model({d_.globe->lon_deg, d_.globe->lat_deg});
        for (const SeismogramDataset::Point& receiver : d_.receivers) {
            const earth::LonLat place{receiver.lon_deg, receiver.lat_deg};
            turn_deg_.push_back(d_.globe->azimuth_deg - model.convergence(place) / kDegree);
            stations_.emplace_back(place);
        }
    }

    [[nodiscard]] bool on_globe() const { return d_.globe.has_value(); }
    [[nodiscard]] const std::vector<std::string>& codes() const { return codes_; }
    /// All components at all receivers of source k.
    [[nodiscard]] std::vector<Trace> traces(std::size_t k) const;

private:
    const std::string& path_;
    const SeismogramDataset& d_;
    std::vector<std::string> codes_;
    double origin_s_;
    // By receiver, of models on the globe alone:
    std::vector<double> turn_deg_;             ///< of the model's frame, clockwise from true north
    std::vector<earth::Projection> stations_;  ///< about each
};

/// The place of a source or receiver on the globe; z = 0 is sea level there.
GeoPlace geo_place(const SeismogramDataset::Point& point) {
    return {point.lat_deg, point.lon_deg, point.xyz_m[2]};
}

std::vector<Trace> Recorder::traces(std::size_t k) const {
    const std::vector<float> values = read_seismograms(path_, k);
    const auto n = static_cast<std::size_t>(d_.n_samples);
    std::optional<earth::Projection> event;
    if (on_globe()) {
        event.emplace(earth::LonLat{d_.sources[k].lon_deg, d_.sources[k].lat_deg});
    }
    std::vector<Trace> traces;
    for (std::size_t receiver = 0; receiver < d_.receivers.size(); ++receiver) {
        const std::size_t first = traces.size();
        for (std::size_t component = 0; component < 3; ++component) {
            Trace trace;
            trace.network = kNetwork;
            trace.station = codes_[receiver];
            trace.channel = std::string(1, band_of(1.0 / d_.interval_s)) + "X" +
                            (on_globe() ? "ENZ" : "XYZ")[component];
            trace.start_s = origin_s_;
            trace.dt_s = d_.interval_s;
            trace.units = d_.unit == "m s-1" ? "m/s" : d_.unit;
            const float* from = values.data() + (receiver * 3 + component) * n;
            trace.values.assign(from, from + n);
            trace.station_point = point_of(d_.receivers[receiver]);
            trace.event_point = point_of(d_.sources[k]);
            trace.origin_after_start_s = 0.0;
            trace.event = d_.sources[k].id.substr(0, 16);
            traces.push_back(std::move(trace));
        }
        if (event) {
            const EventPath path = path_between(*event, stations_[receiver]);
            constexpr std::array<Orientation, 3> kAxes = {{{90.0, 0.0}, {0.0, 0.0}, {0.0, -90.0}}};
            for (std::size_t component = 0; component < 3; ++component) {
                Trace& trace = traces[first + component];
                trace.station_place = geo_place(d_.receivers[receiver]);
                trace.event_place = geo_place(d_.sources[k]);
                trace.path = path;
                trace.orientation = kAxes[component];
            }
            turn_to_north(turn_deg_[receiver], traces[first].values, traces[first + 1].values);
        }
    }
    return traces;
}

/// A row of x, y, z of a place, with longitude and latitude of those on the globe.
std::string place_cells(const SeismogramDataset::Point& point, bool on_globe) {
    const auto& at = point.xyz_m;
    std::string cells = ten_digits(at[0]) + "," + ten_digits(at[1]) + "," + ten_digits(at[2]);
    if (on_globe) {
        cells += "," + ten_digits(point.lon_deg) + "," + ten_digits(point.lat_deg);
    }
    return cells + "\n";
}

std::string receivers_csv(const SeismogramDataset& d, const std::vector<std::string>& codes) {
    std::string text =
        d.globe ? "code,receiver,x_m,y_m,z_m,lon_deg,lat_deg\n" : "code,receiver,x_m,y_m,z_m\n";
    for (std::size_t k = 0; k < codes.size(); ++k) {
        text += codes[k] + "," + d.receivers[k].id + "," +
                place_cells(d.receivers[k], d.globe.has_value());
    }
    return text;
}

std::string sources_csv(const SeismogramDataset& d, double origin_s) {
    std::string text =
        d.globe ? "source,origin,x_m,y_m,z_m,lon_deg,lat_deg\n" : "source,origin,x_m,y_m,z_m\n";
    for (const SeismogramDataset::Source& source : d.sources) {
        text +=
            source.id + "," + utc_text(origin_s) + "," + place_cells(source, d.globe.has_value());
    }
    return text;
}

std::string path_rows(const std::string& source, const std::vector<Trace>& traces) {
    std::string text;
    for (std::size_t k = 0; k < traces.size(); k += 3) {
        const EventPath& path = *traces[k].path;
        text += source + "," + traces[k].station + "," + ten_digits(path.distance_m) + "," +
                ten_digits(path.azimuth_deg) + "," + ten_digits(path.back_azimuth_deg) + "\n";
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
                                            const std::string& layout, const std::string& folder,
                                            double origin_s) {
    const bool sac = layout == kSacLayout;
    if (!sac && layout != kMiniSeedLayout) {
        throw Error(ErrorCode::InvalidArgument,
                    "--to: must be sac, miniseed or vtu for seismograms, got '" + layout + "'");
    }
    const SeismogramDataset d = read_seismogram_rows(dataset_path);
    const Recorder recorder(dataset_path, d, sac, origin_s);
    fs::create_directories(folder);
    std::vector<std::string> written;
    const auto inside = [&](const std::string& name) { return (fs::path(folder) / name).string(); };
    std::string paths = "source,code,distance_m,azimuth_deg,back_azimuth_deg\n";
    for (std::size_t k = 0; k < d.sources.size(); ++k) {
        if (d.sources[k].status != 1) {
            continue;
        }
        const std::vector<Trace> traces = recorder.traces(k);
        if (written.empty() && recorder.on_globe()) {
            written.push_back(inside("stations.xml"));
            write_station_xml(written.back(), traces, "kaname " + d.kaname_version);
        }
        if (recorder.on_globe()) {
            paths += path_rows(d.sources[k].id, traces);
        }
        std::string file = d.sources[k].id;
        std::ranges::replace(file, '/', '_');  // unit sources, point/xx
        file = file_name_of(file);
        if (!sac) {
            written.push_back(inside(file + ".mseed"));
            write_miniseed(written.back(), traces);
            continue;
        }
        for (const Trace& trace : traces) {
            written.push_back(
                inside(file_name_of(file + "." + trace.station + "." + trace.channel, ".sac")));
            write_sac(written.back(), trace);
        }
    }
    if (written.empty()) {
        throw Error(ErrorCode::InvalidArgument, dataset_path + ": has no source that is done");
    }
    const auto write = [&](const std::string& name, const std::string& text) {
        written.push_back(inside(name));
        write_file(written.back(), text);
    };
    write("receivers.csv", receivers_csv(d, recorder.codes()));
    write("sources.csv", sources_csv(d, origin_s));
    if (recorder.on_globe()) {
        write("paths.csv", paths);
    }
    write("manifest.json", manifest_of(d, layout, written));
    return written;
}

}  // namespace kaname::io
