// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/source_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "solvers/base/units.hpp"
#include "solvers/registry/dataset_places.hpp"
#include "solvers/registry/slip_description.hpp"

namespace kaname::registry {
namespace {

io::GreensDataset::Hat hat_of(sources::Hat hat) {
    using To = io::GreensDataset::Hat;
    return hat == sources::Hat::Uniform    ? To::Uniform
           : hat == sources::Hat::Bilinear ? To::Bilinear
                                           : To::Bicubic;
}

}  // namespace

SourceRows::SourceRows(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
                       const fem::DofMap& dofs)
    : job_(job),
      setup_(setup),
      dofs_(dofs),
      split_(sources::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz)),
      fault_slip_(mesh, dofs, split_, job.structure.materials),
      unit_slip_(setup, mesh, dofs, split_) {
    if (setup.mesh_file() != nullptr) {
        tables_.emplace(job, setup, mesh, dofs, split_);
    }
}

io::GreensDataset::Source SourceRows::of_patch(const sources::UnitSource& source) {
    const sources::FaultSurface& fault = setup_.fault();
    const sources::Patch& patch = source.patch;
    // All but the rake is the patch's: slip of another component is as large everywhere.
    if (last_.patch_id != patch.id) {
        const Vec3 centre = fault.point(patch.centre);
        io::GreensDataset::Source row;
        row.patch_id = patch.id;
        set_centre(setup_, centre, row);
        const double radius = std::max(patch.length_m, patch.width_m);
        row.strike_deg =
            true_azimuth_deg(setup_, fault.strike_direction(patch.centre, radius), centre);
        row.dip_deg = std::acos(std::clamp(fault.normal(patch.centre).z, -1.0, 1.0)) / kDegree;
        row.length_m = patch.length_m;
        row.width_m = patch.width_m;
        row.patch_area_m2 = patch.area_m2(fault);
        row.slip_length_m = 2.0 * patch.reach_s();
        row.slip_width_m = 2.0 * patch.reach_d();
        row.hat = hat_of(patch.hat);
        row.grid_row = patch.row;
        row.grid_column = patch.column;
        const auto outline = source.outline(fault);
        for (int corner = 0; corner < 4; ++corner) {
            set_corner(setup_, corner, outline[corner], row);
        }
        try {
            set_sums(fault_slip_.sums(unit_slip_.amount(patch)), row);
        } catch (const Error&) {
            // Such a source has failed where it was to be solved: it has no sums.
        }
        last_ = row;
    }
    io::GreensDataset::Source row = last_;
    row.id = source.id;
    row.component = source.component;
    row.rake_deg = source.rake_rad / kDegree;
    return row;
}

io::GreensDataset::Source SourceRows::row(const std::string& source_id) {
    supports_.emplace_back();
    if (const int boundary = setup_.boundary_source(source_id); boundary >= 0) {
        return describe_sides(job_.boundary_sources[boundary]);
    }
    if (!tables_) {
        return of_patch(*std::ranges::find(setup_.sources(), source_id, &sources::UnitSource::id));
    }
    const std::vector<Vec3> slip = tables_->slip_of(source_id);
    io::GreensDataset::Source row = describe_slip(setup_, split_, dofs_, slip, source_id);
    set_sums(fault_slip_.sums(sources::FaultSlip::amounts(slip)), row);
    supports_.back() = sources::FaultSlip::support(slip);
    return row;
}

void SourceRows::find_neighbours(std::vector<io::GreensDataset::Source>& rows) const {
    if (tables_) {
        const auto neighbours = fault_slip_.neighbours(supports_);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i].neighbours = neighbours[i];
        }
        return;
    }
    std::map<std::tuple<std::string, int, int>, std::int32_t> at;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].grid_row >= 0) {
            at.emplace(std::tuple(rows[i].component, rows[i].grid_row, rows[i].grid_column),
                       static_cast<std::int32_t>(i));
        }
    }
    for (io::GreensDataset::Source& row : rows) {
        if (row.grid_row < 0) {
            continue;
        }
        constexpr int kSteps[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};  // of row and column
        for (const auto& [down, along] : kSteps) {
            const auto found =
                at.find(std::tuple(row.component, row.grid_row + down, row.grid_column + along));
            row.neighbours.push_back(found == at.end() ? -1 : found->second);
        }
    }
}

}  // namespace kaname::registry
