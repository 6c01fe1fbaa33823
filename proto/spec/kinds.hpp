// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/spec/form/request.hpp"

namespace kaname::spec {

/// The kinds of this version.
[[nodiscard]] const Kinds& built_in_kinds();

}  // namespace kaname::spec
