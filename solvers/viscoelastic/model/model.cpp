// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <numeric>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/mesh/partition.hpp"
#include "solvers/parallel/incidence.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::viscoelastic {

MaterialStep material_step(const earth::Material& material, double dt_s, double alpha) {
    MaterialStep step;
    if (n_branches(material) == 1) {
        const double z =
            material.viscosity_pa_s ? dt_s * material.mu_pa / *material.viscosity_pa_s : 0.0;
        step.share = 1.0 / (1.0 + alpha * z);
        step.relax = z / (1.0 + alpha * z);
        return step;
    }
    const Relaxation relaxation = relaxation_of(material);
    const Relaxation::Branch& first = relaxation.branches[0];
    const Relaxation::Branch& second = relaxation.branches[1];
    const double z = dt_s * first.rate_per_s;
    const double second_z = dt_s * second.rate_per_s;
    step.relax = z / (1.0 + alpha * z);
    step.second_relax = second_z / (1.0 + alpha * second_z);
    step.second_share = second.share / (1.0 + alpha * second_z);
    step.share = first.share / (1.0 + alpha * z) + step.second_share;
    return step;
}

MaterialStep bulk_step(const earth::Material& material, double dt_s, double alpha) {
    return material_step(material, dt_s / kBulkSlowness, alpha);  // only rates times dt count
}

namespace {

/// visit(place, first) for the places (element * 4 + corner) of a vertex, ascending, with the first
/// place of the same material.
template <class Visit>
void for_each_place(std::span<const std::int32_t> places, const std::vector<std::int32_t>& material,
                    const Visit& visit) {
    std::vector<std::pair<std::int32_t, std::int32_t>> known;  // (material, first place): few
    for (const std::int32_t place : places) {
        const std::int32_t of = material[place / 4];
        auto found = std::ranges::find(known, of, &std::pair<std::int32_t, std::int32_t>::first);
        if (found == known.end()) {
            found = known.insert(found, {of, place});
        }
        visit(place, found->second);
    }
}

}  // namespace

PressureNodes::PressureNodes(const p2::LocalMesh& mesh, std::span<const ElementGeometry> geometry,
                             std::span<const earth::Material> materials, comm::Comm& comm) {
    const std::int64_t n_places = 4 * std::int64_t(mesh.n_tets());
    const Incidence around = incidence(n_places, mesh.n_vertices(), [&](std::int64_t place) {
        return materials[mesh.material[place / 4]].viscosity_pa_s
                   ? mesh.conn_p1[place / 4][place % 4]
                   : -1;
    });
    // Numbers by the place that names a vertex and material first.
    std::vector<std::int32_t> number(n_places, 0);
    parallel_for(mesh.n_vertices(), [&](std::int64_t vertex) {
        for_each_place(around.of(vertex), mesh.material,
                       [&](std::int32_t place, std::int32_t first) {
                           number[place] = place == first ? 1 : 0;
                       });
    });
    const std::int32_t n = exclusive_sum(std::span(number));
    material.resize(n);
    gid.resize(n);
    volume.assign(n, 0.0);
    conn.resize(mesh.n_tets());
    parallel_for(mesh.n_tets(), [&](std::int64_t elem) { conn[elem].fill(n); });
    parallel_for(mesh.n_vertices(), [&](std::int64_t vertex) {
        for_each_place(
            around.of(vertex), mesh.material, [&](std::int32_t place, std::int32_t first) {
                const std::int32_t at = number[first];
                const std::int32_t of = mesh.material[place / 4];
                material[at] = of;
                gid[at] =
                    mesh.vertex_gid[vertex] * static_cast<std::int64_t>(materials.size()) + of;
                conn[place / 4][place % 4] = at;
                volume[at] += 0.25 * geometry[place / 4].volume;
            });
    });
    halo = comm::Halo(comm, gid);
    own_volume = volume;
    halo.sum(std::span<double>(volume), 1);
}

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

/// In the order of tets, so that it does not depend on threads.
double volume_of(const mesh::TetMesh& mesh) {
    std::vector<double> volume(mesh.tets.size());
    parallel_for(std::ssize(mesh.tets), [&](std::int64_t tet) {
        const auto& v = mesh.tets[tet];
        volume[tet] = det6(mesh.xyz[v[0]], mesh.xyz[v[1]], mesh.xyz[v[2]], mesh.xyz[v[3]]) / 6.0;
    });
    return std::accumulate(volume.begin(), volume.end(), 0.0);
}

/// Returns the largest shear modulus of the materials in use [Pa].
double largest_modulus(const mesh::TetMesh& mesh, const std::vector<earth::Material>& materials) {
    std::vector<std::uint8_t> used(materials.size(), 0);
    for (const std::int32_t index : mesh.material) {
        used[index] = 1;
    }
    double largest = 0.0;
    for (std::size_t index = 0; index < materials.size(); ++index) {
        largest = std::max(largest, used[index] != 0 ? materials[index].mu_pa : 0.0);
    }
    return largest;
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

    // Scales are the same on every rank: mean size of a tet, largest shear modulus in use.
    scales_.modulus_pa = std::max(scales_.modulus_pa, largest_modulus(mesh, materials_));
    scales_.length_m = std::cbrt(volume_of(mesh) / static_cast<double>(mesh.tets.size()));
    geometry_ = element_geometry(*mesh_, scales_);
    const bool viscous = std::ranges::any_of(
        materials_, [](const earth::Material& m) { return m.viscosity_pa_s.has_value(); });
    if (element == Element::NodalDilatation && viscous) {
        pressure_nodes_ = std::make_unique<PressureNodes>(*mesh_, geometry_, materials_, comm);
    }

    if (std::ranges::any_of(materials_, [](const auto& of) { return n_branches(of) == 2; })) {
        number_second_branches();
    }
    element_of_.assign(mesh.tets.size(), -1);
    parallel_for(mesh_->n_tets(), [&](std::int64_t elem) {
        element_of_[mesh_->tet[elem]] = static_cast<std::int32_t>(elem);
    });
    if (gravity == Gravity::Buoyancy) {
        buoyancy_ = std::make_unique<Buoyancy>(mesh, *mesh_, element_of_, materials_, scales_);
    }
}

void Model::number_second_branches() {
    for (std::int32_t elem = 0; elem < mesh_->n_tets(); ++elem) {
        const bool second = n_branches(materials_[mesh_->material[elem]]) == 2;
        if (second && second_slot_.empty()) {
            second_slot_.assign(mesh_->n_tets(), -1);
        }
        if (second) {
            second_slot_[elem] = n_second_++;
        }
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
    StepModuli step{relaxed_to(share), std::vector<Parts>(mesh_->n_tets())};
    step.second_relax.resize(n_second_);
    step.second_weight.resize(n_second_);
    parallel_for(mesh_->n_tets(), [&](std::int64_t elem) {
        const MaterialStep& own = of[mesh_->material[elem]];
        const MaterialStep& mean = pressure_nodes_ ? bulk[mesh_->material[elem]] : kLasting;
        step.relax[elem] = {own.relax, mean.relax};
        if (n_second_ > 0 && second_slot_[elem] >= 0) {
            const std::int32_t slot = second_slot_[elem];
            step.second_relax[slot] = {own.second_relax, mean.second_relax};
            step.second_weight[slot] = {own.second_share / own.share,
                                        mean.second_share / mean.share};
        }
    });
    for (std::int32_t v = 0; pressure_nodes_ && v < pressure_nodes_->size(); ++v) {
        step.nodal.push_back(bulk[pressure_nodes_->material[v]]);
    }
    return step;
}

void Model::fill_lame(std::span<const Share> share, double lasting_bulk,
                      ElementModuli& moduli) const {
    moduli.lam.resize(mesh_->n_tets());
    moduli.mu.resize(mesh_->n_tets());
    parallel_for(mesh_->n_tets(), [&](std::int64_t elem) {
        const std::int32_t index = mesh_->material[elem];
        const earth::Material& material = materials_[index];
        const bool nodal = pressure_nodes_ && material.viscosity_pa_s;
        const double mu = share[index].shear * material.mu_pa;
        const double kappa = (nodal ? share[index].bulk : lasting_bulk) * material.kappa_pa();
        moduli.lam[elem] = (kappa - 2.0 * mu / 3.0) / scales_.modulus_pa;
        moduli.mu[elem] = mu / scales_.modulus_pa;
    });
}

ElementModuli Model::relaxed_to(std::span<const Share> share) const {
    ElementModuli moduli;
    moduli.buoyant = buoyancy_ != nullptr;
    fill_lame(share, 1.0, moduli);
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
    fill_lame(of, 0.0, moduli);
    for (std::int32_t v = 0; pressure_nodes_ && v < pressure_nodes_->size(); ++v) {
        const std::int32_t index = pressure_nodes_->material[v];
        moduli.nodal_bulk.push_back(-of[index].bulk * materials_[index].kappa_pa() /
                                    scales_.modulus_pa);
    }
    return moduli;
}

}  // namespace kaname::viscoelastic
