// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "proto/kaname/v1/report.pb.h"
#include "worker/agent/stages/stages.hpp"

namespace kaname::agent {

/// Lets the GPUs that sessions would take compute, with kaname-compute. Throws what it reports,
/// Broken when it says nothing for longer than `limit`, Stopped once `stop` holds.
[[nodiscard]] v1::ProbeReport probe_gpus(const StageOptions& options, std::chrono::seconds limit,
                                         const std::function<bool()>& stop,
                                         const std::function<void(const std::string&)>& log);

}  // namespace kaname::agent
