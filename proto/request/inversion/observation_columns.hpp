// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kaname::request {

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
    std::string name;  ///< as in a request: "mm_per_year"
    double factor = 1.0;
    bool velocity = false;
};

/// The six of Observations.unit.
[[nodiscard]] const std::vector<ObservationUnit>& observation_units();
/// By its name, or with _per_yr in place of _per_year.
[[nodiscard]] std::optional<ObservationUnit> find_observation_unit(std::string_view name);

/// Columns of a table of observations, as its header names them.
struct ObservationColumns {
    struct Measured {
        std::size_t index = 0;
        std::string name;
        std::optional<ObservationUnit> unit;  ///< absent: not in the name
    };
    struct Scaled {
        std::size_t index = 0;
        double factor = 1.0;  ///< to s
    };
    std::optional<std::size_t> station, lon, lat;
    std::map<std::string, Measured> values, sigmas;  ///< by component
    std::optional<Scaled> epoch, since;
    std::optional<std::size_t> look_east, look_north,
        look_up;  ///< from the ground to the satellite
    std::optional<std::size_t> incidence, heading;
    std::vector<std::string> passed_over;  ///< begin with a component, but end in no known unit
    std::vector<std::string> errors;
};

/// Finds the columns that observations of a kind can have. Names of the others are passed over.
[[nodiscard]] ObservationColumns find_columns(const std::vector<std::string>& names,
                                              const ObservationKind& kind);

}  // namespace kaname::request
