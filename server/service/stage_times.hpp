// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace kaname::service {

/// What is left of a job.
struct WorkLeft {
    double mesh = 1.0;     ///< share of the mesh
    bool setup = true;     ///< matrices are not there yet
    double sources = 0.0;  ///< sources, those under way with the share that is left of them
    double package = 1.0;  ///< share of the dataset
};

/// What the stages of a job take on the server's machine, as predicted when it was submitted; kept
/// with the job. Decision 0032.
struct StageTimes {
    double mesh_s = 0.0, setup_s = 0.0, pack_s = 0.0, package_s = 0.0;
    double spread = 1.0;         ///< the truth is mostly within times and by this
    std::int64_t n_sources = 0;  ///< sources to compute
    std::int64_t n_packs = 0;

    [[nodiscard]] double seconds(const WorkLeft& left) const;
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
