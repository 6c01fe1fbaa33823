// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/progress_looks.hpp"

namespace kaname::service {

v1::JobProgress ProgressLooks::of(const std::string& job_id,
                                  const std::function<v1::JobProgress()>& look,
                                  Clock::time_point now) {
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(known_, [&](const auto& entry) { return now - entry.second.at > kFresh; });
        const auto found = known_.find(job_id);
        if (found != known_.end()) {
            return found->second.progress;
        }
    }
    v1::JobProgress progress = look();
    const std::lock_guard lock(mutex_);
    known_[job_id] = {now, progress};
    return progress;
}

}  // namespace kaname::service
