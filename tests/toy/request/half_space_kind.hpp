// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/request/form/request.hpp"

namespace kaname::toy {

/// Displacements of a half-space: a task for each rectangle, without a mesh, and one that collects.
[[nodiscard]] const request::Kind& half_space_kind();

}  // namespace kaname::toy
