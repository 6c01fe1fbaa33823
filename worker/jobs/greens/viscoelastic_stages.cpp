// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/viscoelastic_stages.hpp"

#include <algorithm>
#include <filesystem>

#include "solvers/io/mesh_file.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/mesh/quality.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"
#include "worker/jobs/greens/checkpoint.hpp"
#include "worker/jobs/stage/pack_frame.hpp"

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

Unsolved ViscoelasticStages::unsolved(const GreensJob& job, const std::string& mesh_path,
                                      const std::string& work_dir) const {
    Unsolved found;
    std::vector<std::string> ids;
    const JobGeometry geometry(job);
    const std::string mesh_hash = io::mesh_sha256(io::read_mesh(mesh_path));
    for (const std::string& id : geometry.solve_ids()) {
        if (already_done(source_path(work_dir, id), geometry.source_key(mesh_hash, id))) {
            ++found.reused;
        } else {
            ids.push_back(id);
        }
    }
    // Sources of a checkpoint come first.
    found.packs = in_packs(std::move(ids), lanes::kLanes, checkpoint_sources(work_dir));
    return found;
}

}  // namespace kaname::jobs
