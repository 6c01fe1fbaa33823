// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/session_answer.hpp"

namespace kaname::helpers {

run::Event next_answer(run::ComputeSession& session, const std::string& verb,
                       const AnswerLimit& limit) {
    return session.next([](const run::Event&) {},
                        [&] {
                            if (std::chrono::steady_clock::now() > limit.deadline) {
                                throw Error(ErrorCode::Unavailable,
                                            "kaname-compute " + verb + " took longer than " +
                                                std::to_string(limit.limit.count()) +
                                                " s and was stopped");
                            }
                        });
}

}  // namespace kaname::helpers
