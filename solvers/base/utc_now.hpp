// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname {

/// The current time: "2026-01-31T23:59:59Z".
[[nodiscard]] std::string utc_now();

}  // namespace kaname
