// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/patch_sources.hpp"

#include <algorithm>
#include <optional>

#include "solvers/base/text.hpp"
#include "solvers/jobs/geometry/fault_request.hpp"
#include "solvers/jobs/geometry/patches_on_mesh.hpp"

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

}  // namespace kaname::jobs
