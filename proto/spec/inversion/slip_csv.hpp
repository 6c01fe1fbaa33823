// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::spec {

/// Slip of one source of a dataset.
struct SourceSlip {
    std::string source;  ///< id, such as "s00d01/dip_slip"
    double slip_m = 0.0;
};

/// A table with the columns source and slip_m, in any order; others are passed over.
/// Throws ValidationError with every bad row as "file:line", Error when it cannot be read.
[[nodiscard]] std::vector<SourceSlip> read_slip_csv(const std::string& path);

}  // namespace kaname::spec
