// SPDX-License-Identifier: BSD-3-Clause
// Campaigns, their members and the tasks that are held for them.
#include <algorithm>
#include <tuple>

#include "server/store/campaign_rules.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

MemoryStore::CampaignRow& MemoryStore::campaign_of(const std::string& campaign_id) {
    const auto found = campaigns_.find(campaign_id);
    if (found == campaigns_.end()) {
        throw_no_campaign(campaign_id);
    }
    return found->second;
}

std::string MemoryStore::state_of(const MemberRow& member) const {
    return member.state == "submitted" ? std::string(to_string(jobs_.at(member.job_id).job.state))
                                       : member.state;
}

Campaign MemoryStore::counted(const CampaignRow& row) const {
    Campaign one = row.campaign;
    for (const MemberRow& member : row.members) {
        ++one.n_total;
        const std::string state = state_of(member);
        ++(state == "waiting"     ? one.n_waiting
           : state == "active"    ? one.n_active
           : state == "done"      ? one.n_done
           : state == "failed"    ? one.n_failed
           : state == "cancelled" ? one.n_cancelled
                                  : one.n_refused);
        if (const auto job = jobs_.find(member.job_id); job != jobs_.end()) {
            const Job& its = job->second.job;
            one.n_sources += its.n_sources;
            one.n_sources_done += its.n_sources_done;
            one.n_sources_failed += its.n_sources_failed;
            one.n_sources_reused += its.n_sources_reused;
            one.n_sources_live += its.state == JobState::Active
                                      ? its.n_sources - its.n_sources_done - its.n_sources_failed
                                      : 0;
        }
    }
    return one;
}

// Returns true if this job, which wants the task, would have it start by itself.
bool MemoryStore::would_start(const JobRow& job, const Task& task) const {
    const auto found = campaigns_.find(job.campaign);
    if (found == campaigns_.end()) {
        return true;
    }
    const Campaign& campaign = found->second.campaign;
    return campaign.state != CampaignState::Paused &&
           !(campaign.state == CampaignState::Active && campaign.limits.tasks_at_once > 0 &&
             task.campaign == job.campaign);
}

bool MemoryStore::nobody_starts(const std::string& key, const Task& task) const {
    for (const auto& [id, row] : jobs_) {
        for (const JobItem& item : row.items) {
            if (item.state == ItemState::Live && item.content_key == key &&
                would_start(row, task)) {
                return false;
            }
        }
    }
    return true;
}

void MemoryStore::set_hold(Task& task, bool hold) {
    task.hold = hold;
    if (task.state == TaskState::Ready || task.state == TaskState::Held) {
        task.state = hold ? TaskState::Held : TaskState::Ready;
    }
}

// Holds back tasks among `keys`, or among all tasks, that nobody would have start and that no task
// waits for which may start.
void MemoryStore::hold_back(const Keys* keys) {
    for (bool any = true; any;) {
        any = false;
        for (auto& [key, task] : tasks_) {
            const bool needed = std::ranges::any_of(tasks_, [&, &name = key](const auto& entry) {
                const Task& other = entry.second;
                return !other.hold && (other.needs.contains(name) || other.gathered.contains(name));
            });
            if (!task.hold && (keys == nullptr || keys->contains(key)) && !needed &&
                nobody_starts(key, task)) {
                set_hold(task, true);
                any = true;
            }
        }
    }
}

void MemoryStore::lift_needed() {
    for (bool any = true; any;) {
        any = false;
        for (const auto& [key, task] : tasks_) {
            for (const std::set<std::string>* waits : {&task.needs, &task.gathered}) {
                for (const std::string& need : *waits) {
                    const auto found = tasks_.find(need);
                    if (!task.hold && found != tasks_.end() && found->second.hold) {
                        set_hold(found->second, false);
                        any = true;
                    }
                }
            }
        }
    }
}

void MemoryStore::change_tasks(const CampaignRow& row, bool hold) {
    Keys keys;
    for (const auto& [id, job] : jobs_) {
        for (const JobItem& item : job.items) {
            if (job.campaign == row.campaign.campaign_id && item.state == ItemState::Live) {
                keys.insert(item.content_key);
            }
        }
    }
    if (hold) {
        hold_back(&keys);
        return;
    }
    for (const std::string& key : keys) {
        const auto found = tasks_.find(key);
        if (found != tasks_.end() && !nobody_starts(key, found->second)) {
            set_hold(found->second, false);
        }
    }
    lift_needed();
}

void MemoryStore::add_members(CampaignRow& row, const NewCampaign& more) {
    for (const std::string& file : more.files) {
        loose_files_[file] = clock_();
    }
    if (more.check_files) {
        more.check_files();
    }
    std::vector<NewMember> fresh;
    for_each_piece(more, [&](std::span<const NewMember> piece) {
        for (const NewMember& member : piece) {
            const auto known = std::ranges::find_if(
                row.members, [&](const MemberRow& old) { return old.sent.label == member.label; });
            if (known == row.members.end()) {
                fresh.push_back(member);
            } else if (known->sent.request != member.request) {
                throw_other_member(row.campaign.campaign_id, member.label);
            }
        }
    });
    check_room_for_members(std::ssize(row.members), std::ssize(fresh), more);
    for (NewMember& member : fresh) {
        MemberRow added;
        added.sent = std::move(member);
        row.members.push_back(std::move(added));
    }
    row.files.insert(more.files.begin(), more.files.end());
}

CampaignStore::Created MemoryStore::create_campaign(const NewCampaign& wanted) {
    const std::lock_guard lock(mutex_);
    const auto id = std::make_pair(wanted.principal, wanted.request_id);
    if (const auto found = requests_.find(id); found != requests_.end()) {
        if (found->second.body_sha256 != wanted.body_sha256) {
            throw Error(ErrorCode::Conflict,
                        "request_id \"" + wanted.request_id + "\" was used with another body");
        }
        return {found->second.result.job_id, true};
    }
    CampaignRow row;
    Campaign& one = row.campaign;
    one.campaign_id = make_uuid();
    one.owner = wanted.owner;
    one.title = wanted.title;
    one.axes = wanted.axes;
    one.cost = wanted.cost;
    one.priority = wanted.priority;
    one.limits = wanted.limits;
    one.turn = 1;
    one.created_s = clock_();
    row.position = ++last_position_;
    add_members(row, wanted);
    requests_[id] = {wanted.body_sha256, {.job_id = one.campaign_id}};
    keep(wanted.actor, "CreateCampaign", "campaigns/" + one.campaign_id);
    const std::string made = one.campaign_id;
    campaigns_.emplace(made, std::move(row));
    return {made, false};
}

CampaignStore::Created MemoryStore::extend_campaign(const std::string& campaign_id,
                                                    const NewCampaign& more) {
    const std::lock_guard lock(mutex_);
    CampaignRow& row = campaign_of(campaign_id);
    const auto id = std::make_pair(more.principal, more.request_id);
    if (const auto found = requests_.find(id); found != requests_.end()) {
        if (found->second.body_sha256 != more.body_sha256) {
            throw Error(ErrorCode::Conflict,
                        "request_id \"" + more.request_id + "\" was used with another body");
        }
        return {campaign_id, true};
    }
    const std::size_t before = row.members.size();
    add_members(row, more);
    requests_[id] = {more.body_sha256, {.job_id = campaign_id}};
    const std::size_t n = row.members.size() - before;
    if (n > 0) {
        row.campaign.axes = more.axes;
        row.campaign.cost = more.cost;
        ++row.campaign.turn;
        if (!is_open(row.campaign.state)) {
            row.campaign.state = CampaignState::Active;
            row.campaign.ended_s = 0;
        }
    }
    keep(more.actor, "ExtendCampaign", "campaigns/" + campaign_id,
         "ok, " + std::to_string(n) + " members more");
    return {campaign_id, false};
}

Campaign MemoryStore::get_campaign(const std::string& campaign_id) {
    const std::lock_guard lock(mutex_);
    return counted(campaign_of(campaign_id));
}

Campaign MemoryStore::look_at_campaign(const std::string& campaign_id) {
    const std::lock_guard lock(mutex_);
    return campaign_of(campaign_id).campaign;
}

Page<Campaign> MemoryStore::list_campaigns(const CampaignFilter& filter, int limit,
                                           const std::string& token) {
    const std::lock_guard lock(mutex_);
    const std::string listing = listing_name(filter);
    const std::int64_t from = parse_token(listing, token, last_position_ + 1);
    std::vector<const CampaignRow*> rows;
    for (const auto& [id, row] : campaigns_) {
        if (row.position < from && (filter.owner.empty() || row.campaign.owner == filter.owner) &&
            (filter.title.empty() || row.campaign.title == filter.title) &&
            id.starts_with(filter.id_prefix) &&
            (!filter.state || row.campaign.state == *filter.state)) {
            rows.push_back(&row);
        }
    }
    std::ranges::sort(rows, std::greater(), &CampaignRow::position);
    Page<Campaign> page;
    const auto size = static_cast<std::size_t>(clamp_limit(limit));
    if (rows.size() > size) {
        rows.resize(size);
        page.next = make_token(listing, rows.back()->position);
    }
    for (const CampaignRow* row : rows) {
        page.rows.push_back(counted(*row));
    }
    return page;
}

Page<CampaignMember> MemoryStore::list_members(const std::string& campaign_id,
                                               std::optional<MemberState> state, int limit,
                                               const std::string& token) {
    const std::lock_guard lock(mutex_);
    const CampaignRow& row = campaign_of(campaign_id);
    const std::string listing = members_listing(campaign_id, state);
    const std::int64_t first = parse_token(listing, token, 0);
    Page<CampaignMember> page;
    for (auto at = static_cast<std::size_t>(first); at < row.members.size(); ++at) {
        const MemberRow& member = row.members[at];
        const MemberState its = member_state_named(state_of(member)).value();
        if (state && its != *state) {
            continue;
        }
        if (std::ssize(page.rows) == clamp_limit(limit)) {
            page.next = make_token(listing, static_cast<std::int64_t>(at));
            break;
        }
        CampaignMember one;
        one.ordinal = static_cast<std::int64_t>(at);
        one.label = member.sent.label;
        one.values = member.sent.values;
        one.state = its;
        one.job_id = member.job_id;
        one.error = member.error;
        if (const auto job = jobs_.find(member.job_id); job != jobs_.end()) {
            one.job = job->second.job;
            for (const JobItem& item : job->second.items) {
                if (one.error.empty() && its == MemberState::Failed) {
                    one.error = item.error;
                }
            }
            if (const JobItem& last = job->second.items.back(); last.state == ItemState::Done) {
                one.sha256 = last.sha256;
                one.bytes = last.bytes;
                one.n_missing = last.n_missing;
            }
        }
        page.rows.push_back(std::move(one));
    }
    return page;
}

void MemoryStore::pause_campaign(const std::string& campaign_id, const Actor& actor, const Stop&) {
    const std::lock_guard lock(mutex_);
    CampaignRow& row = campaign_of(campaign_id);
    check_open(row.campaign, "pause");
    if (row.campaign.state == CampaignState::Active) {
        row.campaign.state = CampaignState::Paused;
        ++row.campaign.turn;
        change_tasks(row, true);
        keep(actor, "PauseCampaign", "campaigns/" + campaign_id);
    }
}

void MemoryStore::resume_campaign(const std::string& campaign_id, const Actor& actor, const Stop&) {
    const std::lock_guard lock(mutex_);
    CampaignRow& row = campaign_of(campaign_id);
    check_open(row.campaign, "resume");
    if (row.campaign.state == CampaignState::Paused) {
        row.campaign.state = CampaignState::Active;
        ++row.campaign.turn;
        change_tasks(row, false);
        keep(actor, "ResumeCampaign", "campaigns/" + campaign_id);
    }
}

void MemoryStore::cancel_campaign(const std::string& campaign_id, const Actor& actor, const Stop&) {
    const std::lock_guard lock(mutex_);
    CampaignRow& row = campaign_of(campaign_id);
    if (!is_open(row.campaign.state)) {
        return;
    }
    row.campaign.state = CampaignState::Cancelled;
    row.campaign.ended_s = clock_();
    ++row.campaign.turn;
    for (MemberRow& member : row.members) {
        if (member.state == "waiting") {
            member.state = member.job_id.empty() ? "cancelled" : "submitted";
        }
    }
    for (auto& [id, job] : jobs_) {
        if (job.campaign == campaign_id && job.job.state == JobState::Active) {
            cancel(job);
        }
    }
    keep(actor, "CancelCampaign", "campaigns/" + campaign_id);
}

void MemoryStore::retry_campaign(const std::string& campaign_id, const Actor& actor) {
    const std::lock_guard lock(mutex_);
    CampaignRow& row = campaign_of(campaign_id);
    std::int64_t n = 0;
    for (MemberRow& member : row.members) {
        const std::string state = state_of(member);
        if (state == "failed" || state == "cancelled" || state == "refused") {
            member.state = "waiting";
            member.error.clear();
            ++member.round;
            ++n;
        }
    }
    if (n == 0) {
        if (is_open(row.campaign.state)) {
            return;
        }
        throw_nothing_to_retry(campaign_id);
    }
    if (row.campaign.state != CampaignState::Paused) {
        row.campaign.state = CampaignState::Active;
    }
    row.campaign.ended_s = 0;
    ++row.campaign.turn;
    keep(actor, "RetryCampaign", "campaigns/" + campaign_id);
}

void MemoryStore::set_campaign_limits(const std::string& campaign_id, const CampaignLimits& limits,
                                      const Actor& actor, const Stop&) {
    const std::lock_guard lock(mutex_);
    CampaignRow& row = campaign_of(campaign_id);
    const bool other = row.campaign.limits.tasks_at_once != limits.tasks_at_once;
    row.campaign.limits = limits;
    ++row.campaign.turn;
    if (other && row.campaign.state == CampaignState::Active) {
        change_tasks(row, limits.tasks_at_once > 0);
    }
    keep(actor, "SetCampaignLimits", "campaigns/" + campaign_id,
         "ok: " + std::to_string(limits.tasks_at_once) + " tasks at once");
}

void MemoryStore::delete_campaign_with_jobs(const std::string& campaign_id, const std::string& etag,
                                            const Actor& actor, const Stop&) {
    std::vector<std::string> jobs;
    {
        const std::lock_guard lock(mutex_);
        const CampaignRow& row = campaign_of(campaign_id);
        check_deletable(counted(row), etag);
        for (const auto& [id, job] : jobs_) {
            if (job.campaign == campaign_id) {
                jobs.push_back(id);
                if (job.pinned) {
                    throw_pinned(id);
                }
            }
        }
    }
    for (const std::string& job : jobs) {
        delete_job(job, "", actor);
    }
    delete_campaign(campaign_id, "", actor);
}

void MemoryStore::delete_campaign(const std::string& campaign_id, const std::string& etag,
                                  const Actor& actor) {
    const std::lock_guard lock(mutex_);
    check_deletable(counted(campaign_of(campaign_id)), etag);
    keep(actor, "DeleteCampaign", "campaigns/" + campaign_id,
         "ok, of \"" + campaign_of(campaign_id).campaign.owner + '"');
    for (auto& [id, job] : jobs_) {
        if (job.campaign == campaign_id) {
            job.campaign.clear();
            job.job.campaign_id.clear();
            job.job.member.clear();
        }
    }
    campaigns_.erase(campaign_id);
}

std::vector<std::string> MemoryStore::take_campaigns(const std::string& driver_id, double lease_s) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> taken;
    for (auto& [id, row] : campaigns_) {
        if (row.campaign.state == CampaignState::Active &&
            (row.driver == driver_id || row.until <= clock_())) {
            row.driver = driver_id;
            row.until = clock_() + lease_s;
            taken.push_back(id);
        }
    }
    return taken;
}

void MemoryStore::leave_campaigns(const std::string& driver_id) {
    const std::lock_guard lock(mutex_);
    for (auto& [id, row] : campaigns_) {
        row.until = row.driver == driver_id ? 0 : row.until;
    }
}

void MemoryStore::finish_campaign_work(const std::string&, const Stop&) {}

std::vector<WaitingMember> MemoryStore::waiting_members(const std::string& campaign_id,
                                                        std::int64_t after, int limit) {
    const std::lock_guard lock(mutex_);
    const CampaignRow& row = campaign_of(campaign_id);
    std::vector<WaitingMember> waiting;
    for (auto at = static_cast<std::size_t>(after);
         at < row.members.size() && std::ssize(waiting) < limit; ++at) {
        const MemberRow& member = row.members[at];
        if (member.state == "waiting") {
            waiting.push_back({static_cast<std::int64_t>(at), member.round, member.sent.label,
                               member.sent.request, member.job_id});
        }
    }
    return waiting;
}

std::int64_t MemoryStore::unfinished_tasks(const std::string& campaign_id) {
    const std::lock_guard lock(mutex_);
    return std::ranges::count_if(
        tasks_, [&](const auto& entry) { return entry.second.campaign == campaign_id; });
}

void MemoryStore::end_wait(const std::string& campaign_id, const WaitingMember& member,
                           const std::string& error) {
    const std::lock_guard lock(mutex_);
    MemberRow& row = campaign_of(campaign_id).members.at(static_cast<std::size_t>(member.ordinal));
    if (row.state == "waiting" && row.round == member.round &&
        (!error.empty() || !row.job_id.empty())) {
        row.state = error.empty() ? "submitted" : "refused";
        row.error = error;
    }
}

std::int64_t MemoryStore::lift_tasks(const std::string& campaign_id) {
    const std::lock_guard lock(mutex_);
    const Campaign& campaign = campaign_of(campaign_id).campaign;
    if (campaign.state != CampaignState::Active || campaign.limits.tasks_at_once == 0) {
        return 0;
    }
    std::vector<Task*> held;
    std::int64_t room = campaign.limits.tasks_at_once;
    for (auto& [key, task] : tasks_) {
        if (task.campaign != campaign_id) {
            continue;
        }
        if (task.state == TaskState::Held) {
            held.push_back(&task);
        }
        room -= task.state == TaskState::Ready || task.state == TaskState::Running ? 1 : 0;
    }
    std::ranges::sort(held, {}, [](const Task* task) {
        return std::tuple(task->member, task->ordinal, task->task_id);
    });
    std::int64_t n = 0;
    for (; n < std::min(room, std::ssize(held)); ++n) {
        set_hold(*held[static_cast<std::size_t>(n)], false);
    }
    return n;
}

void MemoryStore::set_reason(const std::string& campaign_id, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    campaign_of(campaign_id).campaign.reason = reason;
}

bool MemoryStore::settle_campaign(const std::string& campaign_id) {
    const std::lock_guard lock(mutex_);
    CampaignRow& row = campaign_of(campaign_id);
    const Campaign now = counted(row);
    const bool lives = std::ranges::any_of(jobs_, [&](const auto& entry) {
        return entry.second.campaign == campaign_id && entry.second.job.state == JobState::Active;
    });
    if (now.state != CampaignState::Active || now.n_waiting > 0 || lives) {
        return false;
    }
    row.campaign.state = now.n_done == now.n_total ? CampaignState::Done : CampaignState::Failed;
    row.campaign.ended_s = clock_();
    ++row.campaign.turn;
    return true;
}

}  // namespace kaname::store::memory
