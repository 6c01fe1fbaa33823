// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname::jobs {

/// What the system says is available [bytes]; 0 where it does not say.
[[nodiscard]] double available_bytes();

/// The most memory that this process has had so far [bytes].
[[nodiscard]] double peak_bytes();

}  // namespace kaname::jobs
