// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>

#include "solvers/base/error.hpp"
#include "solvers/mesh/partition.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::viscoelastic {
namespace {

/// Rank 0's partition on every rank. Each rank's own would not do: METIS draws from the process's
/// one random sequence, so ranks that are threads would get different parts.
std::vector<std::int32_t> common_partition(const mesh::TetMesh& mesh, comm::Comm& comm) {
    std::vector<std::int32_t> part(mesh.tets.size());
    comm::Bytes packed(part.size() * sizeof(std::int32_t));
    std::exception_ptr error;
    if (comm.rank() == 0) {
        try {
            part = mesh::partition_tets(mesh.xyz, mesh.tets, comm.size());
            std::memcpy(packed.data(), part.data(), packed.size());
        } catch (...) {
            error = std::current_exception();
        }
    }
    comm.throw_if_any(error);
    comm.broadcast(packed, 0);
    std::memcpy(part.data(), packed.data(), packed.size());
    return part;
}

}  // namespace

Model::Model(const mesh::TetMesh& mesh, const p2::DofMap& dofs,
             std::vector<earth::Material> materials, std::vector<BoundaryCondition> conditions,
             comm::Comm& comm, Element element, Gravity gravity)
    : materials_(std::move(materials)), n_dof_(3 * dofs.n_nodes()) {
    const auto part = common_partition(mesh, comm);
    mesh_ = std::make_unique<p2::LocalMesh>(mesh, dofs, part, comm);
    boundary_ = std::make_unique<BoundaryData>(mesh, dofs, *mesh_, std::move(conditions));
    require_no_rigid_motion(*mesh_, boundary_->fixed(), comm);

    // The same scales on every rank: mean size of a tet, largest shear modulus in use.
    double volume = 0.0;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        volume += det6(mesh.xyz[v[0]], mesh.xyz[v[1]], mesh.xyz[v[2]], mesh.xyz[v[3]]) / 6.0;
        scales_.modulus_pa = std::max(scales_.modulus_pa, materials_[mesh.material[tet]].mu_pa);
    }
    scales_.length_m = std::cbrt(volume / static_cast<double>(mesh.tets.size()));
    geometry_ = element_geometry(*mesh_, scales_);
    const bool viscous = std::ranges::any_of(
        materials_, [](const earth::Material& m) { return m.viscosity_pa_s.has_value(); });
    if (element == Element::NodalDilatation && viscous) {
        pressure_nodes_ = std::make_unique<PressureNodes>(*mesh_, geometry_, materials_, comm);
    }

    for (std::int32_t elem = 0; elem < mesh_->n_tets(); ++elem) {
        const bool second = n_branches(materials_[mesh_->material[elem]]) == 2;
        if (second && second_slot_.empty()) {
            second_slot_.assign(mesh_->n_tets(), -1);
        }
        if (second) {
            second_slot_[elem] = n_second_++;
        }
    }
    element_of_.assign(mesh.tets.size(), -1);
    for (std::int32_t elem = 0; elem < mesh_->n_tets(); ++elem) {
        element_of_[mesh_->tet[elem]] = elem;
    }
    if (gravity == Gravity::Buoyancy) {
        buoyancy_ = std::make_unique<Buoyancy>(mesh, *mesh_, element_of_, materials_, scales_);
    }
}

const ElementArrays& Model::elements(device::Queue& queue) const {
    auto& arrays = arrays_[static_cast<int>(queue.backend())];
    if (!arrays) {
        arrays = std::make_unique<ElementArrays>(*mesh_, geometry_, queue);
    }
    return *arrays;
}

StepModuli Model::step_moduli(double dt_s, double alpha) const {
    std::vector<MaterialStep> of;
    std::vector<MaterialStep> bulk;
    constexpr MaterialStep kLasting;
    std::vector<Share> share;
    for (const earth::Material& material : materials_) {
        of.push_back(material_step(material, dt_s, alpha));
        bulk.push_back(bulk_step(material, dt_s, alpha));
        share.push_back({of.back().share, bulk.back().share});
    }
    StepModuli step{relaxed_to(share), {}};
    for (std::int32_t elem = 0; elem < mesh_->n_tets(); ++elem) {
        const MaterialStep& own = of[mesh_->material[elem]];
        const MaterialStep& mean = pressure_nodes_ ? bulk[mesh_->material[elem]] : kLasting;
        step.relax.push_back({own.relax, mean.relax});
        if (n_second_ > 0 && second_slot_[elem] >= 0) {
            step.second_relax.push_back({own.second_relax, mean.second_relax});
            step.second_weight.push_back(
                {own.second_share / own.share, mean.second_share / mean.share});
        }
    }
    for (std::int32_t v = 0; pressure_nodes_ && v < pressure_nodes_->size(); ++v) {
        step.nodal.push_back(bulk[pressure_nodes_->material[v]]);
    }
    return step;
}

ElementModuli Model::relaxed_to(std::span<const Share> share) const {
    ElementModuli moduli;
    moduli.buoyant = buoyancy_ != nullptr;
    for (const std::int32_t index : mesh_->material) {
        const earth::Material& material = materials_[index];
        const bool nodal = pressure_nodes_ && material.viscosity_pa_s;
        const double mu = share[index].shear * material.mu_pa;
        const double kappa = (nodal ? share[index].bulk : 1.0) * material.kappa_pa();
        moduli.lam.push_back((kappa - 2.0 * mu / 3.0) / scales_.modulus_pa);
        moduli.mu.push_back(mu / scales_.modulus_pa);
    }
    const bool elastic = std::ranges::all_of(share, [](const Share& s) { return s.bulk == 1.0; });
    for (std::int32_t v = 0; !elastic && pressure_nodes_ && v < pressure_nodes_->size(); ++v) {
        const std::int32_t index = pressure_nodes_->material[v];
        moduli.nodal_bulk.push_back((1.0 - share[index].bulk) * materials_[index].kappa_pa() /
                                    scales_.modulus_pa);
    }
    return moduli;
}

ElementModuli Model::relaxing(std::span<const Share> of) const {
    ElementModuli moduli;
    for (const std::int32_t index : mesh_->material) {
        const earth::Material& material = materials_[index];
        const bool nodal = pressure_nodes_ && material.viscosity_pa_s;
        const double mu = of[index].shear * material.mu_pa;
        const double kappa = (nodal ? of[index].bulk : 0.0) * material.kappa_pa();
        moduli.lam.push_back((kappa - 2.0 * mu / 3.0) / scales_.modulus_pa);
        moduli.mu.push_back(mu / scales_.modulus_pa);
    }
    for (std::int32_t v = 0; pressure_nodes_ && v < pressure_nodes_->size(); ++v) {
        const std::int32_t index = pressure_nodes_->material[v];
        moduli.nodal_bulk.push_back(-of[index].bulk * materials_[index].kappa_pa() /
                                    scales_.modulus_pa);
    }
    return moduli;
}

}  // namespace kaname::viscoelastic
