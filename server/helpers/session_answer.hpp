// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "worker/run/compute_session.hpp"

namespace kaname::helpers {

/// How long an answer may take, counted from when it was made.
struct AnswerLimit {
    std::chrono::seconds limit;
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::now() + limit;
};

/// The next Result or Failure of `kaname-compute verb`. Throws SessionEnded when it crashed,
/// Unavailable after the limit.
[[nodiscard]] run::Event next_answer(run::ComputeSession& session, const std::string& verb,
                                     const AnswerLimit& limit);

}  // namespace kaname::helpers
