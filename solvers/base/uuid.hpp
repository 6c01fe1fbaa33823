// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname {

/// Random UUID, version 4 (RFC 4122), lower case.
[[nodiscard]] std::string make_uuid();

}  // namespace kaname
