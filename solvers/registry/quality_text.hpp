// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "solvers/earth/structure.hpp"
#include "solvers/registry/mesh_report.hpp"

namespace kaname::registry {

/// The mesh's report in lines for people.
[[nodiscard]] std::string quality_text(const MeshReport& report,
                                       std::span<const earth::Material> materials);

}  // namespace kaname::registry
