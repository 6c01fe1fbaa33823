// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kaname::service {

/// Holds the tasks of one verb that are left.
struct WorkLeft {
    double tasks = 0.0;   ///< those under way with the share that is left of them
    bool set_up = false;  ///< what comes before the first is done
};
using WorkLeftByVerb = std::map<std::string, WorkLeft>;

/// Holds the times of a job's stages on the server's machine, as predicted when it was submitted;
/// kept with the job. Decision 0032.
struct StageTimes {
    struct Stage {
        std::string verb;
        double once_s = 0.0;  ///< before the first task
        double each_s = 0.0;  ///< of each pack
        std::int64_t n_tasks = 0, n_packs = 0;
    };
    std::vector<Stage> stages;
    double spread = 1.0;  ///< the truth is mostly within times and by this

    /// Verbs that it knows no times of take none.
    [[nodiscard]] double seconds(const WorkLeftByVerb& left) const;
    /// The time of all stages.
    [[nodiscard]] double total_s() const;
    [[nodiscard]] std::string to_text() const;
    /// Nothing for an empty text, as of a job that was stored without times.
    [[nodiscard]] static std::optional<StageTimes> parse(const std::string& text);
};

/// How fast active jobs really go, since this server first saw something of theirs computed.
class PaceBoard {
public:
    using Clock = std::chrono::steady_clock;

    /// Seconds that work takes for which `left_s` were predicted, out of `total_s` of the job.
    /// First as predicted, then more and more by what the work done since has taken; `begun`:
    /// something is, or was, computed.
    [[nodiscard]] double eta_s(const std::string& job_id, double left_s, double total_s, bool begun,
                               Clock::time_point now);

private:
    struct Begin {
        Clock::time_point at, asked;
        double left_s = 0.0;
    };
    std::mutex mutex_;
    std::map<std::string, Begin> begins_;
};

}  // namespace kaname::service
