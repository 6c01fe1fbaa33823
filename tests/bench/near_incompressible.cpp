// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/viscoelastic/model/nodal_stress.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/bench/suites.hpp"

namespace kaname::bench {
namespace {

using lanes::kLanes;

/// Share of the bulk modulus that is integrated fully when a Maxwell body's shear modulus has
/// relaxed to `shear`, in (0, 1]: with g = s/(s + a) that of s/(s + a/kBulkSlowness).
double bulk_share(double shear) {
    constexpr double kSlowness = viscoelastic::kBulkSlowness;
    return kSlowness * shear / (1.0 + (kSlowness - 1.0) * shear);
}

struct Solved {
    int iterations = 0;
    double seconds = 0.0;
};

/// The response to slip where every mu has fallen to kappa / ratio.
Solved solve(const Lattice& lattice, viscoelastic::Element element, double ratio) {
    comm::SerialComm comm;
    device::Queue queue;
    const p2::DofMap dofs(lattice.mesh);
    const auto split = fault::split_fault_nodes(lattice.mesh, dofs.conn, dofs.node_xyz);
    std::vector<earth::Material> materials = lattice.structure.materials;
    std::vector<viscoelastic::Share> share;
    for (earth::Material& material : materials) {
        material.viscosity_pa_s = 1e19;
        const double relaxed = material.kappa_pa() / (ratio * material.mu_pa);
        share.push_back({relaxed, bulk_share(relaxed)});
    }
    const viscoelastic::Model model(lattice.mesh, dofs, materials, fixed_sides(), comm, element);
    viscoelastic::SolverParams params;
    params.cg.max_iterations = 2000;
    viscoelastic::Stiffness K(model, {model.relaxed_to(share), {}}, params, comm, queue);
    device::Buffer<double> f(model.vector_size());
    device::Buffer<double> u(model.vector_size());
    const auto offsets = viscoelastic::element_offsets(model, dofs, split, four_hats(dofs, split));
    const viscoelastic::ElementModuli& moduli = K.step().moduli;
    viscoelastic::offset_force({{model.mesh(), model.geometry(), moduli}, offsets, f}, queue);
    viscoelastic::nodal_offset_force(model, moduli, offsets, f, queue);
    lanes::zero_dofs<double>(model.boundary().fixed(), f, queue);
    linalg::PcgWorkspace work(model.vector_size(), queue);
    const auto start = Clock::now();
    Solved solved;
    for (const linalg::LaneResult& lane : K.solve(f, u, work)) {
        if (!lane.ok()) {
            throw Error(ErrorCode::NotConverged, "kappa/mu of " + std::to_string(ratio) + ": " +
                                                     viscoelastic::failure_text(lane, 0));
        }
        solved.iterations = std::max(solved.iterations, lane.iterations);
    }
    solved.seconds = seconds_since(start) / kLanes;
    return solved;
}

}  // namespace

void measure_near_incompressible(const Lattice& lattice, Report& report) {
    using viscoelastic::Element;
    for (const Element element : {Element::P2, Element::NodalDilatation}) {
        for (const int ratio : {2, 20, 100, 1000}) {
            const Solved solved = solve(lattice, element, ratio);
            Row row;
            row.model = lattice.name;
            row.method = std::string(element == Element::P2 ? "p2" : "nodal_dilatation") +
                         "_kappa_mu_" + std::to_string(ratio);
            row.threads = device::max_threads();
            row.vectors = kLanes;
            row.dof = static_cast<std::int64_t>(3) * p2::DofMap(lattice.mesh).n_nodes();
            std::fprintf(stderr, "  %s: %d iterations, %.2f s per source\n", row.method.c_str(),
                         solved.iterations, solved.seconds);
            report.add(row, "iterations_from_zero", "1", summarize({double(solved.iterations)}));
            report.add(row, "seconds_per_source", "s", summarize({solved.seconds}));
        }
    }
}

}  // namespace kaname::bench
