// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "solvers/base/seconds_since.hpp"

namespace kaname::compute {

/// How long each phase of a stage took.
class PhaseTimes {
public:
    void enter(const std::string& phase) {
        if (!phases_.empty()) {
            phases_.back().seconds += seconds_since(since_);
        }
        since_ = Clock::now();
        if (phases_.empty() || phases_.back().name != phase) {
            phases_.push_back({phase});
        }
    }
    /// "lattice 0.2 s, quality 0.1 s"
    [[nodiscard]] std::string text() {
        enter("");
        std::string text;
        for (const Phase& phase : phases_) {
            if (!phase.name.empty()) {
                char seconds[32];
                std::snprintf(seconds, sizeof seconds, " %.1f s", phase.seconds);
                text += (text.empty() ? "" : ", ") + phase.name + seconds;
            }
        }
        return text;
    }

private:
    using Clock = std::chrono::steady_clock;
    struct Phase {
        std::string name;
        double seconds = 0.0;
    };
    std::vector<Phase> phases_;
    Clock::time_point since_{};
};

}  // namespace kaname::compute
