// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/request/form/request.hpp"

namespace kaname::request {

/// The kinds of this version.
[[nodiscard]] const Kinds& built_in_kinds();

}  // namespace kaname::request
