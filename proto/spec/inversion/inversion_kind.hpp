// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/spec/form/request.hpp"

namespace kaname::spec {

/// The result that an inversion's folder gets.
inline constexpr const char* kInversionFile = "inversion.h5";

/// Slip from observed motion (Inversion): one task, without sources.
[[nodiscard]] const Kind& inversion_kind();

}  // namespace kaname::spec
