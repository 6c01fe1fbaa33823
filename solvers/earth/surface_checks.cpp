// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <set>

#include "solvers/earth/surface_builder.hpp"

namespace kaname::earth {
namespace {

const SurfaceSpec* find_surface(const VolumeModelSpec& spec, const std::string& name) {
    const auto at = std::find_if(spec.surfaces.begin(), spec.surfaces.end(),
                                 [&](const SurfaceSpec& s) { return s.name == name; });
    return at == spec.surfaces.end() ? nullptr : &*at;
}

void check_numbers(const SurfaceSpec& surface, const std::string& who, Findings& findings) {
    const auto require = [&](bool holds, const char* field, const char* rule, double value) {
        if (!holds) {
            findings.fail(surface.field + "." + field,
                          who + " must be " + rule + ", got " + std::to_string(value));
        }
    };
    const auto is_length = [](double value) { return std::isfinite(value) && value >= 0.0; };
    require(!surface.depth_m || std::isfinite(*surface.depth_m), "depth_m", "finite",
            surface.depth_m.value_or(0.0));
    require(surface.below.empty() || (is_length(surface.thickness_m) && surface.thickness_m > 0.0),
            "thickness_m", "finite and > 0", surface.thickness_m);
    require(is_length(surface.smoothing_length_m), "smoothing_length_m", "finite and >= 0",
            surface.smoothing_length_m);
    require(is_length(surface.spacing_m), "spacing_m", "finite and >= 0", surface.spacing_m);
    if (!surface.has_limits) {
        return;
    }
    if (surface.depth_m) {
        findings.fail(surface.field + ".min_depth_m",
                      who + " has a constant depth; limits are for surfaces with data");
    }
    if (!std::isfinite(surface.min_depth_m) || !std::isfinite(surface.max_depth_m) ||
        !(surface.min_depth_m < surface.max_depth_m)) {
        findings.fail(surface.field + ".min_depth_m",
                      who + " must have min_depth_m < max_depth_m, got " +
                          std::to_string(surface.min_depth_m) + " and " +
                          std::to_string(surface.max_depth_m));
    }
}

/// Follows `below` until it ends, meets an unknown name or comes back.
void check_chain(const VolumeModelSpec& spec, const SurfaceSpec& surface, Findings& findings) {
    std::string chain = "'" + surface.name + "'";
    const SurfaceSpec* at = &surface;
    for (std::size_t steps = 0; !at->below.empty(); ++steps) {
        const SurfaceSpec* base = find_surface(spec, at->below);
        if (base == nullptr) {
            if (at == &surface) {
                findings.fail(surface.field + ".below", "surface '" + surface.name +
                                                            "' lies below '" + at->below +
                                                            "', which is no surface");
            }
            return;
        }
        chain += " below '" + base->name + "'";
        if (base == &surface || steps > spec.surfaces.size()) {
            if (base == &surface) {
                findings.fail(surface.field + ".below", "must not be circular: " + chain);
            }
            return;
        }
        at = base;
    }
}

}  // namespace

int surface_index(const VolumeModelSpec& spec, const std::string& name) {
    if (name.empty()) {
        return -1;
    }
    if (name == spec.free_surface) {
        return 0;
    }
    int index = 0;
    for (const SurfaceSpec& surface : spec.surfaces) {
        if (surface.name == spec.free_surface) {
            continue;
        }
        ++index;
        if (surface.name == name) {
            return index;
        }
    }
    return -1;
}

void check_surfaces(const VolumeModelSpec& spec, Findings& findings) {
    const std::size_t count = spec.surfaces.size() + (spec.free_surface.empty() ? 1 : 0);
    if (count > static_cast<std::size_t>(kMaxSurfaces)) {
        findings.fail("structure.surfaces", "must be at most " + std::to_string(kMaxSurfaces) +
                                                " with the free surface, got " +
                                                std::to_string(count));
    }
    std::set<std::string> names;
    for (const SurfaceSpec& surface : spec.surfaces) {
        const std::string who = "surface '" + surface.name + "'";
        if (surface.name.empty()) {
            findings.fail(surface.field + ".name", "must not be empty");
        } else if (!names.insert(surface.name).second) {
            findings.fail(surface.field + ".name",
                          "'" + surface.name + "' is the name of two surfaces");
        }
        const int given = int(surface.depth_m.has_value()) + int(!surface.path.empty()) +
                          int(!surface.below.empty());
        if (given != 1) {
            findings.fail(surface.field,
                          who + " must have exactly one of depth, path and below, got " +
                              (given == 0 ? "none" : std::to_string(given)));
        }
        check_numbers(surface, who, findings);
        check_chain(spec, surface, findings);
    }
    if (!spec.free_surface.empty() && find_surface(spec, spec.free_surface) == nullptr) {
        findings.fail("structure.free_surface", "'" + spec.free_surface + "' is no surface");
    }
}

}  // namespace kaname::earth
