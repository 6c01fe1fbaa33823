// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "solvers/base/error.hpp"

namespace kaname::spec {

/// Every rule of a batch that needs neither files nor geometry; all that are broken, at once, in
/// the order of the message. Accepts messages before and after fill_defaults.
[[nodiscard]] std::vector<Violation> validate(const v1::GreensBatch& batch);

}  // namespace kaname::spec
