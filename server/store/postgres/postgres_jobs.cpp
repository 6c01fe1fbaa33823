// SPDX-License-Identifier: BSD-3-Clause
// Jobs: submit, cancel, retry, delete, lists.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "server/store/campaign_rules.hpp"
#include "server/store/postgres/migrations.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store {
namespace {

constexpr int kJobPositionColumn = 19;

Job job_of(const Rows& rows, int row) {
    Job job;
    int at = 0;
    job.job_id = rows.text(row, at++);
    job.owner = rows.text(row, at++);
    job.name = rows.text(row, at++);
    job.request = rows.text(row, at++);
    job.estimate = rows.text(row, at++);
    job.state = parse_job_state(rows.text(row, at++));
    job.priority = static_cast<int>(rows.number(row, at++));
    for (std::int64_t* count :
         {&job.n_total, &job.n_done, &job.n_failed, &job.n_cancelled, &job.n_live, &job.n_sources,
          &job.n_sources_done, &job.n_sources_failed, &job.n_sources_reused, &job.event_seq}) {
        *count = rows.number(row, at++);
    }
    job.created_s = rows.real(row, at++);
    job.ended_s = rows.real(row, at++);
    job.traceparent = rows.text(row, kJobPositionColumn + 1);
    job.cancelling = job.state == JobState::Active && rows.flag(row, kJobPositionColumn + 2);
    job.campaign_id = rows.text(row, kJobPositionColumn + 3);
    job.member = rows.text(row, kJobPositionColumn + 4);
    return job;
}

JobItem item_of(const Rows& rows, int row) {
    return {rows.number(row, 0),
            rows.text(row, 1),
            rows.text(row, 2),
            rows.flag(row, 10),
            parse_item_state(rows.text(row, 3)),
            rows.text(row, 4),
            rows.text(row, 5),
            rows.flag(row, 6),
            rows.text(row, 7),
            rows.number(row, 8),
            rows.number(row, 9)};
}

std::vector<JobItem> items_of(const Rows& rows) {
    std::vector<JobItem> items;
    for (int row = 0; row < rows.size(); ++row) {
        items.push_back(item_of(rows, row));
    }
    return items;
}

constexpr int kAccessConnections = 2;
constexpr int kHeartbeats = 4;  ///< connections beside those that claims may take
constexpr int kLooks = 2;

std::string joined(const std::vector<std::string>& keys) {
    std::string text;
    for (const std::string& key : keys) {
        text += (text.empty() ? "" : ",") + key;
    }
    return text;
}

/// Returns true if all agrees but key and label.
bool of_one_kind(const WantedItem& a, const WantedItem& b) {
    return a.verb == b.verb && a.compat_key == b.compat_key && a.pool == b.pool &&
           a.payload == b.payload && a.needs == b.needs && a.gathers == b.gathers &&
           a.source == b.source;
}

/// In pieces, so that no statement's parameters take many megabytes.
void insert_items(Connection& db, const std::string& job_id, const Submission& submission,
                  std::size_t piece) {
    const std::vector<int> levels = levels_of(submission.items);
    for (std::size_t first = 0; first < submission.items.size(); first += piece) {
        std::vector<std::string> keys, labels, verbs, compat_keys, pools, payloads, needs, gathers;
        std::vector<std::int64_t> kinds, sources, of_kinds;
        const WantedItem* last = nullptr;  // of the last kind: nearly all neighbours are of one
        for (std::size_t k = first; k < std::min(first + piece, submission.items.size()); ++k) {
            const WantedItem& item = submission.items[k];
            keys.push_back(item.content_key);
            labels.push_back(item.label);
            if (last == nullptr || !of_one_kind(*last, item) || of_kinds.back() != levels[k]) {
                verbs.push_back(item.verb);
                compat_keys.push_back(item.compat_key);
                pools.push_back(item.pool);
                payloads.push_back(item.payload);
                needs.push_back(joined(item.needs));
                gathers.push_back(joined(item.gathers));
                sources.push_back(item.source ? 1 : 0);
                of_kinds.push_back(levels[k]);
                last = &item;
            }
            kinds.push_back(static_cast<std::int64_t>(verbs.size()));
        }
        db.run(sql::insert_items,
               {job_id, keys, labels, kinds, static_cast<std::int64_t>(first), verbs, compat_keys,
                pools, payloads, needs, gathers, sources, of_kinds});
    }
}

}  // namespace

PostgresStore::PostgresStore(const std::string& conninfo, StoreOptions options, int pool_size)
    : options_(options),
      lanes_{{conninfo, pool_size + kHeartbeats, Plans::ByRule},
             {conninfo, std::max(1, pool_size / 2 - 1), Plans::ByRule},
             {conninfo, std::max(1, pool_size / 2 - 1)},
             {conninfo, kLooks, Plans::ByRule}},
      access_pool_(conninfo, kAccessConnections) {
    (void)migrate(lanes_.bulk, false);
}

void PostgresStore::set_clock_offset(double seconds) {
    for (Pool* pool : {&lanes_.queue, &lanes_.steps, &lanes_.bulk, &lanes_.looks, &access_pool_}) {
        pool->on_connect([seconds](Connection& db) { db.run(sql::set_clock, {seconds}); });
    }
}

Job PostgresStore::find_job(Connection& db, const std::string& job_id) {
    const Rows rows = db.run(sql::find_job, {job_id});
    if (rows.empty()) {
        throw_no_job(job_id);
    }
    return job_of(rows, 0);
}

JobState PostgresStore::find_job_state(Connection& db, const std::string& job_id) {
    const Rows rows = db.run(sql::find_job_state, {job_id});
    if (rows.empty()) {
        throw_no_job(job_id);
    }
    return parse_job_state(rows.text(0, 0));
}

SubmitResult PostgresStore::submit(const Submission& submission) {
    check_submission(submission);
    SubmitResult result;
    const std::string run = make_uuid();
    const bool large = is_large(static_cast<std::int64_t>(submission.items.size()));
    lanes_.bulk.transact([&](Connection& db) {
        result = {.job_id = submission.job_id.empty() ? make_uuid() : submission.job_id};
        const std::string& principal = submission.principal;
        const std::string& request = submission.request_id;
        if (db.run(sql::begin_request, {principal, request, submission.body_sha256, result.job_id})
                .empty()) {
            const Rows known = db.run(sql::find_request, {principal, request});
            if (known.empty()) {
                throw TransactionConflict{"the first request with this id was rolled back"};
            }
            if (known.text(0, 0) != submission.body_sha256) {
                throw Error(ErrorCode::Conflict,
                            "request_id \"" + request + "\" was used with another body");
            }
            result = {known.text(0, 1), true, known.number(0, 2), known.number(0, 3),
                      known.number(0, 4)};
            return;
        }
        db.run(sql::keep_files, {submission.files});
        if (submission.check_files) {
            submission.check_files();
        }
        const auto n_items = static_cast<std::int64_t>(submission.items.size());
        const std::int64_t n_sources =
            std::ranges::count(submission.items, true, &WantedItem::source);
        db.run(sql::insert_job, {result.job_id, submission.owner, submission.name,
                                 submission.request, submission.estimate, submission.priority,
                                 n_items, n_sources, submission.traceparent});
        if (!submission.campaign.empty()) {
            link_member(db, submission, result.job_id);
            db.run(sql::set_campaign_of_job,
                   {result.job_id, submission.campaign, submission.member});
        }
        insert_dataset(db, result.job_id, submission.dataset);
        db.run(sql::insert_job_files, {result.job_id, submission.files});
        insert_items(db, result.job_id, submission, static_cast<std::size_t>(options_.bulk_piece));
        db.run(sql::insert_job_event, {result.job_id, to_string(EventType::Submitted), ""});
        keep(db, submission.actor, "CreateJob", "jobs/" + result.job_id);
        if (large) {
            const Rows plan = db.run(sql::count_plan, {result.job_id});
            result.n_cached = plan.number(0, 1);
            result.n_joined = plan.number(0, 2);
            result.n_created = plan.number(0, 0) - result.n_cached - result.n_joined;
            db.run(sql::finish_request,
                   {principal, request, result.n_created, result.n_joined, result.n_cached});
            db.run(sql::begin_materialisation, {result.job_id, run, true});
            return;
        }
        const Materialised created = create_tasks(db, result.job_id);
        std::set<std::string> distinct;
        for (const WantedItem& item : submission.items) {
            distinct.insert(item.content_key);
        }
        result.n_created = created.created;
        result.n_joined = created.joined;
        result.n_cached =
            static_cast<std::int64_t>(distinct.size()) - created.created - created.joined;
        db.run(sql::finish_request,
               {principal, request, result.n_created, result.n_joined, result.n_cached});
    });
    if (large && !result.replayed) {
        const bool late = submission.stop && submission.stop();
        result.materialising = late || !materialise(result.job_id, run, submission.stop);
    }
    return result;
}

PostgresStore::Materialised PostgresStore::create_tasks(Connection& db, const std::string& job_id) {
    std::set<std::string> fresh, joined;
    (void)db.run(sql::share_campaign_of_job, {job_id});  // nobody pauses it meanwhile
    // Once more when an artifact was forgotten between the look for tasks and that for artifacts:
    // a live item without a task would wait for ever.
    do {
        const Rows tasks = db.run(sql::upsert_tasks, {job_id});
        for (int row = 0; row < tasks.size(); ++row) {
            (tasks.flag(row, 1) ? fresh : joined).insert(tasks.text(row, 0));
        }
        const Rows redundant =
            db.run(sql::delete_redundant_tasks, {Keys(fresh.begin(), fresh.end())});
        for (int row = 0; row < redundant.size(); ++row) {
            fresh.erase(redundant.text(row, 0));
            joined.erase(redundant.text(row, 0));
        }
        for (const std::string& key : fresh) {
            joined.erase(key);  // seen again in a second turn
        }
        Keys mine(fresh.begin(), fresh.end());
        mine.insert(mine.end(), joined.begin(), joined.end());
        db.run(sql::insert_needs, {job_id, mine});
        block_tasks(db, Keys(joined.begin(), joined.end()));
        if (!joined.empty()) {
            db.run(sql::lift_needed, {Keys(joined.begin(), joined.end())});
        }
        db.run(sql::release_unneeded, {Keys(fresh.begin(), fresh.end())});
        count_and_tell(db, db.run(sql::reuse_artifacts, {job_id}), ItemState::Done, "", true);
    } while (!db.run(sql::find_items_without_task, {job_id}).empty());
    finish_job(db, job_id);
    return {static_cast<std::int64_t>(fresh.size()), static_cast<std::int64_t>(joined.size())};
}

/// Where no item is live.
void PostgresStore::finish_job(Connection& db, const std::string& job_id) {
    const Rows finished = db.run(sql::finish_job, {job_id});
    if (!finished.empty()) {
        db.run(sql::insert_job_event,
               {job_id, to_string(EventType::JobEnded), finished.text(0, 0)});
    }
}

void PostgresStore::count_and_tell(Connection& db, const Rows& ended, ItemState state,
                                   const std::string& error, bool reused) {
    struct OfJob {
        std::vector<std::int64_t> ordinals;
        std::int64_t n_sources = 0;
    };
    std::map<std::string, OfJob> jobs;  // in the order of their ids: who locks several, locks so
    for (int row = 0; row < ended.size(); ++row) {
        OfJob& job = jobs[ended.text(row, 0)];
        job.ordinals.push_back(ended.number(row, 1));
        job.n_sources += ended.flag(row, 2) ? 1 : 0;
    }
    const EventType event = state == ItemState::Done     ? EventType::ItemDone
                            : state == ItemState::Failed ? EventType::ItemFailed
                                                         : EventType::ItemCancelled;
    for (auto& [job_id, job] : jobs) {
        std::ranges::sort(job.ordinals);
        const Rows base =
            db.run(sql::count_ended_items, {job_id, static_cast<std::int64_t>(job.ordinals.size()),
                                            to_string(state), job.n_sources, reused});
        db.run(sql::insert_item_events,
               {job_id, base.text(0, 0), to_string(event), error, job.ordinals});
    }
}

void PostgresStore::count_revived(Connection& db, const std::string& job_id, const Rows& revived) {
    const auto n = [&](int column) { return revived.number(0, column); };
    db.run(sql::count_revived, {job_id, n(0), n(1), n(2), n(3), n(4), n(5)});
}

Job PostgresStore::retry_job(const std::string& job_id, const Actor& actor, const Stop& stop) {
    Job job;
    const std::string run = make_uuid();
    bool large = false;
    lanes_.bulk.transact([&](Connection& db) {
        large = false;
        (void)db.run(sql::lock_job, {job_id});
        job = find_job(db, job_id);
        if (job.state == JobState::Active) {
            return;
        }
        check_retryable(job);
        db.run(sql::end_cancel, {job_id});  // of the tasks it had before
        db.run(sql::revive_job, {job_id});
        db.run(sql::insert_job_event, {job_id, to_string(EventType::Retried), ""});
        keep(db, actor, "RetryJob", "jobs/" + job_id);
        large = is_large(job.n_total);
        if (large) {
            db.run(sql::begin_materialisation, {job_id, run, false});
            return;
        }
        std::vector<std::int64_t> all(static_cast<std::size_t>(job.n_total));
        std::iota(all.begin(), all.end(), 0);
        count_revived(db, job_id, db.run(sql::revive_items, {job_id, all}));
        (void)create_tasks(db, job_id);
        job = find_job(db, job_id);
    });
    if (large) {
        (void)materialise(job_id, run, stop);
        return look_at_job(job_id);
    }
    return job;
}

void PostgresStore::delete_job(const std::string& job_id, const std::string& etag,
                               const Actor& actor) {
    lanes_.bulk.transact([&](Connection& db) {
        (void)db.run(sql::lock_job, {job_id});
        const Job job = find_job(db, job_id);
        check_deletable(job, etag);
        if (!db.run(sql::find_pinned, {job_id}).empty()) {
            throw_pinned(job_id);
        }
        if (const Rows of = db.run(sql::find_campaign_of_job, {job_id}); !of.empty()) {
            check_deletable_member(job_id, lock_campaign(db, of.text(0, 0)));
            db.run(sql::forget_member_job, {job_id, kJobDeleted});
        }
        db.run(sql::delete_job, {job_id});
        keep(db, actor, "DeleteJob", "jobs/" + job_id, "ok, of \"" + job.owner + '"');
    });
}

Job PostgresStore::get_job(const std::string& job_id) {
    Job job;
    lanes_.looks.look([&](Connection& db) { job = find_job(db, job_id); });
    return job;
}

Job PostgresStore::look_at_job(const std::string& job_id) {
    Job job;
    lanes_.looks.look([&](Connection& db) {
        const Rows rows = db.run(sql::look_at_job, {job_id});
        if (rows.empty()) {
            throw_no_job(job_id);
        }
        job = job_of(rows, 0);
    });
    return job;
}

std::vector<std::optional<std::int64_t>> PostgresStore::event_seqs(
    std::span<const std::string> job_ids) {
    std::vector<std::optional<std::int64_t>> seqs;
    lanes_.queue.look([&](Connection& db) {
        seqs.assign(job_ids.size(), std::nullopt);
        const Rows rows = db.run(sql::list_event_seqs, {Keys(job_ids.begin(), job_ids.end())});
        for (int row = 0; row < rows.size(); ++row) {
            seqs[static_cast<std::size_t>(rows.number(row, 0) - 1)] = rows.number(row, 1);
        }
    });
    return seqs;
}

Page<Job> PostgresStore::list_jobs(const JobFilter& filter, int limit, const std::string& token) {
    const std::string listing = listing_name(filter);
    const std::int64_t from = parse_token(listing, token, std::numeric_limits<std::int64_t>::max());
    const int size = clamp_limit(limit);
    Page<Job> page;
    lanes_.bulk.look([&](Connection& db) {
        page = {};
        const std::string_view state = filter.state ? to_string(*filter.state) : "";
        const Rows rows =
            !filter.id_prefix.empty()
                ? db.run(sql::list_jobs_by_id,
                         {from, filter.owner, filter.name, state, size + 1, filter.id_prefix})
                : db.run(filter.owner.empty() ? sql::list_jobs : sql::list_jobs_of_owner,
                         {from, filter.owner, filter.name, state, size + 1});
        for (int row = 0; row < std::min(size, rows.size()); ++row) {
            page.rows.push_back(job_of(rows, row));
        }
        if (rows.size() > size) {
            page.next = make_token(listing, rows.number(size - 1, kJobPositionColumn));
        }
    });
    return page;
}

Page<JobItem> PostgresStore::list_items(const std::string& job_id, int limit,
                                        const std::string& token) {
    const std::string listing = "items/" + job_id;
    const std::int64_t first = parse_token(listing, token, 0);
    const int size = clamp_limit(limit);
    Page<JobItem> page;
    lanes_.bulk.transact([&](Connection& db) {
        page = {};
        (void)find_job_state(db, job_id);
        const Rows rows = db.run(sql::list_items, {job_id, first, size + 1});
        for (int row = 0; row < std::min(size, rows.size()); ++row) {
            page.rows.push_back(item_of(rows, row));
        }
        if (rows.size() > size) {
            page.next = make_token(listing, rows.number(size, 0));
        }
    });
    return page;
}

std::vector<JobItem> PostgresStore::items_at(const std::string& job_id,
                                             std::span<const std::int64_t> ordinals) {
    std::vector<JobItem> items;
    lanes_.looks.look([&](Connection& db) {
        items =
            items_of(db.run(sql::list_items_at,
                            {job_id, std::vector<std::int64_t>(ordinals.begin(), ordinals.end())}));
    });
    if (items.size() != ordinals.size()) {
        throw_no_item(job_id);
    }
    return items;
}

std::optional<JobItem> PostgresStore::find_item(const std::string& job_id,
                                                const std::string& label) {
    std::vector<JobItem> items;
    lanes_.bulk.transact([&](Connection& db) {
        (void)find_job_state(db, job_id);
        items = items_of(db.run(sql::find_item, {job_id, label}));
    });
    return items.empty() ? std::nullopt : std::optional(items.front());
}

JobParts PostgresStore::parts_of_job(const std::string& job_id,
                                     std::span<const std::string> content_keys) {
    JobParts parts;
    lanes_.looks.look([&](Connection& db) {
        parts = {};
        const Rows rows =
            db.run(sql::list_parts, {job_id, Keys(content_keys.begin(), content_keys.end())});
        for (int row = 0; row < rows.size(); ++row) {
            JobItem item = item_of(rows, row);
            switch (rows.number(row, 11)) {
                case 0:
                    parts.others.push_back(std::move(item));
                    break;
                case 1:
                    parts.source_verb = item.verb;
                    break;
                case 2:
                    parts.live.push_back(std::move(item));
                    break;
                default:
                    parts.cut_off = {item.label, static_cast<int>(rows.number(row, 12)),
                                     rows.real(row, 13)};
            }
        }
    });
    return parts;
}

std::vector<JobEvent> PostgresStore::list_events(const std::string& job_id, std::int64_t after,
                                                 int limit, bool cancelled_items) {
    std::vector<JobEvent> events;
    lanes_.bulk.transact([&](Connection& db) {
        events.clear();
        (void)find_job_state(db, job_id);
        const Rows rows =
            db.run(sql::list_events, {job_id, after, clamp_limit(limit), cancelled_items});
        for (int row = 0; row < rows.size(); ++row) {
            events.push_back({rows.number(row, 0), parse_event_type(rows.text(row, 1)),
                              rows.number(row, 2), rows.text(row, 3)});
        }
    });
    return events;
}

}  // namespace kaname::store
