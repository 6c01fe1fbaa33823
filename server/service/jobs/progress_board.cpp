// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/progress_board.hpp"

#include <utility>
#include <vector>

#include "server/store/rules.hpp"

namespace kaname::service {

void ProgressBoard::begin(const std::string& worker_id, const std::string& content_key) {
    const std::lock_guard lock(mutex_);
    entries_.insert_or_assign(content_key, Entry{0.0, -1.0, "starting", worker_id,
                                                 std::chrono::steady_clock::now(), false});
}

void ProgressBoard::set(const std::string& worker_id, const v1::HeartbeatRequest& heartbeat) {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const auto& entry) {
        return entry.second.worker_id == worker_id && entry.second.told;
    });
    for (const v1::TaskProgress& progress : heartbeat.progress()) {
        entries_[progress.content_key()] = {
            progress.fraction(), progress.eta_s(), progress.text(), worker_id, now, true};
    }
}

bool ProgressBoard::has(const std::string& worker_id, const std::string& content_key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(content_key);
    return found != entries_.end() && found->second.worker_id == worker_id;
}

void ProgressBoard::forget(const std::string& content_key) {
    const std::lock_guard lock(mutex_);
    entries_.erase(content_key);
}

std::map<std::string, ProgressBoard::Entry> ProgressBoard::recent() const {
    const auto limit = std::chrono::steady_clock::now() - kHeartbeatShown;
    const std::lock_guard lock(mutex_);
    std::map<std::string, Entry> found = entries_;
    std::erase_if(found, [&](const auto& entry) { return entry.second.at < limit; });
    return found;
}

std::string ProgressBoard::text_of(const std::string& worker_id) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, entry] : entries_) {
        if (entry.worker_id == worker_id) {
            return entry.text;
        }
    }
    return "";
}

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
