// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/seismic_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/material_rules.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/meshing/gmsh/gmsh_import.hpp"
#include "worker/jobs/ader_dg/volume_mesh_of_waves.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"

namespace kaname::jobs {
namespace {

constexpr int kWiggles = 50;

aderdg::Clusters with_step(double step_s, std::span<const double> largest_s,
                           std::span<const double> count) {
    constexpr double kRounding = 1e-12;  // a step of just twice the smallest is in cluster 1
    std::vector<double> sums;
    for (std::size_t k = 0; k < largest_s.size(); ++k) {
        const auto c =
            static_cast<std::size_t>(std::ilogb(largest_s[k] / step_s * (1.0 + kRounding)));
        sums.resize(std::max(sums.size(), c + 1));
        sums[c] += count[k];
    }
    aderdg::Clusters clusters;
    clusters.step_s = step_s;
    for (const double sum : sums) {
        clusters.elements.push_back(std::llround(sum));
    }
    return clusters;
}

}  // namespace

double updates_per_s(const aderdg::Clusters& clusters) {
    return static_cast<double>(clusters.updates()) / clusters.macro_step_s();
}

double gain_of(const aderdg::Clusters& clusters) {
    double tets = 0.0;
    for (const std::int64_t count : clusters.elements) {
        tets += static_cast<double>(count);
    }
    return tets / clusters.step_s / updates_per_s(clusters);
}

aderdg::Clusters clusters_of_steps(std::span<const double> largest_s, std::span<const double> count,
                                   double least_wiggle) {
    const double smallest_s = std::ranges::min(largest_s);
    aderdg::Clusters best = with_step(smallest_s, largest_s, count);
    for (int k = 1; k < kWiggles; ++k) {
        const double wiggle = 1.0 - (1.0 - least_wiggle) * k / (kWiggles - 1);
        aderdg::Clusters other = with_step(wiggle * smallest_s, largest_s, count);
        if (updates_per_s(other) < updates_per_s(best)) {
            best = std::move(other);
        }
    }
    return best;
}

namespace {

constexpr std::array<std::pair<mesh::Side, mesh::Side>, 3> kOpposite = {
    {{mesh::Side::West, mesh::Side::East},
     {mesh::Side::South, mesh::Side::North},
     {mesh::Side::Bottom, mesh::Side::Top}}};

bool is_periodic(const SeismicMeshRequest& request, mesh::Side side) {
    return request.sides[static_cast<std::size_t>(side)] == aderdg::Boundary::Periodic;
}

/// Checks of a request, each a violation.
class Checks {
public:
    void require(bool holds, const std::string& field, const std::string& rule, double value) {
        if (!holds) {
            broken_.push_back({field, "must be " + rule + ", got " + number(value)});
        }
    }
    void holds(bool holds, const std::string& field, const std::string& rule) {
        if (!holds) {
            broken_.push_back({field, rule});
        }
    }
    void length(const std::string& field, double value) {
        require(std::isfinite(value) && value > 0.0, field, "finite and > 0", value);
    }
    void materials(const std::vector<earth::Material>& materials) {
        for (const earth::Material& material : materials) {
            const std::string field = "materials '" + material.name + "'";
            require(material.density_kg_m3 > 0.0, field + ".density_kg_m3", "> 0",
                    material.density_kg_m3);
            require(material.mu_pa >= 0.0, field + ".mu_pa", ">= 0", material.mu_pa);
            require(material.kappa_pa() > 0.0, field + ".kappa_pa", "> 0", material.kappa_pa());
        }
    }
    void add(std::vector<Violation> broken) {
        std::ranges::move(broken, std::back_inserter(broken_));
    }
    void done() {
        if (!broken_.empty()) {
            throw ValidationError(std::move(broken_));
        }
    }

private:
    std::vector<Violation> broken_;
};

void check(const LayeredBox& box, Checks& checks) {
    checks.length("size_x_m", box.size_x_m);
    checks.length("size_y_m", box.size_y_m);
    checks.length("depth_m", box.depth_m);
    checks.materials(box.layers.materials);
    const auto n_materials = static_cast<int>(box.layers.materials.size());
    checks.holds(!box.layers.layers.empty(), "layers", "must have at least one");
    double above = 0.0;
    for (std::size_t k = 0; k < box.layers.layers.size(); ++k) {
        const earth::Layer& layer = box.layers.layers[k];
        const std::string field = "layers[" + std::to_string(k) + "]";
        checks.require(layer.material >= 0 && layer.material < n_materials, field + ".material",
                       "one of the materials", layer.material);
        if (k + 1 < box.layers.layers.size() || layer.bottom_depth_m) {
            const double bottom = layer.bottom_depth_m.value_or(0.0);
            checks.require(bottom > above, field + ".bottom_depth_m",
                           "deeper than " + number(above), bottom);
            above = bottom;
        }
    }
}

void check(const EarthBox& box, Checks& checks) {
    checks.length("size_east_m", box.size_east_m);
    checks.length("size_north_m", box.size_north_m);
    checks.length("depth_m", box.depth_m);
}

void check(const MeshOfOnesOwn& own, Checks& checks) {
    checks.materials(own.materials);
}

/// One material on either side of a vertical plane.
class SidesRule final : public earth::MaterialRule {
public:
    SidesRule(const FaultPlane& plane, int minus, int plus)
        : plane_(plane), minus_(minus), plus_(plus) {}
    [[nodiscard]] int material_at(double x, double y, double /*z*/) const override {
        const double strike = plane_.strike_deg * kDegree;
        const double right =
            (x - plane_.x_m) * std::cos(strike) - (y - plane_.y_m) * std::sin(strike);
        return right > 0.0 ? plus_ : minus_;
    }

private:
    FaultPlane plane_;
    int minus_, plus_;
};

void check_plus_side(const SeismicMeshRequest& request, Checks& checks) {
    const auto* box = std::get_if<LayeredBox>(&request.model);
    if (box == nullptr || box->plus_materials.empty()) {
        return;
    }
    const auto n = box->layers.layers.size();
    checks.require(box->plus_materials.size() == n, "plus_materials",
                   "one for each of " + std::to_string(n) + " layers",
                   static_cast<double>(box->plus_materials.size()));
    for (const int material : box->plus_materials) {
        checks.require(material >= 0 && material < std::ssize(box->layers.materials),
                       "plus_materials", "one of the materials", material);
    }
    const auto* plane =
        request.faults.empty() ? nullptr : std::get_if<FaultPlane>(&request.faults.front().place);
    checks.holds(plane != nullptr && plane->dip_deg == 90.0, "plus_materials",
                 "need a vertical plane as the first fault");
}

void check(const SeismicMeshRequest& request) {
    Checks checks;
    checks.length("max_frequency_hz", request.max_frequency_hz);
    checks.require(request.order >= aderdg::kLeastOrder && request.order <= aderdg::kMostOrder,
                   "order", number(aderdg::kLeastOrder) + " to " + number(aderdg::kMostOrder),
                   request.order);
    checks.require(request.elements_per_wavelength >= 0.0, "elements_per_wavelength", ">= 0",
                   request.elements_per_wavelength);
    checks.length("growth", request.growth);
    checks.require(request.fine_size_m >= 0.0, "fine_size_m", ">= 0", request.fine_size_m);
    checks.require(request.thinnest_layer >= 0.0 && request.thinnest_layer < 1.0, "thinnest_layer",
                   "in [0, 1)", request.thinnest_layer);
    checks.require(request.max_elements >= 0, "max_elements", ">= 0",
                   static_cast<double>(request.max_elements));
    for (const auto& [one, other] : kOpposite) {
        const char* name = mesh::kSideNames[static_cast<std::size_t>(other)];
        checks.holds(is_periodic(request, one) == is_periodic(request, other),
                     std::string("sides.") + name, "must be periodic where the opposite side is");
    }
    std::visit([&](const auto& model) { check(model, checks); }, request.model);
    checks.add(check_faults(request));
    check_plus_side(request, checks);
    checks.done();
}

earth::VolumeModel flat_model(const LayeredBox& box, std::span<const SeismicFault> faults) {
    earth::VolumeModel model;
    model.size_u_m = box.size_x_m;
    model.size_v_m = box.size_y_m;
    model.depth_m = box.depth_m;
    model.materials = box.layers.materials;
    model.surfaces.push_back({"top", earth::HeightField(0.0)});
    const auto& layers = box.layers.layers;
    const auto rule_of = [&](std::size_t k) -> std::shared_ptr<const earth::MaterialRule> {
        if (box.plus_materials.empty()) {
            return earth::constant_rule(layers[k].material);
        }
        return std::make_shared<SidesRule>(std::get<FaultPlane>(faults.front().place),
                                           layers[k].material, box.plus_materials[k]);
    };
    for (std::size_t k = 0; k < layers.size(); ++k) {
        const std::string name = "layer-" + std::to_string(k);
        const bool last =
            k + 1 == layers.size() || layers[k].bottom_depth_m.value_or(0.0) >= box.depth_m;
        model.volumes.push_back(
            {name, -1, last ? -1 : static_cast<int>(model.surfaces.size()), rule_of(k), 0.0});
        if (last) {
            break;
        }
        model.surfaces.push_back(
            {"bottom-of-" + name, earth::HeightField(-*layers[k].bottom_depth_m)});
    }
    return model;
}

earth::VolumeModel model_of_earth(const EarthBox& box, std::vector<std::string>& notes) {
    earth::VolumeLayout layout = box.volumes;
    layout.size_u_m = box.size_east_m;
    layout.size_v_m = box.size_north_m;
    layout.depth_m = box.depth_m;
    layout.azimuth_rad = box.azimuth_rad;
    earth::BuiltVolumeModel built = build_structure(layout, earth::Projection(box.centre));
    notes = std::move(built.notes);
    return *built.model;
}

SeismicMesh with_solids(SeismicMesh mesh, const std::vector<earth::Material>& materials) {
    for (const earth::Material& material : materials) {
        mesh.model.solids.push_back(
            {material.density_kg_m3, material.lambda_pa, material.mu_pa, {}});
        mesh.materials.push_back(material.name);
    }
    return mesh;
}

std::vector<std::pair<mesh::SurfaceId, mesh::SurfaceId>> periodic_sides(
    const SeismicMeshRequest& request) {
    std::vector<std::pair<mesh::SurfaceId, mesh::SurfaceId>> pairs;
    for (const auto& [one, other] : kOpposite) {
        if (is_periodic(request, one)) {
            pairs.emplace_back(one, other);
        }
    }
    return pairs;
}

meshing::GmshRoles roles_of(const MeshOfOnesOwn& own, std::span<const SeismicFault> faults) {
    meshing::GmshRoles roles;
    for (const SeismicFault& fault : faults) {
        const auto& file = std::get<FaultInFile>(fault.place);
        roles.faults.push_back({file.surface, fault.field, {}});
        if (file.strike_deg) {
            roles.faults.back().strike_rad = *file.strike_deg * kDegree;
        }
    }
    for (const earth::Material& material : own.materials) {
        roles.materials.push_back(material.name);
    }
    for (const auto& [name, boundary] : own.boundaries) {
        roles.boundaries.push_back({name, "boundaries['" + name + "']"});
    }
    roles.top = own.top;
    roles.length_unit = own.length_unit;
    return roles;
}

std::vector<aderdg::Boundary> boundaries_of(const MeshOfOnesOwn& own, const mesh::TetMesh& mesh) {
    std::vector<aderdg::Boundary> surfaces(mesh.surfaces.size(), aderdg::Boundary::Absorbing);
    surfaces[mesh.top.index] = aderdg::Boundary::Free;
    for (std::size_t k = 0; k < mesh.surfaces.size(); ++k) {
        if (const auto found = own.boundaries.find(mesh.surfaces[k]);
            found != own.boundaries.end()) {
            surfaces[k] = found->second;
        }
    }
    return surfaces;
}

}  // namespace

std::vector<aderdg::Boundary> surfaces_of(const SeismicMeshRequest& request,
                                          const mesh::TetMesh& mesh) {
    const auto* own = std::get_if<MeshOfOnesOwn>(&request.model);
    return own != nullptr
               ? boundaries_of(*own, mesh)
               : std::vector<aderdg::Boundary>(request.sides.begin(), request.sides.end());
}

SeismicMeshPlan::SeismicMeshPlan(SeismicMeshRequest request) : request_(std::move(request)) {
    check(request_);
    if (const auto* own = std::get_if<MeshOfOnesOwn>(&request_.model)) {
        materials_ = own->materials;
        return;
    }
    double azimuth_rad = 0.0;
    earth::VolumeModel model;
    if (const auto* earth = std::get_if<EarthBox>(&request_.model)) {
        model = model_of_earth(*earth, notes_);
        azimuth_rad = earth->azimuth_rad;
        Checks checks;
        checks.materials(model.materials);
        checks.done();
    } else {
        model = flat_model(std::get<LayeredBox>(request_.model), request_.faults);
    }
    materials_ = model.materials;
    volumes_ = std::make_unique<VolumeMeshOfWaves>(request_, std::move(model), azimuth_rad);
}

SeismicMeshPlan::SeismicMeshPlan(SeismicMeshPlan&& other) noexcept = default;
SeismicMeshPlan::~SeismicMeshPlan() = default;

const earth::Material* SeismicMeshPlan::material_at(const Vec3& x) const {
    const std::optional<int> found = volumes_ ? volumes_->material_at(x) : std::nullopt;
    return found ? &materials_.at(static_cast<std::size_t>(*found)) : nullptr;
}

SeismicMeshPlan::Estimate SeismicMeshPlan::estimate(const aderdg::WaveParams& params) const {
    if (!volumes_) {
        const SeismicMesh own = read();
        return {{std::ssize(own.model.mesh.xyz), std::ssize(own.model.mesh.tets)},
                aderdg::find_clusters(own.model, params)};
    }
    const meshing::MeshSource::Count count = volumes_->count();
    return {count, volumes_->clusters(count.tets, params)};
}

SeismicMesh SeismicMeshPlan::read() const {
    const auto& own = std::get<MeshOfOnesOwn>(request_.model);
    meshing::GmshImport file = meshing::GmshSource(own.path, roles_of(own, request_.faults)).read();
    mesh::check_mesh(file.mesh, static_cast<int>(materials_.size()));
    for (std::size_t k = 0; k < request_.faults.size(); ++k) {
        file.mesh.faults[k] = request_.faults[k].name;
    }
    std::ranges::move(part_faults(file.mesh), std::back_inserter(file.notes));
    SeismicMesh result;
    result.model.mesh = std::move(file.mesh);
    result.model.surfaces = boundaries_of(own, result.model.mesh);
    result.notes = std::move(file.notes);
    return with_solids(std::move(result), materials_);
}

SeismicMesh SeismicMeshPlan::build(const meshing::Progress& progress) const {
    SeismicMesh result;
    if (volumes_) {
        result.model.mesh = volumes_->build(progress);
        mesh::check_mesh(result.model.mesh, static_cast<int>(materials_.size()));
        result.model.surfaces.assign(request_.sides.begin(), request_.sides.end());
        result.model.periodic = periodic_sides(request_);
        result.notes = notes_;
        std::ranges::move(part_faults(result.model.mesh), std::back_inserter(result.notes));
        std::ranges::move(volumes_->lost_layers(), std::back_inserter(result.notes));
        result = with_solids(std::move(result), materials_);
    } else {
        result = read();
    }
    result.resolution = measure_resolution(result.model, request_.max_frequency_hz,
                                           request_.wanted_per_wavelength());
    if (!volumes_) {
        require_resolution(result.resolution, "max_frequency_hz");
    }
    if (auto note = resolution_note(result.resolution)) {
        result.notes.push_back(*std::move(note));
    }
    return result;
}

}  // namespace kaname::jobs
