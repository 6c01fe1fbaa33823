// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"

namespace kaname::spec {

/// A range of viscosity, where it stands and what else is said there.
struct RangePlace {
    std::string field;  ///< path of the range, as "structure.materials[1].viscosity_range_pa_s"
    std::string number_field;  ///< of the number in whose place it stands
    std::string parameter;     ///< name that answers know it by
    const v1::ViscosityRange* range = nullptr;
    double number_pa_s = 0.0;  ///< the field beside it; 0: none
};

/// All ranges of a batch, in the order of materials, then volumes.
[[nodiscard]] std::vector<RangePlace> ranges_of(const v1::GreensBatch& batch);

/// `reference`, or else the geometric mean.
[[nodiscard]] double reference_of(const v1::ViscosityRange& range);

}  // namespace kaname::spec
