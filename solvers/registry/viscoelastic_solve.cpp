// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <unordered_map>

#include <sys/resource.h>

#include "solvers/io/mesh_file.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/registry/quality_text.hpp"
#include "solvers/registry/viscoelastic_stages.hpp"
#include "solvers/viscoelastic/observer.hpp"
#include "solvers/viscoelastic/pack_solver.hpp"

namespace kaname::registry {

using kernels::kLanes;
using viscoelastic::BoundaryCondition;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024.0;
}

std::vector<BoundaryCondition> boundary_conditions(const GreensJob& job, const Setup& setup) {
    std::vector<BoundaryCondition> conditions;
    for (int side = 0; side < mesh::kSideCount; ++side) {
        const auto s = static_cast<mesh::Side>(side);
        if (job.boundary[side] == BoundaryKind::Fixed) {
            for (int comp = 0; comp < 3; ++comp) {
                conditions.push_back({s, comp});
            }
        } else if (job.boundary[side] == BoundaryKind::Roller) {
            conditions.push_back({s, setup.normal_axis(s)});
        }
    }
    return conditions;
}

viscoelastic::SolverParams solver_params(const GreensJob& job) {
    viscoelastic::SolverParams params;
    params.method =
        job.method == "pcge" ? viscoelastic::Method::Pcge : viscoelastic::Method::Default;
    params.cg.tolerance = job.tolerance;
    params.cg.max_iterations = job.max_iterations;
    return params;
}

/// Fault coordinates of the nodes on the fault. On an interface each takes a walk down its section
/// (hundreds of depths), so they are found once for all sources.
class FaultNodes {
public:
    FaultNodes(const Setup& setup, const sources::SplitNodes& split, const fem::DofMap& dofs)
        : setup_(setup), split_(split), dofs_(dofs) {
        for (const auto* nodes : {&split.split, &split.rim}) {
            for (const std::int32_t node : *nodes) {
                at_.emplace(node, setup.fault().coordinates(dofs.node_xyz[node]));
            }
        }
    }

    /// Slip of one source at every split node.
    [[nodiscard]] std::vector<Vec3> slip_of(sources::UnitSource source) const {
        if (!setup_.uniform_slip()) {
            return sources::nodal_slip(split_, dofs_.node_xyz, [&](std::int32_t node) {
                return source.slip_at(setup_.fault(), at_.at(node));
            });
        }
        // The meshed fault is wider than the patch by the rim's correction and slips everywhere.
        source.patch.length_m *= 2.0;
        source.patch.width_m *= 2.0;
        std::vector<Vec3> slip;
        slip.reserve(split_.split.size());
        for (const std::int32_t node : split_.split) {
            slip.push_back(source.slip_at(setup_.fault(), at_.at(node)));
        }
        return slip;
    }

private:
    const Setup& setup_;
    const sources::SplitNodes& split_;
    const fem::DofMap& dofs_;
    std::unordered_map<std::int32_t, sources::FaultCoordinates> at_;
};

/// The result file of a source when it was made from this very job and mesh.
bool already_done(const std::string& path, const std::string& key) {
    if (!std::filesystem::exists(path)) {
        return false;
    }
    try {
        const io::SourceResult result = io::read_source_result(path);
        return result.key == key && !result.failed;
    } catch (const Error&) {
        return false;  // left half-made by a killed run: computed again
    }
}

/// Results of the pack that is being solved.
struct PackRecord {
    std::vector<std::size_t> sources;  ///< indices into Setup::sources()
    std::vector<io::SourceResult> results;

    void add_step(const viscoelastic::StepResult& step, const std::vector<double>& observed) {
        for (std::size_t lane = 0; lane < results.size(); ++lane) {
            io::SourceResult& result = results[lane];
            const linalg::LaneResult& report = step.lanes[lane];
            result.step_time_s.push_back(step.time_s);
            result.iterations.push_back(report.iterations);
            result.residual.push_back(report.residual);
            result.initial_residual.push_back(report.initial_residual);
            if (!report.ok() && !result.failed) {
                result.failed = true;
                result.failure = viscoelastic::failure_text(report, step.step);
            }
            for (std::size_t at = lane; at < observed.size(); at += kLanes) {
                result.displacement_m.push_back(result.failed ? std::nan("") : observed[at]);
            }
        }
    }
};

}  // namespace

std::string ViscoelasticStages::mesh(const GreensJob& job, const std::string& mesh_path,
                                     const MeshProgress& progress) const {
    const Setup setup(job);
    const mesh::TetMesh mesh = setup.mesh_source().build(
        [&](double fraction, const char* stage) { progress(0.8 * fraction, stage); });
    progress(0.85, "check");
    mesh::check_mesh(mesh, static_cast<int>(job.structure.materials.size()));
    const mesh::QualityReport quality = mesh::measure_quality(mesh);
    progress(0.95, "write");
    io::write_mesh(mesh_path, mesh);
    progress(1.0, "done");
    return quality_text(quality, job.structure);
}

SolveSummary ViscoelasticStages::solve(
    const GreensJob& job, const std::string& mesh_path, const std::string& work_dir,
    comm::Comm& comm, const std::function<void(const SolveProgress&)>& progress) const {
    const auto setup_start = Clock::now();
    const Setup setup(job);
    const mesh::TetMesh mesh = io::read_mesh(mesh_path);
    const std::string mesh_hash = io::mesh_sha256(mesh);
    const fem::DofMap dofs(mesh);
    const Steps steps = time_steps(job);

    SolveSummary summary;
    summary.dof = 3 * dofs.n_nodes();
    std::vector<std::size_t> todo;
    for (std::size_t k = 0; k < setup.sources().size(); ++k) {
        const std::string& id = setup.sources()[k].id;
        if (already_done(source_path(work_dir, id), source_key(job, mesh_hash, id))) {
            ++summary.sources_reused;
        } else {
            todo.push_back(k);
        }
    }
    // Every rank must have looked before one of them writes.
    comm.barrier();
    if (todo.empty()) {
        summary.setup_s = seconds_since(setup_start);
        return summary;
    }

    const auto split = sources::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    const FaultNodes fault_nodes(setup, split, dofs);
    const viscoelastic::Model model(mesh, dofs, job.structure.materials,
                                    boundary_conditions(job, setup), comm);
    device::Queue queue;
    viscoelastic::PackSolver solver(model, {steps.dt_s, steps.n, job.alpha}, solver_params(job),
                                    predictors::polynomial_from_name(job.predictor), comm, queue);
    const viscoelastic::Observer observer(model, fem::locate_points(mesh, setup.stations()));
    summary.setup_s = seconds_since(setup_start);

    const auto solve_start = Clock::now();
    const int packs = static_cast<int>((todo.size() + kLanes - 1) / kLanes);
    std::int64_t iterations = 0;
    std::int64_t solves = 0;
    for (int pack = 0; pack < packs; ++pack) {
        PackRecord record;
        viscoelastic::PackSlip slip;
        std::string ids;
        for (int lane = 0; lane < kLanes && std::size_t(pack * kLanes + lane) < todo.size();
             ++lane) {
            const std::size_t k = todo[pack * kLanes + lane];
            const sources::UnitSource& source = setup.sources()[k];
            slip[lane] = fault_nodes.slip_of(source);
            io::SourceResult result;
            result.source_id = source.id;
            result.key = source_key(job, mesh_hash, source.id);
            record.sources.push_back(k);
            record.results.push_back(std::move(result));
            ids += (ids.empty() ? "" : ",") + source.id;
        }
        solver.start(viscoelastic::element_offsets(model, dofs, split, slip));
        while (!solver.finished()) {
            const viscoelastic::StepResult step = solver.advance();
            record.add_step(step, observer.observe(solver.displacement(), solver.offsets(), comm));
            SolveProgress report{ids, pack, packs, step.step, steps.n, 0, 0.0, 0.0, 0.0};
            for (const linalg::LaneResult& lane : step.lanes) {
                report.iterations = std::max(report.iterations, lane.iterations);
                report.initial_residual = std::max(report.initial_residual, lane.initial_residual);
                report.residual = std::max(report.residual, lane.residual);
            }
            iterations += report.iterations;
            ++solves;
            report.fraction =
                (pack + (step.step + 1.0) / (steps.n + 1.0)) / static_cast<double>(packs);
            if (comm.rank() == 0) {
                progress(report);
            }
        }
        std::exception_ptr error;
        try {
            for (const io::SourceResult& result : record.results) {
                result.failed ? ++summary.sources_failed : ++summary.sources_done;
                if (comm.rank() == 0) {
                    io::write_source_result(source_path(work_dir, result.source_id), result);
                }
            }
        } catch (...) {
            error = std::current_exception();
        }
        comm.throw_if_any(error);
    }
    summary.solve_s = seconds_since(solve_start);
    summary.mean_iterations = static_cast<double>(iterations) / static_cast<double>(solves);
    summary.peak_bytes = comm.sum(peak_bytes());
    return summary;
}

}  // namespace kaname::registry
