// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "server/service/context.hpp"

namespace kaname::service {

/// Queue, workers and GPUs in the text format of Prometheus, base units. GPUs are named by UUID,
/// never by job, so that the number of series stays that of the hardware; what a GPU does not
/// support has no line. Throws Unavailable when the database does not answer.
[[nodiscard]] std::string metrics_text(Context& context);

}  // namespace kaname::service
