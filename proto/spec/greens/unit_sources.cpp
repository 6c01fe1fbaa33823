// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/unit_sources.hpp"

#include <algorithm>
#include <cstdio>

#include "proto/spec/form/text.hpp"
#include "solvers/base/error.hpp"

namespace kaname::spec {
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

}  // namespace kaname::spec
