// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/inversion/observation_units.hpp"

#include <algorithm>

namespace kaname::spec {

const std::vector<ObservationKind>& observation_kinds() {
    static const std::vector<ObservationKind> kinds = {{kGnss, {"east", "north", "up"}},
                                                       {"gnss_acoustic", {"east", "north"}},
                                                       {"ocean_bottom_pressure", {"up"}},
                                                       {kInsar, {"los"}}};
    return kinds;
}

const ObservationKind* find_observation_kind(std::string_view name) {
    const auto found = std::ranges::find(observation_kinds(), name, &ObservationKind::name);
    return found == observation_kinds().end() ? nullptr : &*found;
}

const std::vector<ObservationUnit>& observation_units() {
    static const std::vector<ObservationUnit> units = {
        {"m", 1.0, false},         {"cm", 1e-2, false},         {"mm", 1e-3, false},
        {"m_per_year", 1.0, true}, {"cm_per_year", 1e-2, true}, {"mm_per_year", 1e-3, true}};
    return units;
}

std::optional<ObservationUnit> find_observation_unit(std::string_view name) {
    std::string full(name);
    if (full.ends_with("_per_yr")) {
        full.insert(full.size() - 1, "ea");
    }
    const auto found = std::ranges::find(observation_units(), full, &ObservationUnit::name);
    return found == observation_units().end() ? std::nullopt : std::optional(*found);
}

}  // namespace kaname::spec
