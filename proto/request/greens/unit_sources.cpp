// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/unit_sources.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/greens/boundary.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/validate.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::request {
namespace {

std::string patch_id(int column, int row) {
    char text[32];
    std::snprintf(text, sizeof text, "s%02dd%02d", column, row);
    return text;
}

std::string rake_name(double rake_deg) {
    char text[40];
    std::snprintf(text, sizeof text, "rake_%.12g", rake_deg);
    return text;
}

template <class Names>
std::vector<SlipComponent> components_named(const Names& names, const std::string& list) {
    std::vector<SlipComponent> components;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(named_components(), name, &SlipComponent::name);
        if (found == named_components().end()) {
            throw ValidationError(std::vector<Violation>{
                {list + "[" + std::to_string(components.size()) + "]",
                 "must be " + join_or(component_names()) + ", got " + quote(name)}});
        }
        components.push_back(*found);
    }
    return components;
}

std::vector<SlipComponent> slip_components(const v1::Interface& interface,
                                           const std::string& path) {
    return components_named(interface.patches().components(), path + ".patches.components");
}

std::vector<SlipComponent> slip_components(const v1::Plane& plane, const std::string& path) {
    if (plane.rake_deg().empty()) {
        return components_named(plane.components(), path + ".components");
    }
    std::vector<SlipComponent> components;
    for (const double rake_deg : plane.rake_deg()) {
        components.push_back({rake_name(rake_deg), rake_deg});
    }
    return components;
}

template <class Grid>
UnitSources on_grid(const Grid& grid, const std::vector<SlipComponent>& components,
                    const std::string& fault) {
    UnitSources result;
    result.fault = fault;
    result.n_strike = static_cast<int>(grid.n_strike());
    result.n_dip = static_cast<int>(grid.n_dip());
    const std::string of_fault = fault.empty() ? "" : fault + "/";
    for (int row = 0; row < result.n_dip; ++row) {
        for (int column = 0; column < result.n_strike; ++column) {
            const UnitPatch patch{of_fault + patch_id(column, row), column, row};
            for (const SlipComponent& component : components) {
                result.sources.push_back({patch.id + "/" + component.name,
                                          static_cast<int>(result.patches.size()), component});
            }
            result.patches.push_back(patch);
        }
    }
    return result;
}

/// Returns the unit sources of a Fault or of one of its NamedFaults.
template <class Fault>
UnitSources on_fault(const Fault& fault, const std::string& name, const std::string& path) {
    return fault.has_interface()
               ? on_grid(fault.interface().patches(),
                         slip_components(fault.interface(), path + ".interface"), name)
               : on_grid(fault.plane(), slip_components(fault.plane(), path + ".plane"), name);
}

}  // namespace

const std::array<SlipComponent, 2>& named_components() {
    static const std::array<SlipComponent, 2> all = {{{"strike_slip", 0.0}, {"dip_slip", 90.0}}};
    return all;
}

std::vector<std::string> component_names() {
    std::vector<std::string> names;
    for (const SlipComponent& component : named_components()) {
        names.push_back(component.name);
    }
    return names;
}

std::vector<UnitSources> unit_sources(const v1::Fault& fault) {
    if (fault.several().empty()) {
        return {on_fault(fault, "", "fault")};
    }
    std::vector<UnitSources> result;
    for (const v1::NamedFault& named : fault.several()) {
        result.push_back(
            on_fault(named, named.name(), "fault.several[" + std::to_string(result.size()) + "]"));
    }
    return result;
}

namespace {

constexpr double kLeastDip_deg = 1.0;
constexpr int kMostFaults = 32;

/// Number of directions the list asks for.
template <class Names>
int check_components(const Names& components, const std::string& list, Rules& rules) {
    std::set<std::string> seen;
    const std::vector<std::string> names = component_names();
    for (int index = 0; index < components.size(); ++index) {
        rules.one_of(element(list, index), components[index], names);
        if (!seen.insert(components[index]).second) {
            rules.fail(element(list, index), "must be unique, got " + quote(components[index]));
        }
    }
    return components.empty() ? static_cast<int>(names.size()) : components.size();
}

void check_strike(const std::string& field, bool has, double strike_deg, Rules& rules) {
    if (rules.given(field, has)) {
        rules.in_range(field, strike_deg, -360.0, 360.0);
    }
}

/// The number of sources; more than there may be where it is too large to tell.
std::uint64_t count(std::uint64_t n_strike, std::uint64_t n_dip, int directions) {
    // Both factors stay below 2^32, and the directions few: no overflow once each is bounded.
    constexpr std::uint64_t kMost = kMaxSources;
    const bool each = n_strike <= kMost && n_dip <= kMost;
    return each ? n_strike * n_dip * static_cast<std::uint64_t>(directions) : kMost + 1;
}

void check_count(const std::string& field, std::uint64_t n_strike, std::uint64_t n_dip,
                 int directions, Rules& rules) {
    if (count(n_strike, n_dip, directions) > kMaxSources) {
        rules.fail(field, "n_strike x n_dip x directions must be at most " +
                              std::to_string(kMaxSources) + " sources, got " +
                              std::to_string(n_strike) + " x " + std::to_string(n_dip) + " x " +
                              std::to_string(directions));
    }
}

void check_patches(const v1::PatchGrid& grid, const std::string& path, Rules& rules) {
    rules.place(path + ".origin_", grid.has_origin_lon_deg(), grid.origin_lon_deg(),
                grid.has_origin_lat_deg(), grid.origin_lat_deg());
    check_strike(path + ".strike_deg", grid.has_strike_deg(), grid.strike_deg(), rules);
    rules.positive(path + ".n_strike", grid.n_strike());
    rules.positive(path + ".n_dip", grid.n_dip());
    rules.positive(path + ".spacing_strike_m", grid.spacing_strike_m());
    rules.positive(path + ".spacing_dip_m", grid.spacing_dip_m());
    const int directions = check_components(grid.components(), path + ".components", rules);
    check_count(path, grid.n_strike(), grid.n_dip(), directions, rules);
}

/// Checks an interface in a structure of volumes: it is one of the structure's surfaces.
void check_of(const v1::Interface& interface, const std::string& path,
              const v1::Structure& structure, Rules& rules) {
    for (const auto& [field, given] :
         {std::pair{".surface", interface.has_surface()},
          std::pair{".min_depth_m", interface.min_depth_m() != 0.0},
          std::pair{".max_depth_m", interface.max_depth_m() != 0.0},
          std::pair{".smoothing_length_m", interface.smoothing_length_m() != 0.0},
          std::pair{".top", interface.top() != v1::Interface::TOP_UNSPECIFIED}}) {
        // Without `of` these are as wrong, but one message says it.
        if (given && !interface.of().empty()) {
            rules.fail(path + field,
                       "must be absent: structure.surfaces says it of " + quote(interface.of()));
        }
    }
    if (interface.of().empty()) {
        rules.fail(path + ".of", "must name one of structure.surfaces: the structure has volumes");
        return;
    }
    std::vector<std::string> known;
    for (const v1::StructureSurface& surface : structure.surfaces()) {
        if (surface.name() != structure.free_surface()) {
            known.push_back(surface.name());
        }
    }
    if (std::ranges::find(known, interface.of()) == known.end()) {
        const std::string near = nearest(interface.of(), known);
        rules.fail(path + ".of", "must name one of structure.surfaces, not the free one, got " +
                                     quote(interface.of()) +
                                     (near.empty() ? "" : "; did you mean " + near + "?"));
    }
}

/// Checks an interface in a structure of layers: it comes from a file.
void check_interface_file(const v1::Interface& interface, const std::string& path, double bottom_m,
                          Rules& rules) {
    if (interface.surface().path().empty()) {
        rules.fail(path + ".surface", "must name a file");
    }
    rules.not_negative(path + ".min_depth_m", interface.min_depth_m());
    const std::string deepest = path + ".max_depth_m";
    rules.positive(deepest, interface.max_depth_m());
    const double shallowest =
        interface.min_depth_m() == 0.0 ? kDefaultMinDepth_m : interface.min_depth_m();
    if (interface.max_depth_m() > 0.0 && interface.max_depth_m() <= shallowest) {
        rules.fail(deepest, "must be > " + rules.beside(deepest, "min_depth_m", shallowest) +
                                ", got " + rules.in_unit_of(deepest, interface.max_depth_m()));
    }
    if (bottom_m > 0.0 && interface.max_depth_m() >= bottom_m) {
        rules.fail(deepest, "must be < " + rules.beside(deepest, "region.depth_m", bottom_m) +
                                ", got " + rules.in_unit_of(deepest, interface.max_depth_m()));
    }
    rules.not_negative(path + ".smoothing_length_m", interface.smoothing_length_m());
}

void check_interface(const v1::GreensBatch& batch, const v1::Interface& interface,
                     const std::string& path, Rules& rules) {
    if (has_volumes(batch)) {
        check_of(interface, path, batch.structure(), rules);
    } else {
        check_interface_file(interface, path, batch.region().depth_m(), rules);
    }
    if (is_scenario(batch)) {
        if (interface.has_patches()) {
            rules.fail(path + ".patches", "must be left out of a scenario: events have slip");
        }
    } else if (rules.given(path + ".patches", interface.has_patches())) {
        check_patches(interface.patches(), path + ".patches", rules);
    }
}

void check_plane(const v1::GreensBatch& batch, const v1::Plane& given, const std::string& path,
                 Rules& rules) {
    v1::Plane plane = given;
    settle_point(plane);
    const double bottom_m = batch.region().depth_m();
    if (check_point(plane, path, rules)) {
        rules.place(path + ".centre_", plane.has_centre_lon_deg(), plane.centre_lon_deg(),
                    plane.has_centre_lat_deg(), plane.centre_lat_deg());
        if (rules.given(path + ".top_depth_m", plane.has_top_depth_m()) &&
            plane.top_depth_m() < 0.0) {
            rules.fail(path + ".top_depth_m",
                       "must be >= 0 (depth counts downwards), got " +
                           rules.in_unit_of(path + ".top_depth_m", plane.top_depth_m()));
        }
    }
    check_strike(path + ".strike_deg", plane.has_strike_deg(), plane.strike_deg(), rules);
    rules.in_range(path + ".dip_deg", plane.dip_deg(), kLeastDip_deg, 90.0);
    rules.positive(path + ".length_m", plane.length_m());
    rules.positive(path + ".width_m", plane.width_m());
    const double lower_edge =
        plane.top_depth_m() + plane.width_m() * std::sin(plane.dip_deg() * kDegree);
    if (bottom_m > 0.0 && plane.top_depth_m() >= bottom_m) {
        const std::string field = path + ".top_depth_m";
        rules.fail(field, "must be above the model's bottom at " +
                              rules.in_unit_of(field, bottom_m) + ", got " +
                              rules.in_unit_of(field, plane.top_depth_m()) +
                              "; is it in another unit?");
    } else if (bottom_m > 0.0 && lower_edge >= bottom_m) {
        const std::string field = path + ".width_m";
        rules.fail(field, "puts the lower edge at depth " +
                              rules.in_unit_of(field, std::round(lower_edge)) +
                              ", must be above the model's bottom at " +
                              rules.in_unit_of(field, bottom_m));
    }
    std::set<double> seen;
    for (int index = 0; index < plane.rake_deg_size(); ++index) {
        const std::string field = element(path + ".rake_deg", index);
        rules.in_range(field, plane.rake_deg(index), -360.0, 360.0);
        if (std::isfinite(plane.rake_deg(index)) && !seen.insert(plane.rake_deg(index)).second) {
            rules.fail(field, "must be unique, got " + show(plane.rake_deg(index)));
        }
    }
    int directions = check_components(plane.components(), path + ".components", rules);
    if (plane.rake_deg_size() > 0) {
        directions = plane.rake_deg_size();
        if (plane.components_size() > 0) {
            rules.fail(path + ".components", "must be absent where rake_deg is given");
        }
    }
    check_count(path, std::max(1u, plane.n_strike()), std::max(1u, plane.n_dip()), directions,
                rules);
    std::set<std::string> open;
    for (int index = 0; index < plane.open_edges_size(); ++index) {
        const std::string field = element(path + ".open_edges", index);
        rules.one_of(field, plane.open_edges(index), {"start", "end", "bottom"});
        if (!open.insert(plane.open_edges(index)).second) {
            rules.fail(field, "must be unique, got " + quote(plane.open_edges(index)));
        }
    }
    if (!open.empty() && std::max(1u, plane.n_strike()) * std::max(1u, plane.n_dip()) == 1) {
        rules.fail(
            path + ".open_edges",
            "must be absent without n_strike and n_dip: one patch slips in full to all edges");
    }
}

/// A scenario's plane has no sources of its own.
void check_bare_plane(const v1::Plane& plane, const std::string& path, Rules& rules) {
    if (plane.rake_deg_size() > 0 || plane.n_strike() > 1 || plane.n_dip() > 1 ||
        plane.open_edges_size() > 0) {
        rules.fail(
            path,
            "must have none of rake_deg, n_strike, n_dip and open_edges in a scenario: events "
            "have slip");
    }
}

/// Sources on a fault whose parts keep to their rules.
std::uint64_t count(const v1::NamedFault& fault) {
    const auto directions = [](const auto& components) {
        return components.empty() ? static_cast<int>(component_names().size()) : components.size();
    };
    if (fault.has_interface()) {
        const v1::PatchGrid& grid = fault.interface().patches();
        return count(grid.n_strike(), grid.n_dip(), directions(grid.components()));
    }
    const v1::Plane& plane = fault.plane();
    return count(std::max(1u, plane.n_strike()), std::max(1u, plane.n_dip()),
                 plane.rake_deg().empty() ? directions(plane.components()) : plane.rake_deg_size());
}

/// Faults beside each other.
void check_several(const v1::GreensBatch& batch, Rules& rules) {
    const v1::Fault& fault = batch.fault();
    const std::string list = "fault.several";
    if (fault.geometry_case() != v1::Fault::GEOMETRY_NOT_SET) {
        rules.fail(list, "must stand alone, without interface, plane and mesh");
    }
    if (fault.several_size() > kMostFaults) {
        rules.fail(list, "must be at most " + std::to_string(kMostFaults) + " faults, got " +
                             std::to_string(fault.several_size()));
    }
    std::set<std::string> names;
    std::set<std::string> surfaces;
    std::uint64_t sources = 0;
    for (int k = 0; k < fault.several_size(); ++k) {
        const v1::NamedFault& named = fault.several(k);
        const std::string path = element(list, k);
        if (rules.name(path + ".name", named.name()) && !names.insert(named.name()).second) {
            rules.fail(path + ".name", "must be unique, got " + quote(named.name()));
        }
        if (named.has_plane()) {
            check_plane(batch, named.plane(), path + ".plane", rules);
            if (is_scenario(batch)) {
                check_bare_plane(named.plane(), path + ".plane", rules);
            }
        } else if (!named.has_interface()) {
            rules.fail(path, "must have exactly one of interface and plane");
        } else if (!has_volumes(batch)) {
            rules.fail(path + ".interface",
                       "needs structure.volumes: in layers, several faults are planes");
        } else {
            check_interface(batch, named.interface(), path + ".interface", rules);
            if (!surfaces.insert(named.interface().of()).second) {
                rules.fail(path + ".interface.of",
                           "must be unique, got " + quote(named.interface().of()));
            }
        }
        if (const std::uint64_t n = count(named); n <= kMaxSources) {
            sources += n;  // more than these are told of the fault itself
        }
    }
    if (!is_scenario(batch) && sources > kMaxSources) {
        rules.fail(list, "must have at most " + std::to_string(kMaxSources) +
                             " sources on all faults together, got " + std::to_string(sources));
    }
}

}  // namespace

void check_fault(const v1::GreensBatch& batch, Rules& rules) {
    if (!batch.fault().several().empty()) {
        check_several(batch, rules);
        return;
    }
    switch (batch.fault().geometry_case()) {
        case v1::Fault::kInterface:
            check_interface(batch, batch.fault().interface(), "fault.interface", rules);
            break;
        case v1::Fault::kPlane:
            check_plane(batch, batch.fault().plane(), "fault.plane", rules);
            if (is_scenario(batch)) {
                check_bare_plane(batch.fault().plane(), "fault.plane", rules);
            }
            break;
        case v1::Fault::kMesh:
            break;  // check_no_mesh_file() refuses it
        case v1::Fault::GEOMETRY_NOT_SET:
            // A scenario's fault may follow from a slip model that is one plane.
            if (!is_scenario(batch)) {
                const bool moved = !boundary_sources(batch).empty();
                rules.fail("fault",
                           std::string("must have exactly one of interface, plane and several") +
                               (moved ? "; sides alone move a Scenario without events" : ""));
            }
            break;
    }
}

}  // namespace kaname::request
