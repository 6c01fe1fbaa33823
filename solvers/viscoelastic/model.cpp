// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>

#include "solvers/mesh/partition.hpp"

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

Model::Model(const mesh::TetMesh& mesh, const fem::DofMap& dofs,
             std::vector<earth::Material> materials, std::vector<BoundaryCondition> conditions,
             comm::Comm& comm)
    : materials_(std::move(materials)), n_dof_(3 * dofs.n_nodes()) {
    const auto part = common_partition(mesh, comm);
    mesh_ = std::make_unique<fem::LocalMesh>(mesh, dofs, part, comm);
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

    element_of_.assign(mesh.tets.size(), -1);
    for (std::int32_t elem = 0; elem < mesh_->n_tets(); ++elem) {
        element_of_[mesh_->tet[elem]] = elem;
    }
}

StepModuli Model::step_moduli(double dt_s, double alpha) const {
    struct PerMaterial {
        double lam, mu, relax;
    };
    std::vector<PerMaterial> table;
    for (const earth::Material& material : materials_) {
        const double kappa = material.lambda_pa + 2.0 * material.mu_pa / 3.0;
        const double z =
            material.viscosity_pa_s ? dt_s * material.mu_pa / *material.viscosity_pa_s : 0.0;
        const double mu = material.mu_pa / (1.0 + alpha * z);
        table.push_back({(kappa - 2.0 * mu / 3.0) / scales_.modulus_pa, mu / scales_.modulus_pa,
                         z / (1.0 + alpha * z)});
    }
    StepModuli step;
    for (const std::int32_t material : mesh_->material) {
        step.moduli.lam.push_back(table[material].lam);
        step.moduli.mu.push_back(table[material].mu);
        step.relax.push_back(table[material].relax);
    }
    return step;
}

ElementModuli Model::shear_scaled(std::span<const double> share) const {
    ElementModuli moduli;
    for (const std::int32_t index : mesh_->material) {
        const earth::Material& material = materials_[index];
        const double kappa = material.lambda_pa + 2.0 * material.mu_pa / 3.0;
        const double mu = share[index] * material.mu_pa;
        moduli.lam.push_back((kappa - 2.0 * mu / 3.0) / scales_.modulus_pa);
        moduli.mu.push_back(mu / scales_.modulus_pa);
    }
    return moduli;
}

ElementModuli Model::deviatoric(std::span<const double> of) const {
    ElementModuli moduli;
    for (const std::int32_t index : mesh_->material) {
        const double mu = of[index] * materials_[index].mu_pa / scales_.modulus_pa;
        moduli.lam.push_back(-2.0 * mu / 3.0);
        moduli.mu.push_back(mu);
    }
    return moduli;
}

}  // namespace kaname::viscoelastic
