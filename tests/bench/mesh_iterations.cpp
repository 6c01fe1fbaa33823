// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/mesh_iterations.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/viscoelastic/model/nodal_stress.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/bench/lattice.hpp"
#include "tests/support/lattice/lattices.hpp"

namespace kaname::bench {
namespace {

using lanes::kLanes;

/// 1 m in the fault's surface, across the model's x, falling off from a place of each lane's own.
viscoelastic::PackSlip slip_on(const p2::DofMap& dofs, const fault::SplitNodes& split) {
    Vec3 low = dofs.node_xyz[split.split.front().node], high = low;
    for (const auto& [node, fault] : split.split) {
        for (int comp = 0; comp < 3; ++comp) {
            low[comp] = std::min(low[comp], dofs.node_xyz[node][comp]);
            high[comp] = std::max(high[comp], dofs.node_xyz[node][comp]);
        }
    }
    const Vec3 size = high - low;
    const double radius = 0.25 * norm(size);
    viscoelastic::PackSlip slip;
    for (int lane = 0; lane < kLanes; ++lane) {
        const Vec3 centre = low + Vec3{(lane % 2 == 0 ? 0.35 : 0.65) * size.x,
                                       (lane / 2 == 0 ? 0.35 : 0.65) * size.y, 0.5 * size.z};
        for (std::size_t k = 0; k < split.split.size(); ++k) {
            const Vec3 from = dofs.node_xyz[split.split[k].node] - centre;
            const double amount = std::exp(-dot(from, from) / (radius * radius));
            const Vec3 along = cross({1.0, 0.0, 0.0}, split.normal[k]);
            slip[lane].push_back((amount / std::max(norm(along), 0.1)) * along);
        }
    }
    return slip;
}

}  // namespace

FirstSolve solve_first(const mesh::TetMesh& mesh) {
    mesh::TetMesh one_material = mesh;
    std::ranges::fill(one_material.material, 0);
    comm::SerialComm comm;
    device::Queue queue;
    const p2::DofMap dofs(one_material);
    const auto split = fault::split_fault_nodes(one_material, dofs.conn, dofs.node_xyz);
    if (split.split.empty()) {
        throw Error(ErrorCode::InvalidArgument, "the mesh has no fault that can slip");
    }
    const earth::Material rock = {"rock", 3e10, 3e10, 0.0, std::nullopt};
    const viscoelastic::Model model(one_material, dofs, {rock}, fixed_sides(), comm);
    viscoelastic::SolverParams params;
    params.cg.max_iterations = 2000;
    // One smoother for every mesh: iterations are to tell of the cells.
    params.hierarchy.p2 = params.hierarchy.p2_thin;
    params.hierarchy.kappa_thin.reset();
    viscoelastic::Stiffness K(model, {model.relaxed_to(std::vector<viscoelastic::Share>{{}}), {}},
                              params, comm, queue);
    device::Buffer<double> f(model.vector_size());
    device::Buffer<double> u(model.vector_size());
    const auto offsets = viscoelastic::element_offsets(model, dofs, split, slip_on(dofs, split));
    viscoelastic::offset_force({{model.mesh(), model.geometry(), K.step().moduli}, offsets, f},
                               queue);
    lanes::zero_dofs<double>(model.boundary().fixed(), f, queue);
    linalg::PcgWorkspace work(model.vector_size(), queue);
    const auto start = std::chrono::steady_clock::now();
    FirstSolve solved;
    solved.dof = model.n_dof();
    for (const linalg::LaneResult& lane : K.solve(f, u, work)) {
        if (!lane.ok()) {
            throw Error(ErrorCode::NotConverged, viscoelastic::failure_text(lane, 0));
        }
        solved.iterations = std::max(solved.iterations, lane.iterations);
    }
    solved.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return solved;
}

mesh::TetMesh lattice_with(std::int64_t tets) {
    const auto source = [](double cell_m) {
        meshing::PlaneLatticeParams params;
        params.box = {160e3, 160e3, 80e3, 0.0};
        params.sizes.at_fault_m = cell_m;
        params.sizes.far_m = 6.0 * cell_m;
        params.sizes.growth = 0.5;
        params.structure.materials = {{"rock", 3e10, 3e10, 0.0, std::nullopt}};
        params.structure.layers = {{0, std::nullopt}};
        params.top_centre = {0.0, 0.0, -5e3};
        params.dip_rad = 45.0 * kDegree;
        params.window = {-20e3, 20e3, 0.0, 28e3};
        return make_plane_lattice(params);
    };
    double fine = 200.0, coarse = 20e3, best = coarse, nearest = std::numeric_limits<double>::max();
    for (int round = 0; round < 40; ++round) {  // counts jump: the closest is kept
        const double cell = std::sqrt(fine * coarse);
        const auto count = static_cast<double>(source(cell)->estimate().tets);
        const double miss = std::abs(std::log(count / static_cast<double>(tets)));
        if (miss < nearest) {
            nearest = miss;
            best = cell;
        }
        (count > static_cast<double>(tets) ? fine : coarse) = cell;
    }
    return source(best)->build([](double, const char*) {});
}

}  // namespace kaname::bench
