// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/spec/inversion/observation_units.hpp"

namespace kaname::spec {

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

}  // namespace kaname::spec
