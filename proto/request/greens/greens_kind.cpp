// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/greens_kind.hpp"

#include <algorithm>
#include <set>

#include "proto/request/form/json.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/slip_places.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/checksums.hpp"

namespace kaname::request {
namespace {

using google::protobuf::Message;

constexpr const char* kMesh = "mesh";
constexpr const char* kSolve = "solve";
constexpr const char* kPackage = "package";

class GreensRequest final : public Request {
public:
    explicit GreensRequest(LoadedBatch loaded) : loaded_(std::move(loaded)) {}

    [[nodiscard]] const Message& message() const override { return loaded_.batch; }
    [[nodiscard]] const std::string& name() const override { return loaded_.batch.name(); }
    [[nodiscard]] std::string chosen() const override { return loaded_.chosen; }
    [[nodiscard]] TaskGraph graph() const override { return greens_graph(loaded_); }
    [[nodiscard]] Description describe() const override { return request::describe(loaded_); }
    [[nodiscard]] std::string estimate_key() const override {
        // With steps that are given, what relaxes takes as long whatever its viscosity is.
        v1::GreensBatch batch = loaded_.batch;
        if (batch.time().step_s() > 0.0) {
            for (v1::Material& material : *batch.mutable_structure()->mutable_materials()) {
                if (material.has_viscosity_pa_s()) {
                    material.set_viscosity_pa_s(1.0);
                }
            }
        }
        return request::content_hash(batch);
    }
    [[nodiscard]] std::vector<VerbTime> times(const v1::Estimate& estimate) const override {
        return {{kMesh, 0.0, estimate.mesh_s()},
                {kSolve, estimate.setup_s(), estimate.each_pack_s()},
                {kPackage, 0.0, estimate.package_s()}};
    }
    void settle(const v1::Estimate& found) override {
        if (found.has_surface_stored() && !found.surface_stored()) {
            loaded_.batch.mutable_output()->set_surface(kSurfaceNone);
        }
    }

private:
    LoadedBatch loaded_;
};

class GreensKind final
    : public KindOf<v1::GreensBatch, GreensRequest, load_batch, load_batch_file> {
public:
    [[nodiscard]] std::vector<std::string> schemas() const override {
        return {prototype().GetDescriptor()->full_name(), kScenarioSchema};
    }
    [[nodiscard]] std::string content_hash(const Message& message) const override {
        return request::content_hash(dynamic_cast<const v1::GreensBatch&>(message));
    }
};

}  // namespace

TaskGraph greens_graph(const LoadedBatch& loaded) {
    const Plan plan = make_plan(loaded);
    TaskGraph graph;
    Task package{.verb = kPackage, .label = kPackage, .key = plan.package_key};
    package.needs = {plan.mesh_key};
    for (const PlannedSource& source : plan.forces.empty() ? plan.sources : plan.forces) {
        graph.tasks.push_back({.verb = kSolve,
                               .label = source.id,
                               .key = source.key,
                               .compat_key = plan.compat_key,
                               .pool = kSolvePool,
                               .needs = {plan.mesh_key},
                               .source = true,
                               .session = true});
        package.gathers.push_back(source.key);
    }
    graph.tasks.push_back({.verb = kMesh, .label = kMesh, .key = plan.mesh_key});
    graph.tasks.push_back(std::move(package));
    return graph;
}

const Kind& greens_kind() {
    static const GreensKind kind;
    return kind;
}

namespace {

bool relaxes(const v1::Structure& structure) {
    const auto viscous = [](const auto& of) { return of.has_viscosity_pa_s(); };
    return std::ranges::any_of(structure.materials(), viscous) ||
           std::ranges::any_of(structure.volumes(), [&](const v1::StructureVolume& volume) {
               return viscous(volume.profile()) || viscous(volume.columns());
           });
}

std::vector<std::string> faults_of(const v1::GreensBatch& batch) {
    std::set<std::string> faults;
    const v1::Fault& fault = batch.fault();
    const auto add_kind = [&](const auto& one) {
        if (one.has_plane()) {
            faults.insert("plane");
        } else if (one.has_interface()) {
            faults.insert("interface");
        }
    };
    add_kind(fault);
    for (const v1::NamedFault& named : fault.several()) {
        add_kind(named);
        faults.insert(named.name());
    }
    if (fault.has_mesh()) {
        faults.insert("mesh");
        for (const v1::MeshSurface& surface : fault.mesh().surfaces()) {
            faults.insert(surface.name());
        }
    }
    if (faults.empty() && !batch.events().empty()) {
        faults.insert("slip_model");
    }
    return {faults.begin(), faults.end()};
}

std::optional<GeoBox> place_of(const LoadedBatch& loaded) {
    const v1::Region& region = loaded.batch.region();
    if (!region.crs().empty() && !region.has_centre_lon_deg()) {
        return std::nullopt;
    }
    std::vector<GeoPoint> points;
    for (const LonLat& at : places_of_slip(loaded.batch).at) {
        points.push_back({at.lon_deg, at.lat_deg});
    }
    if (points.empty() && region.has_centre_lon_deg() && region.has_centre_lat_deg()) {
        points.push_back({region.centre_lon_deg(), region.centre_lat_deg()});
    }
    for (const RequestStation& station : loaded.stations) {
        if (!station.plain) {
            points.push_back({station.lon_deg, station.lat_deg});
        }
    }
    return geo_box_of(points);
}

}  // namespace

Description describe(const LoadedBatch& loaded) {
    Description found;
    found.physics = relaxes(loaded.batch.structure()) && loaded.batch.time().end_s() > 0.0
                        ? "viscoelastic"
                        : "elastic";
    found.faults = faults_of(loaded.batch);
    found.structure_sha256 = sha256_hex(canonical_text(loaded.batch.structure()));
    std::set<std::string> stations;
    for (const RequestStation& station : loaded.stations) {
        stations.insert(station.id);
    }
    found.stations.assign(stations.begin(), stations.end());
    found.place = place_of(loaded);
    return found;
}

std::string canonical_json(const v1::GreensBatch& batch) {
    v1::GreensBatch complete = batch;
    fill_defaults(complete);
    return canonical_text(complete);
}

std::string key_text(const v1::GreensBatch& batch) {
    std::string text = canonical_json(batch);
    if (!batch.mesh().has_file() && !has_volumes(batch)) {
        // After growth, which is never left out, in alphabetical order.
        const std::string mesh = R"("mesh":{"growth":)";
        text.insert(text.find_first_of(",}", text.find(mesh) + mesh.size()),
                    R"(,"layers_above":5,"layers_below":8)");
    }
    return text;
}

std::string content_hash(const v1::GreensBatch& batch) {
    v1::GreensBatch unlabelled = batch;
    unlabelled.clear_name();
    unlabelled.clear_description();
    return sha256_hex(key_text(unlabelled));
}

}  // namespace kaname::request
