// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kaname::spec {

/// A kind of observations, with the components that it can have, in the order of its rows.
struct ObservationKind {
    std::string name;
    std::vector<std::string> components;
};

inline constexpr const char* kGnss = "gnss";
inline constexpr const char* kInsar = "insar";
inline constexpr const char* kDisplacement = "displacement";
inline constexpr const char* kVelocity = "velocity";

/// gnss, gnss_acoustic, ocean_bottom_pressure, insar.
[[nodiscard]] const std::vector<ObservationKind>& observation_kinds();
/// Null where there is none of this name.
[[nodiscard]] const ObservationKind* find_observation_kind(std::string_view name);

/// value in m, or m per year = factor * number.
struct ObservationUnit {
    std::string name;  ///< as in a specification: "mm_per_year"
    double factor = 1.0;
    bool velocity = false;
};

/// The six of Observations.unit.
[[nodiscard]] const std::vector<ObservationUnit>& observation_units();
/// By its name, or with _per_yr in place of _per_year.
[[nodiscard]] std::optional<ObservationUnit> find_observation_unit(std::string_view name);

}  // namespace kaname::spec
