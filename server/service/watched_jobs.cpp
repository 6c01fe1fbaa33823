// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/watched_jobs.hpp"

#include <utility>
#include <vector>

#include "server/store/rules.hpp"

namespace kaname::service {

WatchedJobs::Watch::Watch(WatchedJobs& board, std::string job_id)
    : board_(board), job_id_(std::move(job_id)) {
    const std::lock_guard lock(board_.mutex_);
    ++board_.watches_[job_id_];
}

WatchedJobs::Watch::~Watch() {
    const std::lock_guard lock(board_.mutex_);
    const auto mine = board_.watches_.find(job_id_);
    if (--mine->second == 0) {
        board_.watches_.erase(mine);
        board_.seqs_.erase(job_id_);
    }
}

std::int64_t WatchedJobs::Watch::event_seq(Clock::time_point now) const {
    // Read before the look: what changes during it is looked for again.
    const std::uint64_t version = board_.wakeups_.version();
    std::vector<std::string> jobs;
    {
        const std::lock_guard lock(board_.mutex_);
        const auto known = board_.seqs_.find(job_id_);
        if (known == board_.seqs_.end() || board_.seen_ != version ||
            now - board_.looked_ >= kNet) {
            for (const auto& [job, n] : board_.watches_) {
                jobs.push_back(job);
            }
        } else if (known->second != kGone) {
            return known->second;
        }
    }
    if (!jobs.empty()) {
        const auto seqs = board_.store_.event_seqs(jobs);
        const std::lock_guard lock(board_.mutex_);
        for (std::size_t k = 0; k < jobs.size(); ++k) {
            if (board_.watches_.contains(jobs[k])) {
                board_.seqs_[jobs[k]] = seqs[k].value_or(kGone);
            }
        }
        board_.seen_ = version;
        board_.looked_ = now;
        if (board_.seqs_.at(job_id_) != kGone) {
            return board_.seqs_.at(job_id_);
        }
    }
    store::throw_no_job(job_id_);
}

}  // namespace kaname::service
