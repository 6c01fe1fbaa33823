// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::compute {

/// From now on a memory fault of this process is told as the damage of `file`, with exit code 2:
/// the HDF5 library ends in one on some damaged files, wherever it notices nothing itself.
void blame_memory_faults_on(const std::string& file);

}  // namespace kaname::compute
