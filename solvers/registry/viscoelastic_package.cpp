// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "solvers/registry/packing.hpp"
#include "solvers/registry/scenario_package.hpp"
#include "solvers/registry/source_rows.hpp"
#include "solvers/registry/step_response.hpp"

namespace kaname::registry {
namespace {

void package_sources(Packing& packing, bool only_these) {
    SourceRows rows(packing.job, packing.setup, packing.mesh, packing.dofs);
    const StepResponse of_slip = packing.response(packing.job.slip_history);
    std::vector<StepResponse> of_sides;
    for (const BoundarySourceSpec& source : packing.job.boundary_sources) {
        of_sides.push_back(packing.response(source.history));
    }
    for (const std::string& id : packing.setup.source_ids()) {
        if (only_these && !packing.files.contains(id)) {
            continue;
        }
        Packing::Read read = packing.read(id);
        PackageSummary& summary = packing.summary;
        ++(read.status == 1   ? summary.sources_done
           : read.status == 2 ? summary.sources_failed
                              : summary.sources_missing);
        std::vector<double> motion;
        io::GreensDataset::Reduced reduced;
        if (read.status == 1) {
            const int boundary = packing.setup.boundary_source(id);
            motion = (boundary < 0 ? of_slip : of_sides[boundary])
                         .motion(*read.result, read.fields, packing.width());
            for (const double value : motion) {
                summary.max_displacement_m = std::max(summary.max_displacement_m, std::abs(value));
            }
            if (packing.steps.spectrum) {
                reduced = {read.result->reduced, std::move(read.fields)};
            }
        }
        packing.add(rows.row(id), read, std::move(motion));
        if (packing.steps.spectrum) {
            packing.dataset.reduced.push_back(std::move(reduced));
        }
    }
    rows.find_neighbours(packing.dataset.sources);
}

}  // namespace

PackageSummary ViscoelasticStages::package(const GreensJob& job, const std::string& mesh_path,
                                           const SourceFiles& files, bool only_these,
                                           const std::string& dataset_path) const {
    Packing packing(job, mesh_path, files);
    if (job.scenario) {
        package_scenario(packing, only_these);
    } else {
        package_sources(packing, only_these);
    }
    packing.write(dataset_path);
    packing.summary.tets = static_cast<std::int64_t>(packing.mesh.tets.size());
    return packing.summary;
}

SourceFiles ViscoelasticStages::find_results(const GreensJob& job,
                                             const std::string& work_dir) const {
    SourceFiles files;
    const Setup setup(job);
    for (const std::string& id : setup.source_ids()) {
        const std::string path = source_path(work_dir, id);
        if (std::filesystem::exists(path)) {
            files.emplace(id, path);
        }
    }
    return files;
}

}  // namespace kaname::registry
