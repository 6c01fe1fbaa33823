// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace kaname::compute {

/// Returns the time that has passed since `start`.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// How long each phase of a stage took.
class PhaseTimes {
public:
    void enter(const std::string& phase) {
        const Clock::time_point now = Clock::now();
        if (!phases_.empty()) {
            phases_.back().seconds += std::chrono::duration<double>(now - since_).count();
        }
        since_ = now;
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
