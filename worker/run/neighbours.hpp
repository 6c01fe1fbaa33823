// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace kaname::run {

/// Tells whether processes of this machine have waited for a core in more than a tenth of the last
/// ten seconds (PSI, proc_pressure_cpu(5)); where the kernel does not say that, whether more than
/// `cores` are runnable on average. `proc`: where proc(5) is mounted.
[[nodiscard]] bool has_busy_neighbours(int cores, const std::filesystem::path& proc = "/proc");

}  // namespace kaname::run
