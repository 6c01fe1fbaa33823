// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/progress_board.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "proto/kaname/v1/record.pb.h"
#include "proto/report/report.hpp"
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

ProgressLooks::~ProgressLooks() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

v1::JobProgress ProgressLooks::of(const std::string& key, Look look, Clock::time_point now) {
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(known_, [&](const auto& entry) { return now - entry.second.at > kOldest; });
        const auto found = known_.find(key);
        if (found != known_.end()) {
            if (now - found->second.at > kFresh && !found->second.asked) {
                found->second.asked = true;
                due_.push_back({key, std::move(look), now});
                if (!thread_.joinable()) {
                    thread_ = std::thread([this] { run(); });
                }
                changed_.notify_all();
            }
            return found->second.progress;
        }
    }
    v1::JobProgress progress = look();
    const std::lock_guard lock(mutex_);
    known_[key] = {now, progress};
    return progress;
}

void ProgressLooks::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return ends_ || !due_.empty(); });
        if (ends_) {
            return;
        }
        const Due due = std::move(due_.front());
        due_.pop_front();
        lock.unlock();
        std::optional<v1::JobProgress> progress;
        try {
            progress = due.look();
        } catch (const std::exception&) {
            // Whoever asks next looks by itself, and is told what is wrong.
        }
        lock.lock();
        if (progress) {
            known_[due.key] = {due.at, std::move(*progress)};
        } else {
            known_.erase(due.key);
        }
    }
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

namespace {

// The prediction weighs as much as the first quarter of the work.
constexpr double kTrust = 0.25;
// Nobody has asked for so long: the job has ended, or will begin anew here.
constexpr std::chrono::hours kForgotten{1};

}  // namespace

double StageTimes::seconds(const WorkLeftByVerb& left) const {
    double sum_s = 0.0;
    for (const Stage& stage : stages) {
        const auto found = left.find(stage.verb);
        if (found == left.end() || found->second.tasks <= 0.0) {
            continue;
        }
        const double of_task_s = stage.n_tasks > 0
                                     ? stage.each_s * static_cast<double>(stage.n_packs) /
                                           static_cast<double>(stage.n_tasks)
                                     : 0.0;
        sum_s += (found->second.set_up ? 0.0 : stage.once_s) + of_task_s * found->second.tasks;
    }
    return sum_s;
}

double StageTimes::total_s() const {
    WorkLeftByVerb all;
    for (const Stage& stage : stages) {
        all[stage.verb] = {static_cast<double>(stage.n_tasks)};
    }
    return seconds(all);
}

std::string StageTimes::to_text() const {
    v1::StageTimesRecord record;
    for (const Stage& stage : stages) {
        v1::StageTimesRecord::Stage& kept = *record.add_stages();
        kept.set_verb(stage.verb);
        kept.set_once_s(stage.once_s);
        kept.set_each_s(stage.each_s);
        kept.set_n_tasks(report::count(stage.n_tasks));
        kept.set_n_packs(report::count(stage.n_packs));
    }
    record.set_spread(spread);
    return report::to_json(record);
}

std::optional<StageTimes> StageTimes::parse(const std::string& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    const auto record = report::parse<v1::StageTimesRecord>(text, "estimate of a job");
    StageTimes times{{}, record.spread()};
    for (const v1::StageTimesRecord::Stage& stage : record.stages()) {
        times.stages.push_back(
            {stage.verb(), stage.once_s(), stage.each_s(), stage.n_tasks(), stage.n_packs()});
    }
    if (record.stages().empty()) {  // stored before migration 010
        times.stages = {
            {"mesh", 0.0, record.mesh_s(), 1, 1},
            {"solve", record.setup_s(), record.pack_s(), record.n_sources(), record.n_packs()},
            {"package", 0.0, record.package_s(), 1, 1}};
    }
    return times;
}

double PaceBoard::eta_s(const std::string& job_id, double left_s, double total_s, bool begun,
                        Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(begins_,
                  [&](const auto& entry) { return now - entry.second.asked > kForgotten; });
    if (!begun) {
        begins_.erase(job_id);
        return left_s;
    }
    Begin& begin = begins_.try_emplace(job_id, Begin{now, now, left_s}).first->second;
    begin.asked = now;
    // A failed task that runs again makes more work than there was.
    begin.left_s = std::max(begin.left_s, left_s);
    const double elapsed_s = std::chrono::duration<double>(now - begin.at).count();
    const double trust_s = kTrust * total_s;
    const double done_s = begin.left_s - left_s + trust_s;
    return done_s > 0.0 ? left_s * (elapsed_s + trust_s) / done_s : 0.0;
}

}  // namespace kaname::service
