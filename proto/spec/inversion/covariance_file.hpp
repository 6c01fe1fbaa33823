// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::spec {

/// A covariance matrix [n][n] of comma-separated lines; it is made exactly symmetric. Throws
/// ValidationError where it has another shape, is not symmetric or not positive definite, naming
/// the row, Error when the file cannot be read.
[[nodiscard]] std::vector<double> read_covariance(const std::string& path, std::size_t n);

}  // namespace kaname::spec
