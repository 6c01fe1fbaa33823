// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "solvers/jobs/greens/packing.hpp"
#include "solvers/jobs/greens/step_response.hpp"

namespace kaname::jobs {
void ViscoelasticStages::pack_sources(Packing& packing, bool only_these) const {
    if (packing.job.by_receivers) {
        pack_by_forces(packing);
        return;
    }
    const JobGeometry& geometry = packing.geometry;
    const SideSources& sides = geometry.sides();
    SlipOnMesh& slip = packing.slip();
    const StepResponse of_slip = packing.response(packing.job.slip_history);
    const auto add = [&](const std::string& id, const StepResponse& response, const auto& row) {
        if (only_these && !packing.files.contains(id)) {
            return;
        }
        Packing::Read read = packing.read(id);
        PackageSummary& summary = packing.summary;
        ++(read.status == 1   ? summary.sources_done
           : read.status == 2 ? summary.sources_failed
                              : summary.sources_missing);
        std::vector<double> motion;
        io::GreensDataset::Reduced reduced;
        if (read.status == 1) {
            motion = response.motion(*read.result, read.fields, packing.width());
            for (const double value : motion) {
                summary.max_displacement_m = std::max(summary.max_displacement_m, std::abs(value));
            }
            if (packing.steps.spectrum && read.result->by_spectrum()) {
                reduced = {read.result->reduced, std::move(read.fields)};
            }
        }
        packing.add(row(id), read, std::move(motion));
        if (packing.steps.spectrum) {
            packing.dataset.reduced.push_back(std::move(reduced));
        }
    };
    for (const std::string& id : geometry.slip().ids()) {
        add(id, of_slip, [&](const std::string& of) { return slip.row(of); });
    }
    slip.find_neighbours(packing.dataset.sources);
    for (const std::string& id : sides.ids()) {
        add(id, packing.response(sides.at(sides.index(id)).history),
            [&](const std::string& of) { return sides.row(of); });
    }
}

PackageSummary ViscoelasticStages::package(const GreensJob& job, const std::string& mesh_path,
                                           const SourceFiles& files, bool only_these,
                                           const std::string& dataset_path) const {
    Packing packing(job, mesh_path, files);
    pack_sources(packing, only_these);
    packing.write(dataset_path);
    packing.summary.tets = static_cast<std::int64_t>(packing.mesh.tets.size());
    return packing.summary;
}

SourceFiles ViscoelasticStages::find_results(const GreensJob& job,
                                             const std::string& work_dir) const {
    SourceFiles files;
    const JobGeometry geometry(job);
    for (const std::string& id : geometry.solve_ids()) {
        const std::string path = source_path(work_dir, id);
        if (std::filesystem::exists(path)) {
            files.emplace(id, path);
        }
    }
    return files;
}

}  // namespace kaname::jobs
