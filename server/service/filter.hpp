// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "server/store/types.hpp"

namespace kaname::service {

/// `field = "value" [AND field = "value" ...]` (a small part of AIP-160) over state, title and
/// owner. Throws ValidationError naming the place in the text.
[[nodiscard]] store::JobFilter parse_filter(const std::string& text);

}  // namespace kaname::service
