// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/seismic_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/earth/material_rules.hpp"
#include "solvers/jobs/geometry/build_volumes.hpp"
#include "solvers/jobs/geometry/rough_count.hpp"
#include "solvers/jobs/seismic_waves/volume_sizes.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"
#include "solvers/meshing/gmsh/gmsh_import.hpp"

namespace kaname::jobs {
namespace {

// Longest edges of the lattice over those wanted. Only a quarter of its edges are that long: the
// sizes of its elements are within 1.07 of what is wanted.
constexpr double kLongest = 1.2;

/// Checks of a request, each a violation.
class Checks {
public:
    void require(bool holds, const std::string& field, const std::string& rule, double value) {
        if (!holds) {
            broken_.push_back({field, "must be " + rule + ", got " + number(value)});
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
    checks.require(!box.layers.layers.empty(), "layers", "at least one", 0.0);
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
    checks.require(request.max_elements >= 0, "max_elements", ">= 0",
                   static_cast<double>(request.max_elements));
    std::visit([&](const auto& model) { check(model, checks); }, request.model);
    checks.done();
}

earth::VolumeModel flat_model(const LayeredBox& box) {
    earth::VolumeModel model;
    model.size_u_m = box.size_x_m;
    model.size_v_m = box.size_y_m;
    model.depth_m = box.depth_m;
    model.materials = box.layers.materials;
    model.surfaces.push_back({"top", earth::HeightField(0.0)});
    const auto& layers = box.layers.layers;
    for (std::size_t k = 0; k < layers.size(); ++k) {
        const std::string name = "layer-" + std::to_string(k);
        const bool last =
            k + 1 == layers.size() || layers[k].bottom_depth_m.value_or(0.0) >= box.depth_m;
        model.volumes.push_back({name, -1, last ? -1 : static_cast<int>(model.surfaces.size()),
                                 earth::constant_rule(layers[k].material), 0.0});
        if (last) {
            break;
        }
        model.surfaces.push_back(
            {"bottom-of-" + name, earth::HeightField(-*layers[k].bottom_depth_m)});
    }
    return model;
}

earth::VolumeModel model_of(const EarthBox& box, std::vector<std::string>& notes) {
    earth::VolumeModelSpec spec = box.volumes;
    spec.size_u_m = box.size_east_m;
    spec.size_v_m = box.size_north_m;
    spec.depth_m = box.depth_m;
    spec.azimuth_rad = box.azimuth_rad;
    earth::BuiltVolumeModel built = build_structure(spec, earth::Projection(box.centre));
    notes = std::move(built.notes);
    return *built.model;
}

std::vector<aderdg::Solid> solids_of(const std::vector<earth::Material>& materials) {
    std::vector<aderdg::Solid> solids;
    for (const earth::Material& material : materials) {
        solids.push_back({material.density_kg_m3, material.lambda_pa, material.mu_pa, {}});
    }
    return solids;
}

meshing::GmshRoles roles_of(const MeshOfOnesOwn& own) {
    meshing::GmshRoles roles;
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

struct SeismicMeshPlan::Made {
    cleaving::VolumeMeshParams params;
    std::vector<VolumeSpeeds> speeds;
    std::unique_ptr<meshing::MeshSource> source;

    Made(const SeismicMeshRequest& request, earth::VolumeModel model, double azimuth_rad);
    [[nodiscard]] StepReport steps(int order, double cfl) const;
    [[nodiscard]] ValidationError too_large() const;
};

SeismicMeshPlan::Made::Made(const SeismicMeshRequest& request, earth::VolumeModel model,
                            double azimuth_rad)
    : speeds(speeds_of_volumes(model)) {
    params.box = {model.size_u_m, model.size_v_m, model.depth_m, azimuth_rad};
    for (std::size_t k = 0; k < speeds.size(); ++k) {
        double& size_m = model.volumes[k].size_m;
        if (speeds[k].slowest_m_per_s > 0.0) {
            const double wanted =
                size_for_edge_m(kLongest * speeds[k].slowest_m_per_s /
                                (request.max_frequency_hz * request.wanted_per_wavelength()));
            size_m = size_m > 0.0 ? std::min(size_m, wanted) : wanted;
            params.sizes.far_m = std::max(params.sizes.far_m, size_m);
        }
    }
    params.sizes.growth = request.growth;
    if (request.fine_size_m > 0.0 && !request.fine_at.empty()) {
        params.sizes.points.push_back({request.fine_size_m, request.fine_at});
    }
    params.max_tets = request.max_elements;
    const bool level = std::ranges::all_of(
        model.surfaces, [](const earth::ModelSurface& s) { return s.height.constant(); });
    params.model = std::make_shared<const earth::VolumeModel>(std::move(model));
    if (level) {
        params.roots = roots_for_layers(params, speeds);
    }
    source = cleaving::make_volume_mesh(params);
}

ValidationError SeismicMeshPlan::Made::too_large() const {
    return ValidationError(std::vector<Violation>{
        {"max_elements", "must be at least what the sizes come to, about " +
                             formatted("%.3g", rough_count(params)) + " elements, got " +
                             std::to_string(params.max_tets) +
                             "; lower max_frequency_hz, or raise order"}});
}

SeismicMeshPlan::SeismicMeshPlan(SeismicMeshRequest request) : request_(std::move(request)) {
    check(request_);
    if (const auto* own = std::get_if<MeshOfOnesOwn>(&request_.model)) {
        materials_ = own->materials;
        return;
    }
    if (const auto* earth = std::get_if<EarthBox>(&request_.model)) {
        earth::VolumeModel model = model_of(*earth, notes_);
        Checks checks;
        checks.materials(model.materials);
        checks.done();
        made_ = std::make_unique<Made>(request_, std::move(model), earth->azimuth_rad);
    } else {
        made_ =
            std::make_unique<Made>(request_, flat_model(std::get<LayeredBox>(request_.model)), 0.0);
    }
    materials_ = made_->params.model->materials;
}

SeismicMeshPlan::~SeismicMeshPlan() = default;

}  // namespace kaname::jobs
