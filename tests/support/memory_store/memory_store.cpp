// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/memory_store/memory_store.hpp"

#include <algorithm>
#include <utility>

#include "server/store/campaign_rules.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store::memory {

MemoryStore::MemoryStore(StoreOptions options, Clock clock)
    : options_(options), clock_(std::move(clock)) {}

SubmitResult MemoryStore::submit(const Submission& submission) {
    check_submission(submission);
    const std::lock_guard lock(mutex_);
    const auto id = std::make_pair(submission.principal, submission.request_id);
    if (const auto found = requests_.find(id); found != requests_.end()) {
        if (found->second.body_sha256 != submission.body_sha256) {
            throw Error(ErrorCode::Conflict,
                        "request_id \"" + submission.request_id + "\" was used with another body");
        }
        SubmitResult result = found->second.result;
        result.replayed = true;
        return result;
    }

    MemberRow* member = nullptr;
    if (!submission.campaign.empty()) {
        const auto found = campaigns_.find(submission.campaign);
        const bool active = found != campaigns_.end() &&
                            found->second.campaign.state == CampaignState::Active &&
                            submission.member < std::ssize(found->second.members);
        member =
            active ? &found->second.members[static_cast<std::size_t>(submission.member)] : nullptr;
        if (member == nullptr || member->state != "waiting" || !member->job_id.empty()) {
            throw_not_waiting(submission);
        }
    }
    for (const std::string& file : submission.files) {
        loose_files_[file] = clock_();
    }
    if (submission.check_files) {
        submission.check_files();
    }
    SubmitResult result{.job_id = submission.job_id.empty() ? make_uuid() : submission.job_id};
    JobRow& row = jobs_[result.job_id];
    row.job.job_id = result.job_id;
    row.campaign = submission.campaign;
    row.member = submission.member;
    row.job.campaign_id = submission.campaign;
    row.job.member = member != nullptr ? member->sent.label : "";
    row.about = submission.dataset;
    if (member != nullptr) {
        member->state = "submitted";
        member->job_id = result.job_id;
    }
    row.job.owner = submission.owner;
    row.job.name = submission.name;
    row.job.request = submission.request;
    row.job.estimate = submission.estimate;
    row.job.priority = submission.priority;
    row.job.traceparent = submission.traceparent;
    row.job.created_s = clock_();
    row.planned = submission.items;
    row.files = {submission.files.begin(), submission.files.end()};
    std::set<std::string> distinct;
    for (const WantedItem& item : submission.items) {
        JobItem entry;
        entry.ordinal = static_cast<std::int64_t>(row.items.size());
        entry.content_key = item.content_key;
        entry.verb = item.verb;
        entry.source = item.source;
        entry.label = item.label;
        row.items.push_back(std::move(entry));
        row.job.n_sources += item.source ? 1 : 0;
        distinct.insert(item.content_key);
    }
    row.job.n_total = row.job.n_live = static_cast<std::int64_t>(row.items.size());
    job_order_.emplace(++last_position_, result.job_id);
    add_event(row, EventType::Submitted, -1, "");
    const Materialised counts = create_tasks(row);
    result.n_created = counts.created;
    result.n_joined = counts.joined;
    result.n_cached = static_cast<std::int64_t>(distinct.size()) - counts.created - counts.joined;
    requests_[id] = {submission.body_sha256, result};
    keep(submission.actor, "CreateJob", "jobs/" + result.job_id);
    return result;
}

MemoryStore::Materialised MemoryStore::create_tasks(JobRow& row) {
    Materialised counts;
    std::set<std::string> seen;
    for (const JobItem& item : row.items) {
        const WantedItem& planned = row.planned[static_cast<std::size_t>(item.ordinal)];
        if (item.state != ItemState::Live || artifacts_.contains(item.content_key) ||
            !seen.insert(item.content_key).second) {
            continue;
        }
        if (const auto task = tasks_.find(item.content_key); task != tasks_.end()) {
            task->second.priority = std::max(task->second.priority, row.job.priority);
            if (would_start(row, task->second)) {
                set_hold(task->second, false);
            }
            ++counts.joined;
            continue;
        }
        Task task;
        task.task_id = ++last_task_id_;
        task.ordinal = item.ordinal;
        task.verb = item.verb;
        task.gathers = !planned.gathers.empty();
        task.content_key = item.content_key;
        task.compat_key = planned.compat_key;
        task.owner = row.job.owner;
        task.pool = planned.pool;
        task.label = planned.label;
        task.payload = planned.payload;
        task.priority = row.job.priority;
        task.run_at = clock_();
        task.campaign = row.campaign;
        task.member = row.member;
        set_hold(task, !would_start(row, task));
        tasks_[item.content_key] = std::move(task);
        ++counts.created;
    }
    add_needs(row, seen);
    lift_needed();
    for (JobItem& item : row.items) {
        const auto artifact = artifacts_.find(item.content_key);
        if (item.state == ItemState::Live && artifact != artifacts_.end()) {
            item.reused = true;
            item.sha256 = artifact->second.sha256;
            item.bytes = artifact->second.bytes;
            row.job.n_sources_reused += item.source ? 1 : 0;
            end_item(row, item, ItemState::Done, "");
        }
    }
    end_job_if_idle(row);
    return counts;
}

Job MemoryStore::cancel_job(const std::string& job_id, const Actor& actor, const Stop&) {
    const std::lock_guard lock(mutex_);
    JobRow& row = row_of(job_id);
    if (row.job.state != JobState::Active) {
        return row.job;
    }
    cancel(row);
    keep(actor, "CancelJob", "jobs/" + job_id);
    return row.job;
}

void MemoryStore::cancel(JobRow& row) {
    Keys wanted;
    for (JobItem& item : row.items) {
        if (item.state == ItemState::Live) {
            wanted.insert(item.content_key);
            end_item(row, item, ItemState::Cancelled, "");
        }
    }
    row.job.state = JobState::Cancelled;
    row.job.ended_s = clock_();
    add_event(row, EventType::JobEnded, -1, std::string(to_string(row.job.state)));
    drop_unwanted(row);
    hold_back(&wanted);
}

// In turns, from what nothing needs downwards: a task also stays while a live one needs it. Those
// that gather take what is there: where one of another job is left, it waits for that job's
// sources.
void MemoryStore::drop_unwanted(const JobRow& row) {
    std::set<std::string> wanted;
    for (const auto& [id, other] : jobs_) {
        for (const JobItem& item : other.items) {
            if (item.state == ItemState::Live) {
                wanted.insert(item.content_key);
            }
        }
    }
    for (bool any = true; any;) {
        any = false;
        for (const JobItem& item : row.items) {
            const std::string& key = item.content_key;
            const auto task = tasks_.find(key);
            const bool needed = std::ranges::any_of(
                tasks_, [&](const auto& entry) { return entry.second.needs.contains(key); });
            if (task != tasks_.end() && !wanted.contains(key) && !needed) {
                cancelled_.insert(task->second.task_id);
                tasks_.erase(task);
                release_waiting({key});
                any = true;
            }
        }
    }
}

bool MemoryStore::finish_bulk(const std::string& job_id, const Stop&) {
    (void)job_id;
    return false;  // nothing is ever left
}

Job MemoryStore::retry_job(const std::string& job_id, const Actor& actor, const Stop&) {
    const std::lock_guard lock(mutex_);
    JobRow& row = row_of(job_id);
    if (row.job.state == JobState::Active) {
        return row.job;
    }
    check_retryable(row.job);
    keep(actor, "RetryJob", "jobs/" + job_id);
    Job& job = row.job;
    job.n_done = job.n_failed = job.n_cancelled = job.n_live = 0;
    job.n_sources_done = job.n_sources_failed = job.n_sources_reused = 0;
    for (JobItem& item : row.items) {
        const bool source = item.source;
        if (item.state == ItemState::Done &&
            row.planned[static_cast<std::size_t>(item.ordinal)].gathers.empty() &&
            artifacts_.contains(item.content_key)) {
            ++job.n_done;
            job.n_sources_done += source ? 1 : 0;
            job.n_sources_reused += source && item.reused ? 1 : 0;
            continue;
        }
        item.state = ItemState::Live;
        item.error.clear();
        item.sha256.clear();
        item.bytes = item.n_missing = 0;
        item.reused = false;
        ++job.n_live;
    }
    job.state = JobState::Active;
    job.ended_s = 0;
    add_event(row, EventType::Retried, -1, "");
    (void)create_tasks(row);
    return job;
}

void MemoryStore::delete_job(const std::string& job_id, const std::string& etag,
                             const Actor& actor) {
    const std::lock_guard lock(mutex_);
    check_deletable(row_of(job_id).job, etag);
    if (row_of(job_id).pinned) {
        throw_pinned(job_id);
    }
    if (const auto of = campaigns_.find(row_of(job_id).campaign); of != campaigns_.end()) {
        check_deletable_member(job_id, of->second.campaign);
        MemberRow& member = of->second.members[static_cast<std::size_t>(row_of(job_id).member)];
        if (member.job_id == job_id) {
            member.state = state_of(member);
            member.error = member.state == "done" ? "" : kJobDeleted;
            member.job_id.clear();
        }
    }
    keep(actor, "DeleteJob", "jobs/" + job_id, "ok, of \"" + row_of(job_id).job.owner + '"');
    forget_job(job_id);
}

void MemoryStore::forget_job(const std::string& job_id) {
    const JobRow& row = row_of(job_id);
    for (const WantedItem& item : row.planned) {
        const auto task = tasks_.find(item.content_key);
        if (task != tasks_.end() && task->second.payload == item.payload) {
            task_files_[item.content_key].insert(row.files.begin(), row.files.end());
        }
    }
    jobs_.erase(job_id);
    std::erase_if(job_order_, [&](const auto& entry) { return entry.second == job_id; });
    std::erase_if(requests_,
                  [&](const auto& entry) { return entry.second.result.job_id == job_id; });
}

Job MemoryStore::get_job(const std::string& job_id) {
    const std::lock_guard lock(mutex_);
    return row_of(job_id).job;
}

Job MemoryStore::look_at_job(const std::string& job_id) {
    Job job = get_job(job_id);
    job.request.clear();
    return job;
}

std::vector<std::optional<std::int64_t>> MemoryStore::event_seqs(
    std::span<const std::string> job_ids) {
    const std::lock_guard lock(mutex_);
    std::vector<std::optional<std::int64_t>> seqs;
    for (const std::string& job_id : job_ids) {
        const auto found = jobs_.find(job_id);
        seqs.push_back(found == jobs_.end() ? std::nullopt
                                            : std::optional(found->second.job.event_seq));
    }
    return seqs;
}

Page<Job> MemoryStore::list_jobs(const JobFilter& filter, int limit, const std::string& token) {
    const std::lock_guard lock(mutex_);
    const auto listing = listing_name(filter);
    const auto size = static_cast<std::size_t>(clamp_limit(limit));
    Page<Job> page;
    // The position is that of the last row given; the next page lies below it.
    std::int64_t last = parse_token(listing, token, last_position_ + 1);
    for (auto at = std::make_reverse_iterator(job_order_.lower_bound(last));
         at != job_order_.rend(); ++at) {
        const Job& job = jobs_.at(at->second).job;
        if ((!filter.owner.empty() && job.owner != filter.owner) ||
            (!filter.name.empty() && job.name != filter.name) ||
            !job.job_id.starts_with(filter.id_prefix) ||
            (filter.state && job.state != *filter.state)) {
            continue;
        }
        if (page.rows.size() == size) {
            page.next = make_token(listing, last);
            break;
        }
        last = at->first;
        page.rows.push_back(job);
        page.rows.back().request.clear();
    }
    return page;
}

Page<JobItem> MemoryStore::list_items(const std::string& job_id, int limit,
                                      const std::string& token) {
    const std::lock_guard lock(mutex_);
    const std::vector<JobItem>& items = row_of(job_id).items;
    const std::string listing = "items/" + job_id;
    const auto first = static_cast<std::size_t>(parse_token(listing, token, 0));
    const std::size_t last =
        std::min(items.size(), first + static_cast<std::size_t>(clamp_limit(limit)));
    Page<JobItem> page;
    for (std::size_t i = first; i < last; ++i) {
        page.rows.push_back(items[i]);
    }
    if (last < items.size()) {
        page.next = make_token(listing, static_cast<std::int64_t>(last));
    }
    return page;
}

std::vector<JobItem> MemoryStore::items_at(const std::string& job_id,
                                           std::span<const std::int64_t> ordinals) {
    const std::lock_guard lock(mutex_);
    std::vector<JobItem> items;
    for (const std::int64_t ordinal : ordinals) {
        const auto job = jobs_.find(job_id);
        if (job == jobs_.end() || ordinal < 0 || ordinal >= std::ssize(job->second.items)) {
            throw_no_item(job_id);
        }
        items.push_back(job->second.items[static_cast<std::size_t>(ordinal)]);
    }
    return items;
}

std::optional<JobItem> MemoryStore::find_item(const std::string& job_id, const std::string& label) {
    const std::lock_guard lock(mutex_);
    const std::vector<JobItem>& items = row_of(job_id).items;
    const auto found = std::ranges::find(items, label, &JobItem::label);
    return found == items.end() ? std::nullopt : std::optional(*found);
}

JobParts MemoryStore::parts_of_job(const std::string& job_id,
                                   std::span<const std::string> content_keys) {
    const std::lock_guard lock(mutex_);
    JobParts parts;
    const auto job = jobs_.find(job_id);
    if (job == jobs_.end()) {
        return parts;
    }
    for (const JobItem& item : job->second.items) {
        if (const auto task = tasks_.find(item.content_key);
            item.state == ItemState::Live && task != tasks_.end() &&
            task->second.cut_off > parts.cut_off.n) {
            parts.cut_off = {item.label, task->second.cut_off, task->second.cut_off_limit_s};
        }
        if (!item.source) {
            parts.others.push_back(item);
            continue;
        }
        if (parts.source_verb.empty()) {
            parts.source_verb = item.verb;
        }
        if (item.state == ItemState::Live &&
            std::ranges::count(content_keys, item.content_key) > 0) {
            parts.live.push_back(item);
        }
    }
    return parts;
}

std::vector<JobEvent> MemoryStore::list_events(const std::string& job_id, std::int64_t after,
                                               int limit, bool cancelled_items) {
    const std::lock_guard lock(mutex_);
    std::vector<JobEvent> found;
    for (const JobEvent& event : row_of(job_id).events) {
        if (event.seq > after && static_cast<int>(found.size()) < clamp_limit(limit) &&
            (cancelled_items || event.type != EventType::ItemCancelled)) {
            found.push_back(event);
        }
    }
    return found;
}

std::optional<Artifact> MemoryStore::find_artifact(const std::string& content_key) {
    const std::lock_guard lock(mutex_);
    const auto found = artifacts_.find(content_key);
    return found == artifacts_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::optional<Artifact>> MemoryStore::find_artifacts(
    std::span<const std::string> content_keys) {
    std::vector<std::optional<Artifact>> found;
    for (const std::string& key : content_keys) {
        found.push_back(find_artifact(key));
    }
    return found;
}

void MemoryStore::forget_artifact(const std::string& content_key) {
    const std::lock_guard lock(mutex_);
    artifacts_.erase(content_key);
}

void MemoryStore::use_artifact_store(const ArtifactStoreId& mine) {
    const std::lock_guard lock(mutex_);
    if (artifact_store_ && artifact_store_->store_id != mine.store_id) {
        throw_other_artifact_store(*artifact_store_, mine);
    }
    artifact_store_ = mine;
}

TaskCounts MemoryStore::count_tasks() {
    const std::lock_guard lock(mutex_);
    TaskCounts counts;
    for (const auto& [key, task] : tasks_) {
        ++(task.state == TaskState::Blocked ? counts.blocked
           : task.state == TaskState::Ready ? counts.ready
           : task.state == TaskState::Held  ? counts.held
                                            : counts.running);
    }
    return counts;
}

MemoryStore::JobRow& MemoryStore::row_of(const std::string& job_id) {
    const auto found = jobs_.find(job_id);
    if (found == jobs_.end()) {
        throw_no_job(job_id);
    }
    return found->second;
}

void MemoryStore::add_event(JobRow& row, EventType type, std::int64_t ordinal, std::string detail) {
    row.events.push_back({++row.job.event_seq, type, ordinal, std::move(detail)});
}

void MemoryStore::end_item(JobRow& row, JobItem& item, ItemState state, const std::string& error) {
    item.state = state;
    item.error = error;
    --row.job.n_live;
    const bool source = item.source;
    if (state == ItemState::Done) {
        row.made_s = item.ordinal + 1 == row.job.n_total ? clock_() : row.made_s;
        ++row.job.n_done;
        row.job.n_sources_done += source ? 1 : 0;
        add_event(row, EventType::ItemDone, item.ordinal, "");
    } else if (state == ItemState::Failed) {
        ++row.job.n_failed;
        row.job.n_sources_failed += source ? 1 : 0;
        add_event(row, EventType::ItemFailed, item.ordinal, error);
    } else {
        ++row.job.n_cancelled;
        add_event(row, EventType::ItemCancelled, item.ordinal, "");
    }
}

void MemoryStore::end_job_if_idle(JobRow& row) {
    if (row.job.state == JobState::Active && row.job.n_live == 0) {
        row.job.state = row.job.n_failed > 0 ? JobState::Failed : JobState::Done;
        row.job.ended_s = clock_();
        add_event(row, EventType::JobEnded, -1, std::string(to_string(row.job.state)));
    }
}

void MemoryStore::end_items(const Keys& keys, ItemState state, const std::string& error,
                            const std::string& sha256, std::int64_t bytes) {
    for (auto& [id, row] : jobs_) {
        for (JobItem& item : row.items) {
            if (item.state == ItemState::Live && keys.contains(item.content_key)) {
                item.sha256 = sha256;
                item.bytes = bytes;
                end_item(row, item, state, error);
            }
        }
        end_job_if_idle(row);
    }
}

void MemoryStore::release_waiting(const Keys& ended) {
    Keys hopeless;
    for (auto& [key, task] : tasks_) {
        const auto has_ended = [&](const std::string& need) { return ended.contains(need); };
        const auto n =
            std::erase_if(task.needs, has_ended) + std::erase_if(task.gathered, has_ended);
        if (n > 0 && task.needs.empty() && task.gathered.empty() &&
            task.state == TaskState::Blocked) {
            make_ready(task);
            task.run_at = clock_();
            if (task.gathers && missing_of(key).size() == gathered_by(key).size()) {
                hopeless.insert(key);
            }
        }
    }
    fail_with_dependents(hopeless, kNoSourceComputed);
}

void MemoryStore::fail_with_dependents(const Keys& keys, const std::string& error) {
    if (keys.empty()) {
        return;
    }
    for (const std::string& key : keys) {
        tasks_.erase(key);
    }
    end_items(keys, ItemState::Failed, error);
    Keys lost;
    for (const auto& [key, task] : tasks_) {
        const bool needs = std::ranges::any_of(
            task.needs, [&](const std::string& need) { return keys.contains(need); });
        if (task.state != TaskState::Running && needs) {
            lost.insert(key);
        }
    }
    fail_with_dependents(lost, error.starts_with(kNeedFailed) ? error : kNeedFailed + error);
    release_waiting(keys);
}

}  // namespace kaname::store::memory
