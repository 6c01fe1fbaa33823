// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "solvers/base/units.hpp"
#include "solvers/registry/dataset_places.hpp"
#include "solvers/registry/packing.hpp"
#include "solvers/registry/scenario_package.hpp"
#include "solvers/registry/slip_description.hpp"
#include "solvers/registry/step_response.hpp"
#include "solvers/registry/table_sources.hpp"

namespace kaname::registry {
namespace {

io::GreensDataset::Source describe(const Setup& setup, const sources::UnitSource& source) {
    const sources::FaultSurface& fault = setup.fault();
    const Vec3 centre = fault.point(source.patch.centre);
    io::GreensDataset::Source row;
    row.id = source.id;
    row.patch_id = source.patch.id;
    row.component = source.component;
    row.rake_deg = source.rake_rad / kDegree;
    set_centre(setup, centre, row);
    const double radius = std::max(source.patch.length_m, source.patch.width_m);
    row.strike_deg =
        true_azimuth_deg(setup, fault.strike_direction(source.patch.centre, radius), centre);
    row.dip_deg = std::acos(std::clamp(fault.normal(source.patch.centre).z, -1.0, 1.0)) / kDegree;
    row.length_m = source.patch.length_m;
    row.width_m = source.patch.width_m;
    const auto outline = source.outline(fault);
    for (int corner = 0; corner < 4; ++corner) {
        set_corner(setup, corner, outline[corner], row);
    }
    return row;
}

/// The dataset's row of each source: of a patch, of what tables say about a mesh's faults, or of
/// sides.
class SourceRows {
public:
    SourceRows(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
               const fem::DofMap& dofs)
        : job_(job), setup_(setup) {
        if (setup.mesh_file() != nullptr) {
            split_ = sources::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
            tables_.emplace(job, setup, mesh, dofs, split_);
        }
    }
    [[nodiscard]] io::GreensDataset::Source row(const std::string& id) const {
        if (const int boundary = setup_.boundary_source(id); boundary >= 0) {
            return describe_sides(job_.boundary_sources[boundary]);
        }
        return tables_ ? tables_->describe(id)
                       : describe(setup_, *std::ranges::find(setup_.sources(), id,
                                                             &sources::UnitSource::id));
    }

private:
    const GreensJob& job_;
    const Setup& setup_;
    sources::SplitNodes split_;
    std::optional<TableSources> tables_;
};

void package_sources(Packing& packing, bool only_these) {
    const SourceRows rows(packing.job, packing.setup, packing.mesh, packing.dofs);
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
