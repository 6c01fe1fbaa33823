// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/waves/wave_requests.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "proto/spec/form/text.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::spec {
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
    if (!is_name(name)) {
        rules.fail("name",
                   "must be 1 to 63 lower-case letters, digits and hyphens, not starting with a "
                   "hyphen, got " +
                       quote(name));
    }
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

}  // namespace kaname::spec
