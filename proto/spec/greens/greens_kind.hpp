// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/spec/form/request.hpp"
#include "proto/spec/greens/load.hpp"

namespace kaname::spec {

/// Green's functions of unit sources (GreensBatch) and the motion of scenarios (Scenario).
[[nodiscard]] const Kind& greens_kind();

/// Mesh, sources, package: see Plan for what their keys depend on.
[[nodiscard]] TaskGraph greens_graph(const LoadedSpec& spec);

}  // namespace kaname::spec
