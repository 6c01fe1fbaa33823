// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::spec {

/// Workers that may run a task name its pool: any processor, or those set up to solve.
inline constexpr const char* kCpuPool = "cpu";
inline constexpr const char* kSolvePool = "solve";

/// One stage of a request: what a worker runs, and when it may.
struct Task {
    std::string verb;   ///< of kaname-compute
    std::string label;  ///< for people, and the name under which its result is another's input
    /// Content key: SHA-256 (hex) of all that the result depends on. Equal keys are computed once.
    std::string key;
    /// Tasks of one non-empty key share what is set up for them, and can be run together.
    std::string compat_key = {};
    std::string pool = kCpuPool;
    /// Names tasks of this graph, by key, whose results this task takes: all of them are done
    /// before it begins.
    std::vector<std::string> needs = {};
    /// Names tasks of this graph, by key, that must have ended before this task begins. It takes
    /// the results of those that are done, at least one.
    std::vector<std::string> gathers = {};
    bool source = false;   ///< counts when a job's progress is told: what the request is about
    bool session = false;  ///< run by a program that stays and keeps what it has set up
};

/// All that a request takes. Sources come first, in the order of the dataset; the result of the
/// last task is what was asked for: the dataset.
struct TaskGraph {
    std::vector<Task> tasks;

    [[nodiscard]] std::size_t n_sources() const;
};

/// How long the tasks of a verb are expected to take [s].
struct VerbTime {
    std::string verb;
    double once_s = 0.0;  ///< before the first of a session
    double each_s = 0.0;  ///< of each, or of each pack where they are run together
};

}  // namespace kaname::spec
