// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::cli {

/// Says on standard error when `threads`, as the named options ask for, exceed the cores.
void warn_of_more_threads_than_cores(const std::string& options, long long threads);

}  // namespace kaname::cli
