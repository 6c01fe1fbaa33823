// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "server/gateway/line.hpp"
#include "server/gateway/rounds.hpp"
#include "server/http/pages.hpp"

namespace kaname::gateway {

/// POST /v1/slices: the doubles of a ReadSliceRequest, little-endian, and their shape in
/// Kaname-Shape. What it refers to outlives it; `methods` may leave ReadSlice out.
[[nodiscard]] http::Page slices_page(const std::vector<Method>& methods, Line& line, Rounds& rounds,
                                     std::function<void(const http::Request&)> look_again);

}  // namespace kaname::gateway
