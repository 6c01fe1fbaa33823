// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/jobs/greens/step_response.hpp"

namespace kaname::answer {

/// Returns the slip history of a dataset's request [JSON of kaname.v1.GreensBatch], a step
/// where it has none. It is read without protobuf's classes, so that a program with messages of its
/// own can load this library. Throws DataLoss where it is no such JSON.
[[nodiscard]] jobs::SlipHistory recorded_history(const std::string& specification_json);

}  // namespace kaname::answer
