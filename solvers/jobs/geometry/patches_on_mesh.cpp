// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/patches_on_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

#include "solvers/base/units.hpp"
#include "solvers/fault/patch_load.hpp"
#include "solvers/jobs/geometry/dataset_places.hpp"
#include "solvers/jobs/geometry/slip_description.hpp"

namespace kaname::jobs {
namespace {

io::GreensDataset::Hat hat_of(fault::Hat hat) {
    using To = io::GreensDataset::Hat;
    return hat == fault::Hat::Uniform    ? To::Uniform
           : hat == fault::Hat::Bilinear ? To::Bilinear
                                         : To::Bicubic;
}

}  // namespace

PatchesOnMesh::PatchesOnMesh(const PatchSources& patches, const GreensJob& job,
                             const Domain& domain, const MeshedFault& fault)
    : PatchesOnMesh(patches, job, domain, fault,
                    fault::fault_triangles(fault.mesh, fault.dofs, fault.split)) {}

PatchesOnMesh::PatchesOnMesh(const PatchSources& patches, const GreensJob& job,
                             const Domain& domain, const MeshedFault& fault,
                             const std::vector<fault::FaultTriangle>& triangles)
    : domain_(domain),
      fault_(fault),
      projection_(triangles, fault.split.split.size()),
      fault_slip_(fault.mesh, fault.dofs, fault.split, job.structure.materials) {
    for (const PatchGrid& of_fault : patches.faults()) {
        grids_.push_back(grid_on(of_fault, triangles));
    }
}

PatchesOnMesh::Grid PatchesOnMesh::grid_on(
    const PatchGrid& patches, const std::vector<fault::FaultTriangle>& triangles) const {
    Grid grid{patches, {}, {}, {}, {}};
    const fault::FaultSurface& surface = *patches.surface;
    std::unordered_map<std::int32_t, fault::FaultCoordinates> found;
    const auto own = [&](const auto& part) { return part.fault == patches.index; };
    const auto at = [&](std::int32_t node) {
        const auto [entry, missing] = found.try_emplace(node);
        if (missing) {
            entry->second = surface.coordinates(fault_.dofs.node_xyz[node]);
        }
        return entry->second;
    };
    std::ranges::copy_if(triangles, std::back_inserter(grid.triangles), own);
    for (const fault::FaultTriangle& triangle : grid.triangles) {
        std::ranges::transform(triangle.nodes, grid.coordinates.emplace_back().begin(), at);
    }
    for (std::size_t k = 0; k < fault_.split.split.size(); ++k) {
        const fault::FaultNode& node = fault_.split.split[k];
        grid.normal.push_back(own(node) ? surface.normal(at(node.node)) : fault_.split.normal[k]);
    }
    for (const fault::FaultNode& node : fault_.split.rim) {
        if (own(node)) {
            grid.rim.emplace_back(node.node, at(node.node));
        }
    }
    return grid;
}

PatchesOnMesh::Place PatchesOnMesh::find(const std::string& id) const {
    for (const Grid& grid : grids_) {
        const std::vector<fault::UnitSource>& sources = grid.patches.sources;
        const auto found = std::ranges::find(sources, id, &fault::UnitSource::id);
        if (found != sources.end()) {
            return {grid, *found};
        }
    }
    throw unknown_source(id);
}

std::vector<double> PatchesOnMesh::amount(const Place& of) const {
    const fault::Patch& patch = of.source.patch;
    const std::size_t n = fault_.split.split.size();
    for (const auto& [node, at] : of.grid.rim) {
        fault::require_stuck(patch.shape(at), 1.0, fault_.dofs.node_xyz[node]);
    }
    std::vector<double> amount =
        projection_.solve(fault::patch_load(of.grid.triangles, of.grid.coordinates, n, patch));
    for (double& value : amount) {
        value = std::abs(value) > kProjectionSwing ? value : 0.0;
    }
    return amount;
}

std::vector<Vec3> PatchesOnMesh::slip_of(const std::string& id) const {
    const auto& [grid, source] = find(id);
    const std::vector<double> amount = this->amount({grid, source});
    const Vec3 direction = source.direction(*grid.patches.surface);
    const Vec3 to_plus = grid.patches.surface->normal(source.patch.centre);
    std::vector<Vec3> slip(amount.size());
    for (std::size_t k = 0; k < amount.size(); ++k) {
        if (amount[k] != 0.0) {
            // Another fault, which this one goes on as, may count its sides the other way.
            const bool turned = fault_.split.split[k].fault != grid.patches.index &&
                                dot(grid.normal[k], to_plus) < 0.0;
            slip[k] =
                (turned ? -1.0 : 1.0) * amount[k] * source.in_surface(direction, grid.normal[k]);
        }
    }
    return slip;
}

io::GreensDataset::Source PatchesOnMesh::row(const std::string& id) {
    const Place place = find(id);
    const fault::UnitSource& source = place.source;
    const fault::FaultSurface& surface = *place.grid.patches.surface;
    const fault::Patch& patch = source.patch;
    // All but the rake is the patch's: slip of another component is as large everywhere.
    if (last_.patch_id != patch.id || last_.fault != place.grid.patches.fault) {
        const Vec3 centre = surface.point(patch.centre);
        io::GreensDataset::Source row;
        row.patch_id = patch.id;
        row.fault = place.grid.patches.fault;
        set_centre(domain_, centre, row);
        const double radius = std::max(patch.length_m, patch.width_m);
        row.strike_deg =
            true_azimuth_deg(domain_, surface.strike_direction(patch.centre, radius), centre);
        row.dip_deg = std::acos(std::clamp(surface.normal(patch.centre).z, -1.0, 1.0)) / kDegree;
        row.length_m = patch.length_m;
        row.width_m = patch.width_m;
        row.patch_area_m2 = patch.area_m2(surface);
        row.slip_length_m = 2.0 * patch.reach_s();
        row.slip_width_m = 2.0 * patch.reach_d();
        row.hat = hat_of(patch.hat);
        row.grid_row = patch.row;
        row.grid_column = patch.column;
        const auto outline = source.outline(surface);
        for (int corner = 0; corner < 4; ++corner) {
            set_corner(domain_, corner, outline[corner], row);
        }
        try {
            set_sums(fault_slip_.sums(amount(place)), row);
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

void PatchesOnMesh::find_neighbours(std::span<io::GreensDataset::Source> rows) const {
    // Patches of different faults are no neighbours: each has a grid of its own.
    std::map<std::tuple<std::string, std::string, int, int>, std::int32_t> at;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        at.emplace(
            std::tuple(rows[i].fault, rows[i].component, rows[i].grid_row, rows[i].grid_column),
            static_cast<std::int32_t>(i));
    }
    for (io::GreensDataset::Source& row : rows) {
        constexpr int kSteps[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};  // steps in row and column
        for (const auto& [down, along] : kSteps) {
            const auto found = at.find(
                std::tuple(row.fault, row.component, row.grid_row + down, row.grid_column + along));
            row.neighbours.push_back(found == at.end() ? -1 : found->second);
        }
    }
}

SlipOnMesh::Taken PatchesOnMesh::taken(const std::string& id) const {
    const std::vector<double> amount = this->amount(find(id));
    const fault::FaultSlip::Sums sums = fault_slip_.sums(amount);
    const auto largest = std::ranges::max_element(amount);
    return {sums.softer_moment_nm, sums.potency_m3, 0.0, largest == amount.end() ? 0.0 : *largest};
}

}  // namespace kaname::jobs
