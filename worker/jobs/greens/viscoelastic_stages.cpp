// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/viscoelastic_stages.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "solvers/io/mesh_file.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/mesh/quality.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"
#include "worker/jobs/geometry/quality_text.hpp"
#include "worker/jobs/greens/checkpoint.hpp"

namespace kaname::jobs {
namespace {

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

/// Four at a time; what a checkpoint holds comes first, as a pack of its own.
std::vector<std::vector<std::string>> packs_to_solve(std::vector<std::string> todo,
                                                     const std::vector<std::string>& begun) {
    const auto rest = std::stable_partition(todo.begin(), todo.end(), [&](const std::string& id) {
        return std::ranges::find(begun, id) != begun.end();
    });
    std::vector<std::vector<std::string>> packs;
    for (auto [from, to] : {std::pair(todo.begin(), rest), std::pair(rest, todo.end())}) {
        while (from != to) {
            const auto end = from + std::min<std::ptrdiff_t>(lanes::kLanes, to - from);
            packs.emplace_back(from, end);
            from = end;
        }
    }
    return packs;
}

}  // namespace

MeshSummary ViscoelasticStages::mesh(const GreensJob& job, const std::string& mesh_path,
                                     const MeshProgress& progress) const {
    const JobGeometry geometry(job);
    const MeshPlan& plan = geometry.fault().mesh_plan();
    if (plan.takes_long()) {
        // Errors are reported first, also where preflight was not called.
        if (std::vector<Violation> violations = geometry.check(); !violations.empty()) {
            throw ValidationError(std::move(violations));
        }
    }
    const mesh::TetMesh mesh = geometry.build_mesh(
        [&](double fraction, const char* stage) { progress(0.8 * fraction, stage); });
    progress(0.8, "check");
    const mesh::FaceSet faces =
        mesh::check_mesh(mesh, static_cast<int>(job.structure.materials.size()));
    progress(0.85, "report");
    const std::vector<earth::Material>& materials = job.structure.materials;
    const MeshReport report = plan.report(mesh, faces);
    const MeshSummary summary{quality_text(report, materials), mesh_report_json(report, materials),
                              static_cast<std::int64_t>(mesh.tets.size())};
    progress(0.95, "write");
    io::MeshLabels labels{{}, summary.text, summary.json};
    for (const earth::Material& material : materials) {
        labels.materials.push_back(material.name);
    }
    io::write_mesh(mesh_path, mesh, labels);
    progress(1.0, "done");
    return summary;
}

SolveSummary ViscoelasticStages::solve(
    const GreensJob& job, const std::string& mesh_path, const std::string& work_dir,
    comm::Comm& comm, const std::function<void(const SolveProgress&)>& progress) const {
    const auto start = std::chrono::steady_clock::now();
    SolveSummary summary;
    std::vector<std::string> todo;
    {
        const JobGeometry geometry(job);
        const std::string mesh_hash = io::mesh_sha256(io::read_mesh(mesh_path));
        for (const std::string& id : geometry.solve_ids()) {
            if (already_done(source_path(work_dir, id), geometry.source_key(mesh_hash, id))) {
                ++summary.sources_reused;
            } else {
                todo.push_back(id);
            }
        }
    }
    // Every rank must have looked before one of them writes.
    comm.barrier();
    if (todo.empty()) {
        return summary;
    }
    const std::unique_ptr<SolveSession> session = open(job, mesh_path, work_dir, comm);
    summary.dof = session->dof();
    summary.device = session->device();
    summary.effort = session->effort();
    summary.setup_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::vector<std::vector<std::string>> packs =
        packs_to_solve(std::move(todo), checkpoint_sources(work_dir));
    summary.packs = static_cast<std::int64_t>(packs.size());
    std::int64_t iterations = 0;
    std::int64_t solves = 0;
    for (std::size_t pack = 0; pack < packs.size(); ++pack) {
        const PackOutcome outcome = session->solve(packs[pack], [&](SolveProgress report) {
            report.pack = static_cast<int>(pack);
            report.packs = static_cast<int>(packs.size());
            report.fraction =
                (static_cast<double>(pack) + report.fraction) / static_cast<double>(packs.size());
            if (report.resumed_step > 0 && summary.resumed_step == 0) {
                summary.resumed_step = report.resumed_step;
            }
            summary.warnings.insert(summary.warnings.end(), report.warnings.begin(),
                                    report.warnings.end());
            progress(report);
            return true;
        });
        iterations += outcome.iterations;
        solves += outcome.solves;
        summary.solve_s += outcome.solve_s;
        for (const SourceOutcome& source : outcome.sources) {
            source.failed ? ++summary.sources_failed : ++summary.sources_done;
        }
    }
    summary.mean_iterations = static_cast<double>(iterations) / static_cast<double>(solves);
    summary.peak_bytes = comm.sum(peak_bytes());
    return summary;
}

}  // namespace kaname::jobs
