// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/context.hpp"

/// Attempts at tasks, as workers name them.
namespace kaname::service {

[[nodiscard]] store::Held held_of(const v1::TaskRef& ref);
[[nodiscard]] std::vector<store::Held> all_held(
    const google::protobuf::RepeatedPtrField<v1::TaskRef>& refs);

/// How an attempt ended, as Meters::ended has it.
struct AttemptEnd {
    const char* outcome = "";
    std::string reason = {};
};
/// An attempt of this worker ended: its owner is charged, it is counted, and its progress is told
/// no more. Another's goes on.
void end_attempt(Context& context, const std::string& worker_id, store::Held task,
                 const AttemptEnd& end);

}  // namespace kaname::service
