// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/h5/file.hpp"

namespace kaname::test {

/// Returns the shape of a dataset as the HDF5 library alone reads it, virtual ones too, which
/// h5::File refuses; {0} where it cannot be opened.
[[nodiscard]] h5::Dims dims_in_hdf5(const std::string& path, const std::string& name);
/// Returns its values; none where it cannot be read.
[[nodiscard]] std::vector<float> values_in_hdf5(const std::string& path, const std::string& name);

}  // namespace kaname::test
