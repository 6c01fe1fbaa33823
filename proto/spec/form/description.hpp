// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/base/geo_box.hpp"

namespace kaname::spec {

/// Description holds the properties by which the result of a request can be found.
struct Description {
    std::string physics;              ///< "elastic", "viscoelastic", "inversion"; empty: none
    std::vector<std::string> faults;  ///< names and kinds, each once
    /// Hex SHA-256 of the structure's canonical text, whatever else is wanted of it; empty: none.
    std::string structure_sha256;
    std::vector<std::string> stations;  ///< ids, each once
    std::optional<GeoBox> place;        ///< of sources and stations; nothing: not on the globe
};

}  // namespace kaname::spec
