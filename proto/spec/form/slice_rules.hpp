// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "solvers/base/error.hpp"

namespace kaname::spec {

/// Ids of each kind that a slice may name.
inline constexpr int kMaxSliceIds = 100000;

/// The broken rules of a slice that need no dataset: an axis is asked for by names or by indices,
/// nothing is named twice, and times are finite and in order.
[[nodiscard]] std::vector<Violation> check_slice(const v1::ReadSliceRequest& slice);

}  // namespace kaname::spec
