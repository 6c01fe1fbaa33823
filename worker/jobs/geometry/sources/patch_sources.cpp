// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/sources/patch_sources.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/unit_source.hpp"
#include "worker/jobs/geometry/fault_request.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"

namespace kaname::jobs {
namespace {

struct SmallPatch {
    std::string id;
    double side_m;  ///< the shorter side of where it slips
};

std::optional<SmallPatch> smallest_patch(const PatchGrid& grid) {
    std::optional<SmallPatch> smallest;
    for (const fault::Patch& patch : grid.patches) {
        const double sides = patch.hat == fault::Hat::Uniform ? 1.0 : 2.0;
        const double side_m = sides * std::min(patch.length_m, patch.width_m);
        if (!smallest || side_m < smallest->side_m) {
            smallest = {patch.id, side_m};
        }
    }
    return smallest;
}

}  // namespace

std::vector<std::string> PatchSources::ids() const {
    std::vector<std::string> ids;
    for (const PatchGrid& grid : faults_) {
        for (const fault::UnitSource& source : grid.sources) {
            ids.push_back(source.id);
        }
    }
    return ids;
}

std::vector<Vec3> PatchSources::centres() const {
    std::vector<Vec3> centres;
    for (const PatchGrid& grid : faults_) {
        for (const fault::Patch& patch : grid.patches) {
            centres.push_back(grid.surface->point(patch.centre));
        }
    }
    return centres;
}

std::vector<Vec3> PatchSources::edges(double spacing_m) const {
    std::vector<Vec3> edges;
    for (const PatchGrid& grid : faults_) {
        for (const fault::Patch& patch : grid.patches) {
            for_edges(patch.length_m, patch.width_m, spacing_m, [&](double along, double down) {
                edges.push_back(grid.surface->point({patch.centre.s + along * patch.length_m,
                                                     patch.centre.d + down * patch.width_m}));
            });
        }
    }
    return edges;
}

bool PatchSources::any_place(const PlaceTest& test) const {
    const auto any_on = [&](const PatchGrid& grid, const fault::Patch& patch) {
        return std::ranges::any_of(kDownDip, [&](double down) {
            const fault::FaultCoordinates at{patch.centre.s, patch.centre.d + down * patch.width_m};
            return test(grid.surface->point(at), grid.surface->normal(at));
        });
    };
    return std::ranges::any_of(faults_, [&](const PatchGrid& grid) {
        return std::ranges::any_of(grid.patches,
                                   [&](const auto& patch) { return any_on(grid, patch); });
    });
}

// Errors of docs/user/accuracy.md beside a thrust twice as long as wide.
void PatchSources::check(std::vector<Violation>& violations) const {
    for (const PatchGrid& grid : faults_) {
        if (const auto patch = smallest_patch(grid);
            patch && job_.mesh.size_at_fault_m > patch->side_m) {
            violations.push_back(
                {"mesh.size_at_fault_m",
                 "must be at most the shorter side of what slips in patch " + patch->id + ", " +
                     number(patch->side_m / 1000.0) + " km, got " +
                     number(job_.mesh.size_at_fault_m / 1000.0) +
                     " km: motion near the fault would be wrong by a tenth to a quarter or more"});
        }
        check_places(grid, violations);
        check_ground(grid, violations);
    }
}

std::vector<std::string> PatchSources::warnings() const {
    std::vector<std::string> result;
    for (const PatchGrid& grid : faults_) {
        const auto patch = smallest_patch(grid);
        if (patch && 2.0 * job_.mesh.size_at_fault_m > patch->side_m) {
            result.push_back(
                "mesh.size_at_fault: should be at most half the shorter side of what slips in "
                "patch " +
                patch->id + ", " + number(patch->side_m / 1000.0) + " km, got " +
                number(job_.mesh.size_at_fault_m / 1000.0) +
                " km: motion near the fault may be wrong by 5 % or more");
        }
    }
    return result;
}

void PatchSources::check_places(const PatchGrid& grid, std::vector<Violation>& violations) const {
    constexpr double kInside = 0.45;  // sample spacing in reaches: two reach 0.9 of the support
    constexpr int kSamples = 2;       // each way from a patch's centre
    for (const fault::Patch& patch : grid.patches) {
        bool reported = false;
        for (int i = -kSamples; i <= kSamples && !reported; ++i) {
            for (int j = -kSamples; j <= kSamples && !reported; ++j) {
                const Vec3 x =
                    grid.surface->point({patch.centre.s + i * kInside * patch.reach_s(),
                                         patch.centre.d + j * kInside * patch.reach_d()});
                std::string fault;
                if (!domain_.inside_box(x)) {
                    fault = "leaves the region at " + domain_.lonlat_text(x) + ", depth " +
                            number(-x.z) + " m";
                } else if (x.z <= domain_.ground_m(x.x, x.y)) {
                    fault = grid.lacks(x);
                }
                if (!fault.empty()) {
                    violations.push_back({grid.field, "patch " + patch.id + " " + fault});
                    reported = true;
                }
            }
        }
    }
}

void PatchSources::check_ground(const PatchGrid& grid, std::vector<Violation>& violations) const {
    for (const fault::Patch& patch : grid.patches) {
        // A hat may have its upper half in the air: its slip goes on up to the ground.
        const bool rectangle = patch.hat == fault::Hat::Uniform && !patch.open_top;
        const double top = rectangle ? -0.5 * patch.width_m : 0.0;
        const double side = rectangle ? 0.25 * patch.length_m : 0.0;
        const double room = rectangle ? 0.0 : kBlunted * kLeastAtTip * job_.mesh.size_at_fault_m;
        for (int i = -2; i <= 2; ++i) {
            const Vec3 x = grid.surface->point({patch.centre.s + i * side, patch.centre.d + top});
            const double above = x.z - domain_.ground_m(x.x, x.y);
            if (above > room) {
                violations.push_back({grid.field, "patch " + patch.id + " must " +
                                                      (rectangle ? "lie" : "have its middle") +
                                                      " under the ground; at " +
                                                      domain_.lonlat_text(x) + " it is " +
                                                      number(above) + " m above it"});
                break;
            }
        }
    }
}

std::unique_ptr<SlipOnMesh> PatchSources::on(const MeshedFault& fault) const {
    return std::make_unique<PatchesOnMesh>(*this, job_, domain_, fault);
}

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
