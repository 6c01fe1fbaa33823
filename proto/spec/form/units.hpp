// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kaname::spec {

/// A name under which a quantity may be given: value in the field's SI unit = factor * number.
struct QuantityName {
    std::string name;
    double factor = 1.0;
};

/// All names for the field `field` ("depth_m": depth_m, depth_km), its own name first. A field
/// whose name ends in no known unit has its own name only.
[[nodiscard]] std::vector<QuantityName> quantity_names(std::string_view field);
/// Field name without its unit ("depth_m": depth); the whole name when it ends in no known unit.
[[nodiscard]] std::string_view without_unit(std::string_view field);

}  // namespace kaname::spec
