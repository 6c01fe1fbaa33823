// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace kaname::aderdg {

/// The x >= 0 for which sum_l x_l columns[l] is nearest to `values` in least squares (Lawson and
/// Hanson 1974, algorithm NNLS). columns [n][rows], for the few columns of a fit.
[[nodiscard]] std::vector<double> non_negative_fit(const std::vector<std::vector<double>>& columns,
                                                   const std::vector<double>& values);

}  // namespace kaname::aderdg
