// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/kaname/v1/report.pb.h"

namespace kaname::compute {

/// Version and compiled-in libraries of this build.
[[nodiscard]] v1::BuildReport build_report();

/// "kaname-compute 0.1.0, commit 0123456789ab", for logs.
[[nodiscard]] std::string program_text();

/// "Intel(R) Xeon(R) Processor, 16 cores": what decides how fast this build computes.
[[nodiscard]] std::string machine_text();

}  // namespace kaname::compute
