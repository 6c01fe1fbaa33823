// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/waves/wave_requests.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/checksums.hpp"

namespace kaname::request {
namespace {

/// A number of the message and the kinds that need it.
struct Number {
    const char* field;
    double value;
    std::vector<std::string_view> kinds;
};

bool is_in(const std::string& kind, const std::vector<std::string_view>& kinds) {
    return std::ranges::find(kinds, kind) != kinds.end();
}

void check_table(const v1::TimeFunction& function, const std::string& path, Rules& rules) {
    const auto& times = function.times_s();
    if (times.size() < 2 || times.size() != function.values_size()) {
        rules.fail(path + ".times_s", "must be at least 2, and as many as values, got " +
                                          std::to_string(times.size()) + " times and " +
                                          std::to_string(function.values_size()) + " values");
    }
    for (int k = 1; k < times.size(); ++k) {
        if (times[k] <= times[k - 1]) {
            const std::string field = element(path + ".times_s", k);
            rules.fail(field, "must be > the time before it, " +
                                  rules.in_unit_of(field, times[k - 1]) + ", got " +
                                  rules.in_unit_of(field, times[k]));
        }
    }
}

/// Share of a function's area that lies before `x`, counted from its onset in the length that its
/// kind is given by; of a Gaussian from its centre in widths. Empty: there is no closed form.
std::optional<double> share_before(const std::string& kind, double x) {
    constexpr double kPi = std::numbers::pi;
    if (kind == "gaussian") {
        return 0.5 * std::erfc(-x / std::numbers::sqrt2);
    }
    const double t = std::clamp(x, 0.0, 1.0);
    if (kind == "triangle") {
        return t < 0.5 ? 2.0 * t * t : 1.0 - 2.0 * (1.0 - t) * (1.0 - t);
    }
    if (kind == "cosine") {
        return t - std::sin(2.0 * kPi * t) / (2.0 * kPi);
    }
    if (kind == "brune") {
        return x <= 0.0 ? 0.0 : 1.0 - (1.0 + x) * std::exp(-x);
    }
    return std::nullopt;
}

std::string lost_text(std::optional<double> share) {
    return ": runs begin at time 0, and what comes before it is lost" +
           (share ? ", here " + show(std::round(1000.0 * *share) / 10.0) + " % of it" : "");
}

/// Refuses centres so early that more than a hundredth of a Gaussian, or some of the main lobe of
/// another, would lie before time 0.
void check_centre(const v1::TimeFunction& function, const std::string& path, Rules& rules) {
    if (!function.has_centre_s()) {
        return;  // late enough by default
    }
    constexpr double kWidths = 2.33;   // 1 % of a Gaussian is earlier
    constexpr double kPeriods = 0.71;  // as much of the squares of a Ricker pulse
    const std::string& kind = function.kind();
    double least_s = 0.0, length_s = 1.0;
    if (kind == "gaussian") {
        length_s = function.width_s();
        least_s = kWidths * length_s;
    } else if (kind == "ricker") {
        least_s = function.frequency_hz() > 0.0 ? kPeriods / function.frequency_hz() : 0.0;
    } else if (function.to_hz() > function.from_hz()) {
        least_s = 1.0 / (function.to_hz() - function.from_hz());
    }
    const std::string field = path + ".centre_s";
    if (length_s > 0.0 && function.centre_s() < least_s) {
        rules.fail(field, "must be >= " + rules.in_unit_of(field, least_s) +
                              lost_text(share_before(kind, -function.centre_s() / length_s)) +
                              ", got " + rules.in_unit_of(field, function.centre_s()));
    }
}

void check_onset(const v1::TimeFunction& function, const std::string& path, Rules& rules) {
    if (function.onset_s() >= 0.0) {
        return;
    }
    const std::string field = path + ".onset_s";
    const double length_s = function.kind() == "brune" ? function.tau_s() : function.duration_s();
    rules.fail(field, "must be >= 0" +
                          lost_text(length_s > 0.0 ? share_before(function.kind(),
                                                                  -function.onset_s() / length_s)
                                                   : std::nullopt) +
                          ", got " + rules.in_unit_of(field, function.onset_s()));
}

/// Refuses tables of which more than a hundredth lies before time 0.
void check_table_start(const v1::TimeFunction& function, const std::string& path, Rules& rules) {
    constexpr double kMost = 0.01;
    const auto& times = function.times_s();
    const auto& values = function.values();
    double all = 0.0, before = 0.0;
    for (int k = 1; k < std::min(times.size(), values.size()); ++k) {
        const double length_s = times[k] - times[k - 1];
        if (length_s <= 0.0) {
            return;  // complained of itself
        }
        const double share = std::clamp(-times[k - 1] / length_s, 0.0, 1.0);
        const double at_cut = values[k - 1] + share * (values[k] - values[k - 1]);
        const double area = 0.5 * length_s * (std::abs(values[k - 1]) + std::abs(values[k]));
        all += area;
        before += 0.5 * share * length_s * (std::abs(values[k - 1]) + std::abs(at_cut));
    }
    if (all > 0.0 && before > kMost * all) {
        const std::string field = element(path + ".times_s", 0);
        rules.fail(field, "must be >= 0" + lost_text(before / all) + ", got " +
                              rules.in_unit_of(field, times[0]));
    }
}

}  // namespace

void check_time_function(const v1::TimeFunction& function, const std::string& path, Rules& rules) {
    const std::string& kind = function.kind();
    const std::vector<std::string> kinds = choices_of(*function.GetDescriptor(), "kind");
    rules.one_of(path + ".kind", kind, kinds);
    if (std::ranges::find(kinds, kind) == kinds.end()) {
        return;  // what belongs to it is not known
    }
    const auto leave_out = [&](const char* name) {
        rules.fail(path + "." + name, "must be left out of a time function " + quote(kind));
    };
    const Number numbers[] = {
        {"frequency_hz", function.frequency_hz(), {"ricker"}},
        {"width_s", function.width_s(), {"gaussian"}},
        {"from_hz", function.from_hz(), {"band"}},
        {"to_hz", function.to_hz(), {"band"}},
        {"duration_s", function.duration_s(), {"triangle", "cosine", "smoothed_step"}},
        {"tau_s", function.tau_s(), {"brune"}},
        {"rise_time_s", function.rise_time_s(), {"yoffe"}},
    };
    for (const Number& number : numbers) {
        if (is_in(kind, number.kinds)) {
            check_number(function, number.field, path, rules);
        } else if (number.value != 0.0) {
            leave_out(number.field);
        }
    }
    if (kind == "band" && function.to_hz() <= function.from_hz()) {
        const std::string field = path + ".to_hz";
        rules.fail(field, "must be > " + rules.beside(field, "from_hz", function.from_hz()) +
                              ", got " + rules.in_unit_of(field, function.to_hz()));
    }
    if (const double smoothing_s = function.smoothing_s(); kind == "yoffe") {
        const std::string field = path + ".smoothing_s";
        check_number(function, "smoothing_s", path, rules);
        if (2.0 * smoothing_s >= function.rise_time_s() && function.rise_time_s() > 0.0) {
            rules.fail(field, "must be < half of " +
                                  rules.beside(field, "rise_time_s", function.rise_time_s()) +
                                  ", got " + rules.in_unit_of(field, smoothing_s));
        }
    } else if (smoothing_s != 0.0) {
        leave_out("smoothing_s");
    }
    if (function.has_centre_s() && !is_in(kind, {"ricker", "gaussian", "band"})) {
        leave_out("centre_s");
    }
    if (function.onset_s() != 0.0 && is_in(kind, {"ricker", "gaussian", "band", "table"})) {
        leave_out("onset_s");
    }
    if (is_in(kind, {"ricker", "gaussian", "band"})) {
        check_centre(function, path, rules);
    } else if (kind != "table") {
        check_onset(function, path, rules);
    }
    if (kind == "table") {
        check_table(function, path, rules);
        check_table_start(function, path, rules);
    } else if (function.times_s_size() + function.values_size() > 0) {
        leave_out("times_s");
    }
}

namespace {

constexpr const char* kMesh = "mesh";
constexpr const char* kSolve = "solve";
constexpr const char* kPackage = "package";

}  // namespace

void check_head(const std::string& schema, const std::string& expected, const std::string& name,
                Rules& rules) {
    if (schema != expected) {
        rules.fail("schema", "must be " + expected + ", got " + quote(schema));
    }
    rules.name("name", name);
}

TaskGraph wave_graph(const std::vector<WaveTask>& sources, const std::string& version,
                     const std::string& shared, const std::string& whole, const std::string& mesh) {
    TaskGraph graph;
    Task package{.verb = kPackage, .label = kPackage, .key = sha256_hex(version + whole)};
    if (!mesh.empty()) {
        package.needs = {sha256_hex(version + kMesh + '\n' + mesh)};
    }
    for (const WaveTask& source : sources) {
        graph.tasks.push_back({.verb = kSolve,
                               .label = source.id,
                               .key = sha256_hex(version + shared + source.text),
                               .compat_key = sha256_hex(version + shared),
                               .pool = kSolvePool,
                               .needs = package.needs,
                               .source = true,
                               .session = true});
        package.gathers.push_back(graph.tasks.back().key);
    }
    if (!mesh.empty()) {
        graph.tasks.push_back({.verb = kMesh, .label = kMesh, .key = package.needs[0]});
    }
    graph.tasks.push_back(std::move(package));
    return graph;
}

std::vector<VerbTime> wave_times(const v1::Estimate& estimate) {
    return {{kMesh, 0.0, estimate.mesh_s()},
            {kSolve, estimate.setup_s(), estimate.each_pack_s()},
            {kPackage, 0.0, estimate.package_s()}};
}

Description describe_waves(const google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers,
                           const std::string& structure, std::vector<v1::WavePlace> places) {
    Description found;
    found.physics = "waves";
    found.structure_sha256 = sha256_hex(structure);
    for (const v1::WaveReceiver& receiver : receivers) {
        found.stations.push_back(receiver.id());
        places.push_back(receiver.at());
    }
    std::vector<GeoPoint> points;
    for (const v1::WavePlace& place : places) {
        if (place.has_lon_deg()) {
            points.push_back({place.lon_deg(), place.lat_deg()});
        }
    }
    found.place = geo_box_of(points);
    return found;
}

namespace {

constexpr std::size_t kMost = 100000, kLongestId = 63;

bool is_id(const std::string& id) {
    const auto letter = [](unsigned char c) { return c < 128 && std::isalnum(c) != 0; };
    return !id.empty() && id.size() <= kLongestId && letter(id[0]) &&
           std::ranges::all_of(
               id, [&](char c) { return letter(c) || c == '_' || c == '.' || c == '-'; });
}

}  // namespace

void check_wave_ids(const std::vector<std::string>& ids, const std::string& name, Rules& rules) {
    if (ids.empty() || ids.size() > kMost) {
        rules.fail(name,
                   "must be 1 to " + std::to_string(kMost) + ", got " + std::to_string(ids.size()));
    }
    std::map<std::string, int> first;
    for (int k = 0; k < std::ssize(ids); ++k) {
        const std::string field = element(name, k) + ".id";
        const std::string& id = ids[static_cast<std::size_t>(k)];
        if (!is_id(id)) {
            rules.fail(field,
                       "must be 1 to 63 letters, digits, '_', '.' and '-', starting with a letter "
                       "or digit, got " +
                           quote(id));
        } else if (const auto [at, fresh] = first.try_emplace(id, k); !fresh) {
            rules.fail(field,
                       "must be unique, got " + quote(id) + " as in " + element(name, at->second));
        }
    }
}

void check_place(const v1::WavePlace& place, const std::string& path, bool globe, Rules& rules,
                 Height height) {
    const bool by_globe = place.has_lon_deg() || place.has_lat_deg() || place.has_depth_m();
    if (by_globe && !globe) {
        rules.fail(path + ".lon_deg", "must be x_m, y_m and z_m: there is no region");
    } else if (by_globe) {
        rules.place(path + ".", place.has_lon_deg(), place.lon_deg(), place.has_lat_deg(),
                    place.lat_deg());
        if (place.has_x_m() || place.has_y_m() || place.has_z_m()) {
            rules.fail(path + ".x_m", "must be left out beside lon_deg and lat_deg");
        }
    } else {
        rules.given(path + ".x_m", place.has_x_m());
        rules.given(path + ".y_m", place.has_y_m());
        rules.given(path + ".z_m", place.has_z_m() || height == Height::Ground);
    }
}

void check_slip_model(const v1::KinematicRupture& rupture, const std::string& path, bool has_region,
                      double end_s, Rules& rules) {
    if (!has_region) {
        rules.fail(path, "must have a region: slip models stand on the globe");
    }
    rules.in_range(path + ".start_s", rupture.start_s(), 0.0, end_s);
    if (rupture.has_hypocentre()) {
        check_place(rupture.hypocentre(), path + ".hypocentre", has_region, rules);
    }
}

bool has_force(const v1::PointForce& force) {
    return force.x_n() != 0.0 || force.y_n() != 0.0 || force.z_n() != 0.0;
}

bool has_moment(const v1::MomentTensor& m) {
    return m.xx_n_m() != 0.0 || m.yy_n_m() != 0.0 || m.zz_n_m() != 0.0 || m.yz_n_m() != 0.0 ||
           m.xz_n_m() != 0.0 || m.xy_n_m() != 0.0;
}

void check_snapshots(const google::protobuf::RepeatedField<double>& times_s,
                     const std::string& name, double end_s, Rules& rules) {
    if (times_s.size() > kMostSnapshots) {
        rules.fail(name, "must be at most " + std::to_string(kMostSnapshots) + ", got " +
                             std::to_string(times_s.size()));
    }
    for (int k = 0; k < times_s.size(); ++k) {
        const std::string field = element(name, k);
        rules.in_range(field, times_s[k], 0.0, end_s);
        if (k > 0 && times_s[k] <= times_s[k - 1]) {
            rules.fail(field, "must be > the time before it, " +
                                  rules.in_unit_of(field, times_s[k - 1]) + ", got " +
                                  rules.in_unit_of(field, times_s[k]));
        }
    }
}

}  // namespace kaname::request
