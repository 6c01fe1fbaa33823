// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname::registry {

/// What the system says is available [bytes]; 0 where it does not say.
[[nodiscard]] double available_bytes();

}  // namespace kaname::registry
