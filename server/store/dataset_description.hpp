// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/base/geo_box.hpp"

namespace kaname::store {

/// Describes a dataset by its job's specification, so that it can be found.
struct DatasetDescription {
    std::string physics;  ///< "elastic", "viscoelastic", "inversion"
    std::vector<std::string> faults;
    std::string structure_sha256;  ///< of the structure alone; empty: it has none
    std::vector<std::string> stations;
    std::optional<GeoBox> place;  ///< of sources and stations; nothing: no place on the globe
};

}  // namespace kaname::store
