// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/attempts.hpp"

namespace kaname::service {

store::Held held_of(const v1::TaskRef& ref) {
    return {ref.task_id(), ref.fence()};
}

std::vector<store::Held> all_held(const google::protobuf::RepeatedPtrField<v1::TaskRef>& refs) {
    std::vector<store::Held> held;
    for (const v1::TaskRef& ref : refs) {
        held.push_back(held_of(ref));
    }
    return held;
}

void end_attempt(Context& context, const std::string& worker_id, store::Held task,
                 const AttemptEnd& end) {
    const auto attempt = context.running.attempt_of(worker_id, task);
    if (!attempt) {
        return;
    }
    context.meters.ended(end.outcome, end.reason, attempt->verb, attempt->ran_s, attempt->source);
    if (const auto key = context.running.ended(task)) {
        context.board.forget(*key);
    }
}

}  // namespace kaname::service
