// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/cuda/runtime.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/viscoelastic/stepping/multistep_solver.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/bench/answer/answer_suite.hpp"
#include "tests/bench/cleaved.hpp"
#include "tests/bench/lattice.hpp"
#include "tests/bench/phase_rows.hpp"
#include "tests/bench/resident.hpp"
#include "tests/bench/suites.hpp"
#include "tests/support/nested_on_squares.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::bench {
namespace {

using lanes::kLanes;

struct Line {
    const char* method;
    viscoelastic::Method solver;
    viscoelastic::PredictorParams predictor;
    int warmup_steps;  ///< fill the predictor; the coseismic solve comes before
    int scored_steps;
    bool multistep = false;  ///< four steps of one source instead of four sources
    multigrid::NestedCgParams nested = {};
    viscoelastic::Scatter scatter = viscoelastic::Scatter::BlockAtomics;  ///< on a GPU
};

/// The lines of `methods`, all when it is empty.
std::vector<Line> lines(Size size, const std::vector<std::string>& methods, bool gpu) {
    using predictors::Polynomial;
    using viscoelastic::Method;
    using viscoelastic::predictor_params;
    using viscoelastic::PredictorKind;
    constexpr double kTolerance = linalg::PcgParams{}.tolerance;
    const int full = predictors::DataDrivenParams{}.columns + 5;
    std::vector<Line> lines = {
        {"pcge", Method::Pcge, Polynomial::Ab2, 5, size >= Size::Large ? 3 : 10},
        {"mg_ab2", Method::Seed, Polynomial::Ab2, full, 10},
        {"seed", Method::Seed, predictor_params(PredictorKind::DataDrivenPublished, kTolerance),
         full, 10},
        {"seed_literal", Method::Seed,
         predictor_params(PredictorKind::DataDrivenPublished, kTolerance), full, 10, false,
         test::nested_on_squares()},
        {"seed_truncated", Method::Seed, predictor_params(PredictorKind::DataDriven, kTolerance),
         full, 10},
        {"default", Method::Default, predictor_params(PredictorKind::Projection, kTolerance), full,
         10}};
    if (kLanes == 4) {
        lines.push_back({"multistep2018", Method::Seed, Polynomial::None, full, 10, true});
    }
    if (gpu) {
        lines.push_back({"default_coloured",
                         Method::Default,
                         predictor_params(PredictorKind::Projection, kTolerance),
                         full,
                         10,
                         false,
                         {},
                         viscoelastic::Scatter::Coloured});
    }
    if (!methods.empty()) {
        std::erase_if(
            lines, [&](const Line& line) { return std::ranges::count(methods, line.method) == 0; });
    }
    return lines;
}

/// Figures of the scored steps, one number per step.
struct Steps {
    std::vector<double> seconds_per_source, iterations, initial_residual, throughput;
    std::array<std::vector<double>, 3> inner;
    int first_solve_iterations = 0;
    double first_solve_s = 0.0;  ///< per source
};

template <class Solver>
Steps run_steps(Solver& solver, const Line& line, double dof, PhaseRows* phases, comm::Comm& comm,
                device::Queue& queue) {
    Steps steps;
    const int n_sources = line.multistep ? 1 : kLanes;
    while (!solver.finished()) {
        comm.barrier();
        if (phases != nullptr) {
            phases->start();
        }
        const auto start = Clock::now();
        const viscoelastic::StepResult step = solver.advance();
        queue.synchronize();
        const double seconds = seconds_since(start);
        // The lanes advance together until the last has converged.
        int iterations = 0;
        double initial = 0.0;
        for (const linalg::LaneResult& lane : std::span(step.lanes).first(n_sources)) {
            if (!lane.ok()) {
                throw Error(
                    ErrorCode::NotConverged,
                    std::string(line.method) + ", " + viscoelastic::failure_text(lane, step.step));
            }
            iterations = std::max(iterations, lane.iterations);
            initial = std::max(initial, lane.initial_residual);
        }
        if (comm.rank() == 0) {
            std::fprintf(stderr, "  %s step %d: %.3f s, %d iterations from %.2e\n", line.method,
                         step.step, seconds, iterations, initial);
        }
        if (step.step == 0) {
            steps.first_solve_iterations = iterations;
            steps.first_solve_s = seconds / n_sources;
            if (line.scored_steps == 0) {
                break;
            }
        }
        if (step.step > line.warmup_steps) {
            if (phases != nullptr) {
                phases->keep(seconds / n_sources, n_sources, comm);
            }
            steps.seconds_per_source.push_back(seconds / n_sources);
            steps.iterations.push_back(iterations);
            steps.initial_residual.push_back(initial);
            steps.throughput.push_back(dof * n_sources / seconds);
            for (std::size_t loop = 0; loop < steps.inner.size(); ++loop) {
                steps.inner[loop].push_back(static_cast<double>(step.inner_iterations[loop]));
            }
        }
    }
    return steps;
}

/// Runs on every rank; the figures of rank 0 go into its report.
void measure_line(const Lattice& lattice, const Line& line, const Options& options,
                  comm::Comm& comm, Report& report) {
    const ResidentGrowth memory;
    const auto setup_start = Clock::now();
    device::Queue queue(options.device);
    const bool gpu = options.device == device::Backend::Cuda;
    const auto free_bytes = [&] {
        return gpu ? static_cast<double>(device::cuda::device_info(0).free_bytes) : 0.0;
    };
    const double free_before = free_bytes();
    double gpu_bytes = 0.0;
    const p2::DofMap dofs(lattice.mesh);
    const auto split = fault::split_fault_nodes(lattice.mesh, dofs.conn, dofs.node_xyz);
    const viscoelastic::Model model(lattice.mesh, dofs, lattice.structure.materials, fixed_sides(),
                                    comm);
    viscoelastic::SolverParams params;
    params.method = line.solver;
    params.nested = line.nested;
    params.scatter = line.scatter;
    params.cg.max_iterations = 5000;  // block Jacobi needs many
    const viscoelastic::TimeGrid grid = {0.1 * lattice.maxwell_time_s,
                                         line.warmup_steps + line.scored_steps, 0.5};
    const auto offsets = viscoelastic::element_offsets(model, dofs, split, four_hats(dofs, split));
    const auto dof = static_cast<double>(model.n_dof());
    double setup_s = 0.0;
    std::optional<PhaseRows> phases;
    const auto say_set_up = [&] {
        queue.synchronize();
        setup_s = seconds_since(setup_start);
        if (options.phases) {
            phases.emplace(queue);
        }
        if (comm.rank() > 0) {
            return;
        }
        std::fprintf(stderr, "%s %s: %lld unknowns, set-up %.2f s\n", lattice.name.c_str(),
                     line.method, static_cast<long long>(model.n_dof()), setup_s);
    };
    Steps steps;
    if (line.multistep) {
        viscoelastic::MultistepSolver solver(model, grid, params, comm, queue);
        say_set_up();
        solver.start(offsets, 0);
        steps = run_steps(solver, line, dof, phases ? &*phases : nullptr, comm, queue);
        gpu_bytes = free_before - free_bytes();
    } else {
        viscoelastic::PackSolver solver(model, grid, params, line.predictor, comm, queue);
        say_set_up();
        solver.start(offsets);
        steps = run_steps(solver, line, dof, phases ? &*phases : nullptr, comm, queue);
        gpu_bytes = free_before - free_bytes();
    }
    if (comm.rank() > 0) {
        return;
    }
    Row row;
    row.model = lattice.name;
    row.method = line.method;
    row.ranks = comm.size();
    row.threads = device::max_threads();
    row.vectors = kLanes;
    row.dof = model.n_dof();
    report.add(row, "setup_s", "s", summarize({setup_s}));
    report.add(row, "first_solve_iterations", "1",
               summarize({double(steps.first_solve_iterations)}));
    report.add(row, "first_solve_s", "s", summarize({steps.first_solve_s}));
    if (options.first_solve) {
        return;
    }
    report.add(row, "seconds_per_source_step", "s", summarize(steps.seconds_per_source));
    if (phases) {
        phases->add_to(report, row);
    }
    report.add(row, "outer_iterations_per_step", "1", summarize(steps.iterations));
    for (std::size_t loop = 0; line.solver == viscoelastic::Method::Seed && loop < 3; ++loop) {
        report.add(row, "inner" + std::to_string(loop) + "_iterations_per_step", "1",
                   summarize(steps.inner[loop]));
    }
    report.add(row, "initial_relative_residual", "1", summarize(steps.initial_residual));
    report.add(row, "dof_source_step_per_s", "1/s", summarize(steps.throughput));
    if (gpu) {
        report.add(row, "bytes_per_dof", "B", summarize({gpu_bytes / dof}));
        // Inferred, not run: from the bytes of this size and all of the GPU's memory.
        const auto all = static_cast<double>(device::cuda::device_info(0).memory_bytes);
        report.add(row, "largest_problem_that_fits", "1", summarize({all * dof / gpu_bytes}));
    } else if (const auto bytes = memory.peak_bytes()) {
        report.add(row, "bytes_per_dof", "B", summarize({*bytes / dof}));
    } else {
        std::fprintf(stderr, "no bytes_per_dof: the peak of resident memory cannot be reset\n");
    }
}

/// Elements and angles of a mesh: what the iterations of a first solve go with.
void report_mesh(const Lattice& lattice, Report& report) {
    const mesh::QualityReport quality = mesh::measure_quality(lattice.mesh);
    Row row;
    row.model = lattice.name;
    row.method = "mesh";
    row.vectors = kLanes;
    row.threads = device::max_threads();
    row.dof = quality.dof();
    report.add(row, "elements", "1", summarize({static_cast<double>(quality.tets)}));
    report.add(row, "min_dihedral_deg", "deg", summarize({quality.min_dihedral_deg}));
    report.add(row, "p001_min_dihedral_deg", "deg", summarize({quality.p001_min_dihedral_deg}));
    report.add(row, "max_dihedral_deg", "deg", summarize({quality.max_dihedral_deg}));
}

void run_family(const std::string& family, const Options& options, Report& report) {
    const int threads = device::max_threads();
    const auto start = Clock::now();
    const Lattice lattice =
        family == "cleaved" ? make_cleaved(options.size) : make_lattice(options);
    std::fprintf(stderr, "%s: %zu elements, meshed in %.2f s\n", lattice.name.c_str(),
                 lattice.mesh.tets.size(), seconds_since(start));
    if (options.first_solve) {
        report_mesh(lattice, report);
    }
    const bool gpu = options.device == device::Backend::Cuda;
    std::exception_ptr error;
    for (Line& line : lines(options.size, options.methods, gpu)) {
        if (options.first_solve) {
            line.warmup_steps = 1;  // none is made, but the solve takes the steps' hierarchy
            line.scored_steps = 0;
        }
        try {
            comm::run_as_threads(options.ranks, [&](comm::Comm& comm) {
                device::set_threads(threads);  // the number belongs to this rank's thread
                measure_line(lattice, line, options, comm, report);
            });
        } catch (const Error& failed) {  // the other lines' figures are worth having
            std::fprintf(stderr, "%s %s: %s\n", lattice.name.c_str(), line.method, failed.what());
            error = error ? error : std::current_exception();
        }
        save(report);
    }
    // Lines of the lattices alone.
    const bool lattices = options.ranks == 1 && !options.first_solve && family == "lattice";
    const bool all = options.methods.empty();
    if (lattices && all && !gpu) {
        measure_near_incompressible(lattice, report);
    }
    if (lattices && (all || std::ranges::count(options.methods, "spectrum") > 0)) {
        const bool small = options.unknowns == 0.0 && options.size == Size::Small;
        measure_spectrum(lattice, small, options.device, report);
    }
    if (lattices && kLanes == 4 && std::ranges::count(options.methods, "reciprocal") > 0) {
        measure_reciprocal(lattice, report);
    }
#ifdef KANAME_BENCH_ANSWERS
    if (lattices && std::ranges::count(options.methods, "parametric_spectrum") > 0) {
        measure_answers(lattice, report);
    }
#endif
    if (error) {
        std::rethrow_exception(error);
    }
}

}  // namespace

void run_viscoelastic(const Options& options, Report& report) {
    for (const std::string& family : options.families) {
        run_family(family, options, report);
    }
}

}  // namespace kaname::bench
