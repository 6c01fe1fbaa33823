// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/waves/wave_requests.hpp"

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

}  // namespace kaname::spec
