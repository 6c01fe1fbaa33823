// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <ctime>

#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/p2/locate.hpp"
#include "solvers/viscoelastic/model/fault_traction.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "tests/bench/suites.hpp"

namespace kaname::bench {
namespace {

using lanes::kLanes;

constexpr double kSpectrumTolerance = 1e-7;
constexpr double kSolverTolerance = 1e-10;
// 744 sources and 20 stations of three components, four at a time.
constexpr double kManySources = 744.0, kManyForces = 60.0;

/// Processor time: what another program takes of the cores meanwhile does not count.
double processor_seconds_since(std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::vector<Vec3> two_stations() {
    return {{-16e3, 8e3, 0.0}, {24e3, -8e3, 0.0}};
}

/// [of field][numbers][lanes] -> [numbers][lanes] with the weights of every lane.
void add(const std::vector<double>& seen, const viscoelastic::ReducedModel::LaneRows& c,
         std::size_t first, std::vector<double>& sum) {
    for (std::size_t i = 0; i < seen.size(); ++i) {
        for (int lane = 0; lane < kLanes; ++lane) {
            sum[i - i % kLanes + lane] += c[first + i % kLanes][lane] * seen[i];
        }
    }
}

/// Returns the observed values of the last pack of a solver at the end of the spectrum's time.
std::vector<double> at_end(const viscoelastic::SpectrumSolver& solver,
                           const viscoelastic::RelaxationGroups& groups,
                           viscoelastic::Observation& observation,
                           std::span<const viscoelastic::ElementOffset> offsets, comm::Comm& comm,
                           device::Queue& queue) {
    std::vector<double> sum =
        observation.observe(solver.elastic_displacement(), offsets, comm, queue);
    const auto c = solver.reduced().modes(groups.relaxation).at(kSpectrumEnd_s);
    for (std::size_t k = 0; k < solver.basis().size(); ++k) {
        add(observation.observe(solver.basis()[k].view(), {}, comm, queue), c, k * kLanes, sum);
    }
    return sum;
}

}  // namespace

void measure_reciprocal(const Lattice& lattice, Report& report) {
    comm::SerialComm comm;
    device::Queue queue;
    const p2::DofMap dofs(lattice.mesh);
    const auto split = fault::split_fault_nodes(lattice.mesh, dofs.conn, dofs.node_xyz);
    const viscoelastic::Model model(lattice.mesh, dofs, lattice.structure.materials, fixed_sides(),
                                    comm);
    const auto groups = viscoelastic::relaxation_groups(model.materials(), model.element());
    const auto places = p2::locate_points(lattice.mesh, two_stations());
    const viscoelastic::PackSlip slip = four_hats(dofs, split);
    std::vector<viscoelastic::PointForce> forces;
    for (int k = 0; k < kLanes; ++k) {
        Vec3 along;
        along[k % 3] = 1.0;
        forces.push_back({places[static_cast<std::size_t>(k) / 3], along});
    }
    viscoelastic::Observer observer(model, places, queue);
    viscoelastic::FaultTraction traction(model, dofs, split, queue);
    viscoelastic::SpectrumParams params;
    params.end_s = kSpectrumEnd_s;
    params.tolerance = kSpectrumTolerance;
    params.kept_hierarchies = 16;
    viscoelastic::SolverParams solver_params;
    solver_params.cg.tolerance = kSolverTolerance;

    // A later pack of each way: it finds the hierarchies of its shifts, as all but the first do.
    const auto offsets = element_offsets(model, dofs, split, slip);
    viscoelastic::SpectrumSolver direct(model, groups, params, solver_params, observer, comm,
                                        queue);
    std::vector<double> motion;
    const auto run_direct = [&] {
        const auto start = std::clock();
        (void)direct.start(offsets);
        while (direct.advance()) {
        }
        motion = at_end(direct, groups, observer, offsets, comm, queue);
        return processor_seconds_since(start);
    };
    (void)run_direct();
    const double direct_s = run_direct();
    viscoelastic::SpectrumSolver turned(model, groups, params, solver_params, traction, comm,
                                        queue);
    const auto load = point_load(model, forces, queue);
    std::vector<double> T;
    const auto run_turned = [&] {
        const auto start = std::clock();
        (void)turned.start({}, load.view());
        while (turned.advance()) {
        }
        T = at_end(turned, groups, traction, {}, comm, queue);
        return processor_seconds_since(start);
    };
    (void)run_turned();
    const double turned_s = run_turned();

    double apart = 0.0;
    double size = 0.0;
    const auto start = std::clock();
    for (int force = 0; force < kLanes; ++force) {
        const std::vector<double> own = traction.own_offset(forces[force]);
        for (int source = 0; source < kLanes; ++source) {
            double sum = 0.0;
            for (std::size_t i = 0; i < own.size(); ++i) {
                sum +=
                    (T[i * kLanes + force] + own[i]) * slip[source][i / 3][static_cast<int>(i % 3)];
            }
            const double wanted =
                motion[(static_cast<std::size_t>(force) / 3 * 3 + force % 3) * kLanes + source];
            apart = std::max(apart, std::abs(sum - wanted));
            size = std::max(size, std::abs(wanted));
        }
    }
    const double summing_s =
        processor_seconds_since(start) / (kLanes * kLanes) * kManySources * kManyForces;
    const double all_direct_s = direct_s * kManySources / kLanes;
    const double all_turned_s = turned_s * kManyForces / kLanes + summing_s;
    std::fprintf(
        stderr,
        "  reciprocal: a pack of sources %.2f core-s, of forces %.2f core-s (%zu and %zu shifts); "
        "difference %.1e\n",
        direct_s, turned_s, direct.basis().size(), turned.basis().size(), apart / size);
    Row row;
    row.model = lattice.name;
    row.method = "reciprocal";
    row.threads = device::max_threads();
    row.vectors = kLanes;
    row.dof = model.n_dof();
    report.add(row, "core_seconds_per_pack_of_sources", "s", summarize({direct_s}));
    report.add(row, "core_seconds_per_pack_of_forces", "s", summarize({turned_s}));
    report.add(row, "times_faster_20_stations_744_sources", "1",
               summarize({all_direct_s / all_turned_s}));
    report.add(row, "relative_difference", "1", summarize({apart / size}));
}

}  // namespace kaname::bench
