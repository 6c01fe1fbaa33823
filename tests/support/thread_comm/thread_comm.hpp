// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "solvers/comm/comm.hpp"

namespace kaname::comm {

/// Runs `body` once per rank, each rank a thread of this process, and returns when all are done.
///
/// Sums add in rank order, so results repeat bit for bit. When a rank throws, or returns while the
/// others still wait for it, the waiting ranks get Error(Unavailable, "rank N failed" or "rank N
/// returned ..."); the exception that came first is rethrown here.
/// Throws InvalidArgument when ranks < 1.
void run_as_threads(int ranks, const std::function<void(Comm&)>& body);

}  // namespace kaname::comm
