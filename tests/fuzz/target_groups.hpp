// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace kaname::fuzz {

/// The parts of targets().
[[nodiscard]] std::vector<Target> specification_targets();
[[nodiscard]] std::vector<Target> service_targets();
[[nodiscard]] std::vector<Target> table_targets();
/// None in builds without HDF5.
[[nodiscard]] std::vector<Target> hdf5_targets();

/// The path of a file of this process with these bytes, for readers that take a path. One of that
/// name before is written over.
[[nodiscard]] std::string as_file(std::string_view bytes, const std::string& name);

}  // namespace kaname::fuzz
