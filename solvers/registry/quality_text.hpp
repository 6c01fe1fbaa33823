// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/earth/structure.hpp"
#include "solvers/mesh/quality.hpp"

namespace kaname::registry {

/// The mesh's quality report in lines for people.
[[nodiscard]] std::string quality_text(const mesh::QualityReport& quality,
                                       const earth::LayeredStructure& structure);

}  // namespace kaname::registry
