// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "solvers/base/units.hpp"
#include "solvers/registry/setup.hpp"

namespace kaname::registry {
namespace {

constexpr double kTinyLength_m = 1e-6;  // rounding of coordinates that should be equal

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

/// Of the patches that slip.
double finest_side_m(const ScenarioModel& model) {
    double side_m = std::numeric_limits<double>::infinity();
    for (const slip_model::PlacedPatch& patch : model.placed.patches) {
        if (norm(patch.slip_m) > 0.0) {
            side_m = std::min({side_m, patch.length_m, patch.width_m});
        }
    }
    return side_m;
}

std::string place(const earth::LonLat& at) {
    char text[64];
    std::snprintf(text, sizeof text, "%.4fE %.4fN", at.lon_deg, at.lat_deg);
    return text;
}

}  // namespace

bool Setup::inside_box(const Vec3& x) const {
    // Box axes: "north" points along the azimuth.
    const double north = x.x * std::sin(box_.azimuth_rad) + x.y * std::cos(box_.azimuth_rad);
    const double east = x.x * std::cos(box_.azimuth_rad) - x.y * std::sin(box_.azimuth_rad);
    return std::abs(east) <= 0.5 * box_.size_east_m + kTinyLength_m &&
           std::abs(north) <= 0.5 * box_.size_north_m + kTinyLength_m &&
           x.z >= -box_.depth_m - kTinyLength_m;
}

int Setup::normal_axis(mesh::Side side) const {
    constexpr double kParallel = 1e-9;
    if (side == mesh::Side::Bottom || side == mesh::Side::Top) {
        return 2;
    }
    const bool east_west = side == mesh::Side::West || side == mesh::Side::East;
    if (std::abs(std::sin(box_.azimuth_rad)) < kParallel) {
        return east_west ? 0 : 1;
    }
    if (std::abs(std::cos(box_.azimuth_rad)) < kParallel) {
        return east_west ? 1 : 0;
    }
    return -1;
}

void Setup::check_models(std::vector<Violation>& violations) const {
    for (const ScenarioModel& model : models_) {
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            if (!inside_box(patch.centre)) {
                violations.push_back(
                    {model.spec->field, "patch " + patch.id + " must lie inside the region, got " +
                                            number(patch.centre.x / 1000.0) + " km east and " +
                                            number(patch.centre.y / 1000.0) +
                                            " km north of its centre at depth " +
                                            number(-patch.centre.z) + " m"});
                break;
            }
        }
    }
}

void Setup::check_patches(std::vector<Violation>& violations) const {
    const auto* spec = std::get_if<InterfaceSpec>(&job_.fault);
    const std::string field = spec != nullptr ? "fault.interface.patches" : "fault.plane";
    // A hat's support must rest on data; when the fault reaches the surface, the part above the
    // data is an extension by intent and only patch centres are asked for.
    const int samples = spec != nullptr && spec->reaches_surface ? 0 : 2;
    constexpr double kInside = 0.45;  // of the reach: two samples reach 0.9 of the support
    const auto below_ground = [&](const Vec3& x) { return x.z <= ground_m(x.x, x.y); };
    const auto on_data = [&](const InterfaceSpec& of, const Vec3& x) {
        return volumes_ ? volumes_->has_data(volumes_->surface(of.of), x.x, x.y)
                        : interface_->has_data(x.x, x.y);
    };
    for (std::size_t k = 0; k < sources_.size(); k += job_.components.size()) {
        const sources::Patch& patch = sources_[k].patch;
        bool reported = false;
        for (int i = -samples; i <= samples && !reported; ++i) {
            for (int j = -samples; j <= samples && !reported; ++j) {
                const Vec3 x = fault_->point({patch.centre.s + i * kInside * patch.reach_s(),
                                              patch.centre.d + j * kInside * patch.reach_d()});
                const auto lonlat = projection_->inverse({x.x, x.y});
                if (!inside_box(x)) {
                    violations.push_back({field, "patch " + patch.id + " leaves the region at " +
                                                     place(lonlat) + ", depth " + number(-x.z) +
                                                     " m"});
                    reported = true;
                } else if (spec != nullptr && !spec->surface_path.empty() && below_ground(x) &&
                           !on_data(*spec, x)) {
                    violations.push_back({field, "patch " + patch.id +
                                                     " must lie on the interface's data between " +
                                                     number(spec->min_depth_m) + " and " +
                                                     number(spec->max_depth_m) +
                                                     " m depth, but has none at " + place(lonlat)});
                    reported = true;
                } else if (spec != nullptr && below_ground(x) && !on_data(*spec, x)) {
                    violations.push_back(
                        {field, "patch " + patch.id + " must lie on the data of surface '" +
                                    spec->of + "', within its limits of depth, but has none at " +
                                    place(lonlat)});
                    reported = true;
                }
            }
        }
    }
}

std::optional<Setup::SmallPatch> Setup::smallest_patch() const {
    std::optional<SmallPatch> smallest;
    for (const sources::UnitSource& source : sources_) {
        const double sides = source.patch.hat == sources::Hat::Uniform ? 1.0 : 2.0;
        const double side_m = sides * std::min(source.patch.length_m, source.patch.width_m);
        if (!smallest || side_m < smallest->side_m) {
            smallest = {source.patch.id, side_m};
        }
    }
    return smallest;
}

// Errors of docs/user/accuracy.md beside a thrust twice as long as wide.
std::vector<Violation> Setup::check_geometry() const {
    std::vector<Violation> violations;
    if (const auto patch = smallest_patch(); patch && job_.size_at_fault_m > patch->side_m) {
        violations.push_back(
            {"mesh.size_at_fault_m",
             "must be at most the shorter side of what slips in patch " + patch->id + ", " +
                 number(patch->side_m / 1000.0) + " km, got " +
                 number(job_.size_at_fault_m / 1000.0) +
                 " km: motion near the fault would be wrong by a tenth to a quarter or more"});
    }
    if (!interface_ && !volumes_ && job_.region.azimuth_deg != 0.0) {
        violations.push_back(
            {"region.azimuth_deg",
             "must be 0 for a planar fault in layers (the box is turned to its strike), got " +
                 number(job_.region.azimuth_deg)});
    }
    for (int side = 0; side < mesh::kSideCount; ++side) {
        if (job_.boundary[side] == BoundaryKind::Roller &&
            normal_axis(static_cast<mesh::Side>(side)) < 0) {
            violations.push_back({std::string("boundaries.") + mesh::kSideNames[side],
                                  "roller must be on a side that faces a grid axis, but the box is "
                                  "turned by " +
                                      number(box_.azimuth_rad / kDegree) +
                                      " degrees; use fixed or free"});
        }
    }
    if (volumes_ && !volumes_->flat_ground() &&
        job_.boundary[static_cast<int>(mesh::Side::Top)] == BoundaryKind::Roller) {
        violations.push_back({"boundaries.top",
                              "roller must be on a flat side, but structure.free_surface has "
                              "relief; use fixed or free"});
    }
    for (std::size_t k = 0; k < stations_.size(); ++k) {
        const StationSpec& station = job_.stations[k];
        const Vec3& x = stations_[k];
        if (!inside_box(x)) {
            violations.push_back(
                {station.field, "station '" + station.id + "' must lie inside the region, got " +
                                    place({station.lon_deg, station.lat_deg}) + " depth " +
                                    number(-x.z) + " m, which is " + number(x.x / 1000.0) +
                                    " km east and " + number(x.y / 1000.0) +
                                    " km north of its centre"});
        }
        const double above = x.z - ground_m(x.x, x.y);
        if (above > job_.snap_tolerance_m) {
            violations.push_back({station.field, "station '" + station.id + "' must be at most " +
                                                     number(job_.snap_tolerance_m) +
                                                     " m above the model's surface, got " +
                                                     number(above)});
        }
    }
    check_patches(violations);
    if (volumes_) {
        check_ground(violations);
    }
    check_models(violations);
    return violations;
}

std::vector<std::string> Setup::warnings() const {
    std::vector<std::string> result = box_warnings();
    if (const auto patch = smallest_patch(); patch && 2.0 * job_.size_at_fault_m > patch->side_m) {
        result.push_back(
            "mesh.size_at_fault: should be at most half the shorter side of what slips in patch " +
            patch->id + ", " + number(patch->side_m / 1000.0) + " km, got " +
            number(job_.size_at_fault_m / 1000.0) +
            " km: motion near the fault may be wrong by 5 % or more");
    }
    for (const ScenarioModel& model : models_) {
        if (const double side_m = finest_side_m(model); job_.size_at_fault_m > side_m) {
            result.push_back("mesh.size_at_fault: elements of " +
                             number(job_.size_at_fault_m / 1000.0) +
                             " km are larger than patches of event '" + model.spec->id + "', " +
                             number(side_m / 1000.0) +
                             " km: they keep each patch's potency and place, but closer to the "
                             "fault than an element the motion is that of slip as coarse as they");
        }
    }
    if (part_ && part_->least_m < part_->size_m) {
        result.push_back("fault: it comes up under the ground at less than " +
                         number(kThinWedge_rad / kDegree) +
                         " degrees; elements in the wedge above it are as small as " +
                         number(part_->least_m) + " m");
        if (part_->top_m == 0.0) {
            result.back() +=
                ", and where the wedge is thinner than about " + number(kBlunted * part_->least_m) +
                " m the fault's mesh leaves the fault for the ground: stations on that "
                "part move with the footwall; a smaller mesh.size_at_fault makes it "
                "narrower";
        }
    }
    if (request_) {
        const std::vector<std::string> thin = thin_volume_warnings();
        result.insert(result.end(), thin.begin(), thin.end());
    }
    if (volumes_) {
        const std::vector<std::string>& notes = job_.volume_model->notes;
        result.insert(result.end(), notes.begin(), notes.end());
    }
    if (interface_ && interface_->extended_fraction() > 0.0) {
        const auto steepest = interface_->steepest();
        result.push_back("fault.interface: " + number(100.0 * interface_->extended_fraction()) +
                         " % of the model's area has no interface data between the depth limits; "
                         "the interface is extended there; steepest dip " +
                         number(steepest.dip_rad / kDegree) + " degrees");
    }
    return result;
}

}  // namespace kaname::registry
