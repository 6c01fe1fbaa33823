// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/task_graph.hpp"

#include <algorithm>

namespace kaname::spec {

std::size_t TaskGraph::n_sources() const {
    return static_cast<std::size_t>(std::ranges::count(tasks, true, &Task::source));
}

}  // namespace kaname::spec
