// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "proto/kaname/v1/job.pb.h"

namespace kaname::service {

/// Progress of large jobs, looked at once for all who watch them. Safe from any thread.
class ProgressLooks {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kFresh{500};

    /// Returns what `look` gives, or gave for this job within kFresh before `now`.
    [[nodiscard]] v1::JobProgress of(const std::string& job_id,
                                     const std::function<v1::JobProgress()>& look,
                                     Clock::time_point now = Clock::now());

private:
    struct Known {
        Clock::time_point at;
        v1::JobProgress progress;
    };
    std::mutex mutex_;
    std::map<std::string, Known> known_;
};

}  // namespace kaname::service
