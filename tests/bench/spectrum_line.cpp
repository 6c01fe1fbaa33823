// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/p2/locate.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/bench/resident.hpp"
#include "tests/bench/suites.hpp"

namespace kaname::bench {
namespace {

using lanes::kLanes;

constexpr int kSpectrumEpochs = 1000;
constexpr double kSignalTolerance = 1e-5;  // share of the stations' postseismic displacement
// Time steps of the reference, which is Richardson extrapolated from this many and twice as many.
constexpr int kReferenceSteps = 300;

/// A grid of stations over the fault.
std::vector<Vec3> stations_over_fault() {
    std::vector<Vec3> points;
    for (int i = -5; i <= 5; ++i) {
        for (int j = -5; j <= 5; ++j) {
            points.push_back({8e3 * i, 8e3 * j, 0.0});
        }
    }
    return points;
}

struct Problem {
    const p2::DofMap& dofs;
    const fault::SplitNodes& split;
    const viscoelastic::Model& model;
    viscoelastic::Observer& observer;
    comm::Comm& comm;
    device::Queue& queue;

    [[nodiscard]] std::vector<viscoelastic::ElementOffset> offsets() const {
        return viscoelastic::element_offsets(model, dofs, split, four_hats(dofs, split));
    }
};

/// u(end) - u(0) at the stations by time steps, and the seconds that one step of the default took.
std::vector<double> stepped(const Problem& problem, int n_steps, double& seconds_per_step) {
    viscoelastic::SolverParams params;
    viscoelastic::PackSolver solver(
        problem.model, {kSpectrumEnd_s / n_steps, n_steps, 0.5}, params,
        viscoelastic::predictor_params(viscoelastic::PredictorKind::Projection, 1e-8), problem.comm,
        problem.queue);
    solver.start(problem.offsets());
    std::vector<double> first;
    auto start = Clock::now();
    while (!solver.finished()) {
        for (const linalg::LaneResult& lane : solver.advance().lanes) {
            if (!lane.ok()) {
                throw Error(ErrorCode::NotConverged, "spectrum's reference: a step failed");
            }
        }
        if (first.empty()) {
            first = problem.observer.observe(solver.displacement(), solver.offsets(), problem.comm,
                                             problem.queue);
            start = Clock::now();
        }
    }
    seconds_per_step = seconds_since(start) / n_steps;
    auto last = problem.observer.observe(solver.displacement(), solver.offsets(), problem.comm,
                                         problem.queue);
    for (std::size_t i = 0; i < last.size(); ++i) {
        last[i] -= first[i];
    }
    return last;
}

/// The basis at the stations: [4 vectors each][stations][3], from the lanes.
struct Observed {
    std::vector<std::vector<double>> basis;

    [[nodiscard]] std::vector<double> at(const viscoelastic::RelaxationModes& modes,
                                         double t_s) const {
        const auto c = modes.at(t_s);
        std::vector<double> u(basis.empty() ? 0 : basis[0].size(), 0.0);
        for (std::size_t k = 0; k < basis.size(); ++k) {
            for (std::size_t i = 0; i < u.size(); i += kLanes) {
                for (int from = 0; from < kLanes; ++from) {
                    for (int lane = 0; lane < kLanes; ++lane) {
                        u[i + lane] += basis[k][i + from] * c[k * kLanes + from][lane];
                    }
                }
            }
        }
        return u;
    }
};

/// Largest difference over the largest value, the worst source.
double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0.0;
    for (int lane = 0; lane < kLanes; ++lane) {
        double apart = 0.0;
        double size = 0.0;
        for (std::size_t i = lane; i < b.size(); i += kLanes) {
            apart = std::max(apart, std::abs(a[i] - b[i]));
            size = std::max(size, std::abs(b[i]));
        }
        worst = std::max(worst, apart / size);
    }
    return worst;
}

}  // namespace

void measure_spectrum(const Lattice& lattice, bool with_reference, device::Backend backend,
                      Report& report) {
    const ResidentGrowth memory;
    comm::SerialComm comm;
    device::Queue queue(backend);
    const p2::DofMap dofs(lattice.mesh);
    const auto split = fault::split_fault_nodes(lattice.mesh, dofs.conn, dofs.node_xyz);
    const viscoelastic::Model model(lattice.mesh, dofs, lattice.structure.materials, fixed_sides(),
                                    comm);
    const auto points = stations_over_fault();
    const auto places = p2::locate_points(lattice.mesh, points);
    viscoelastic::Observer observer(model, places, queue);
    const Problem problem{dofs, split, model, observer, comm, queue};
    const auto groups = viscoelastic::relaxation_groups(model.materials(), model.element());
    viscoelastic::SpectrumParams params;
    params.end_s = kSpectrumEnd_s;
    params.tolerance = kSignalTolerance;
    params.kept_hierarchies = 16;
    viscoelastic::SpectrumSolver solver(model, groups, params, {}, observer, comm, queue);

    const auto first = Clock::now();
    (void)solver.start(problem.offsets());
    while (solver.advance()) {
    }
    const double first_pack = seconds_since(first);
    // A later pack finds the matrices and hierarchies of its shifts.
    const auto start = Clock::now();
    (void)solver.start(problem.offsets());
    int solves = 1;
    while (const auto shift = solver.advance()) {
        ++solves;
        std::fprintf(stderr, "  spectrum solve %d: shift %.2e / s, residual %.1e, %d iterations\n",
                     solves, shift->shift_per_s, shift->residual_before,
                     shift->lanes[0].iterations);
    }
    Observed observed;
    for (const auto& w : solver.basis()) {
        observed.basis.push_back(observer.observe(w, {}, comm, queue));
    }
    const auto modes = solver.reduced().modes(groups.relaxation);
    double checksum = 0.0;
    for (int epoch = 1; epoch <= kSpectrumEpochs; ++epoch) {
        checksum += observed.at(modes, kSpectrumEnd_s * epoch / kSpectrumEpochs)[0];
    }
    const double seconds = seconds_since(start);
    std::fprintf(stderr, "  spectrum: %d solves, %d epochs, %.2f s (sum %.6e)\n", solves,
                 kSpectrumEpochs, seconds, checksum);

    Row row;
    row.model = lattice.name;
    row.method = "spectrum";
    row.threads = device::max_threads();
    row.vectors = kLanes;
    row.dof = model.n_dof();
    report.add(row, "solves_per_pack", "1", summarize({double(solves)}));
    report.add(row, "seconds_per_source_step", "s",
               summarize({seconds / (kLanes * kSpectrumEpochs)}));
    report.add(row, "seconds_per_pack", "s", summarize({seconds}));
    report.add(row, "seconds_first_pack", "s", summarize({first_pack}));
    if (backend == device::Backend::Cuda) {
        std::fprintf(stderr, "  spectrum: no bytes_per_dof of a GPU's memory\n");
    } else if (const auto bytes = memory.peak_bytes()) {
        report.add(row, "bytes_per_dof", "B",
                   summarize({*bytes / static_cast<double>(model.n_dof())}));
    }
    if (!with_reference) {
        return;
    }
    double seconds_per_step = 0.0;
    const auto coarse = stepped(problem, kReferenceSteps, seconds_per_step);
    const auto fine = stepped(problem, 2 * kReferenceSteps, seconds_per_step);
    std::vector<double> exact(fine.size());
    for (std::size_t i = 0; i < fine.size(); ++i) {
        exact[i] = (4.0 * fine[i] - coarse[i]) / 3.0;
    }
    std::fprintf(stderr, "  reference: %d steps differ by %.1e, %.4f s each\n", 2 * kReferenceSteps,
                 relative_difference(fine, exact), seconds_per_step);
    report.add(row, "default_steps_per_pack_time", "1", summarize({seconds / seconds_per_step}));
    report.add(row, "relative_error_vs_stepping", "1",
               summarize({relative_difference(observed.at(modes, kSpectrumEnd_s), exact)}));
}

}  // namespace kaname::bench
