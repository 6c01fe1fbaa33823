// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/earth/structure.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"

namespace kaname::jobs {

/// The mesh's report in lines for people.
[[nodiscard]] std::string quality_text(const MeshReport& report,
                                       std::span<const earth::Material> materials);
/// Its lines that every run should tell.
[[nodiscard]] std::vector<std::string> mesh_warnings(const std::string& text);

}  // namespace kaname::jobs
