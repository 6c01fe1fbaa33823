// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <google/protobuf/message.h>

#include "client/cli/commands.hpp"
#include "proto/kaname/v1/report.pb.h"

namespace kaname::cli {

/// Everything about a specification that can be known before it is computed. Throws ValidationError
/// with every broken rule that needs geometry, memory or time. `threads` is what the time estimate
/// is for; 0: all cores.
[[nodiscard]] v1::Estimate preflight(
    const google::protobuf::Message& specification, int threads, const Context& context,
    const std::function<void(const run::Progress&)>& on_progress = {});

}  // namespace kaname::cli
