// SPDX-License-Identifier: BSD-3-Clause
// Campaigns and their members: created, extended, looked at, and what their driver notes. Whoever
// changes one locks its row; whoever creates or holds tasks for it shares that lock.
#include <algorithm>
#include <limits>
#include <set>

#include "server/store/campaign_rules.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store {
namespace {

constexpr std::size_t kMembersAtOnce = 500;  ///< so that no statement takes many megabytes
constexpr int kCampaignPositionColumn = 15;

Campaign campaign_of(const Rows& rows, int row) {
    Campaign one;
    int at = 0;
    for (std::string* text : {&one.campaign_id, &one.owner, &one.title, &one.axes, &one.cost}) {
        *text = rows.text(row, at++);
    }
    one.state = campaign_state_named(rows.text(row, at++)).value();
    one.priority = static_cast<int>(rows.number(row, at++));
    one.limits.tasks_at_once = rows.number(row, at++);
    one.limits.hours = rows.real(row, at++);
    one.limits.bytes = rows.real(row, at++);
    one.turn = rows.number(row, at++);
    one.work = rows.text(row, at++);
    one.reason = rows.text(row, at++);
    one.created_s = rows.real(row, at++);
    one.ended_s = rows.real(row, at++);
    return one;
}

void insert_members(Connection& db, const std::string& campaign_id,
                    std::span<const NewMember> members, std::int64_t first) {
    for (std::size_t at = 0; at < members.size(); at += kMembersAtOnce) {
        std::vector<std::string> labels, values, requests;
        for (const NewMember& member :
             members.subspan(at, std::min(kMembersAtOnce, members.size() - at))) {
            labels.push_back(member.label);
            values.push_back(member.values);
            requests.push_back(member.request);
        }
        db.run(sql::insert_members,
               {campaign_id, labels, values, requests, first + static_cast<std::int64_t>(at)});
    }
}

/// Returns the members that the campaign does not have yet.
std::vector<NewMember> find_fresh(Connection& db, const std::string& campaign_id,
                                  std::span<const NewMember> members) {
    std::vector<std::string> labels, requests;
    for (const NewMember& member : members) {
        labels.push_back(member.label);
        requests.push_back(member.request);
    }
    std::set<std::string> known;
    const Rows rows = db.run(sql::find_members_labelled, {campaign_id, labels, requests});
    for (int row = 0; row < rows.size(); ++row) {
        if (!rows.flag(row, 1)) {
            throw_other_member(campaign_id, rows.text(row, 0));
        }
        known.insert(rows.text(row, 0));
    }
    std::vector<NewMember> fresh;
    std::ranges::copy_if(members, std::back_inserter(fresh),
                         [&](const NewMember& member) { return !known.contains(member.label); });
    return fresh;
}

}  // namespace

Campaign PostgresStore::find_campaign(Connection& db, const std::string& campaign_id) {
    const Rows rows = db.run(sql::look_at_campaign, {campaign_id});
    if (rows.empty()) {
        throw_no_campaign(campaign_id);
    }
    return campaign_of(rows, 0);
}

void PostgresStore::count_campaigns(Connection& db, std::vector<Campaign>& campaigns) {
    Keys ids;
    for (const Campaign& one : campaigns) {
        ids.push_back(one.campaign_id);
    }
    const Rows rows = db.run(sql::count_campaigns, {ids});
    for (int row = 0; row < rows.size(); ++row) {
        Campaign& one = *std::ranges::find(campaigns, rows.text(row, 0), &Campaign::campaign_id);
        int at = 1;
        for (std::int64_t* count :
             {&one.n_total, &one.n_waiting, &one.n_active, &one.n_done, &one.n_failed,
              &one.n_cancelled, &one.n_refused, &one.n_sources, &one.n_sources_done,
              &one.n_sources_failed, &one.n_sources_reused, &one.n_sources_live}) {
            *count = rows.number(row, at++);
        }
    }
}

/// Nothing: the request is new. Else what it made.
std::optional<CampaignStore::Created> PostgresStore::find_replay(Connection& db,
                                                                 const NewCampaign& wanted,
                                                                 const std::string& campaign_id) {
    if (!db.run(sql::begin_request,
                {wanted.principal, wanted.request_id, wanted.body_sha256, campaign_id})
             .empty()) {
        return std::nullopt;
    }
    const Rows known = db.run(sql::find_request, {wanted.principal, wanted.request_id});
    if (known.empty()) {
        throw TransactionConflict{"the first request with this id was rolled back"};
    }
    if (known.text(0, 0) != wanted.body_sha256) {
        throw Error(ErrorCode::Conflict,
                    "request_id \"" + wanted.request_id + "\" was used with another body");
    }
    return Created{known.text(0, 1), true};
}

CampaignStore::Created PostgresStore::create_campaign(const NewCampaign& wanted) {
    Created created;
    lanes_.bulk.transact([&](Connection& db) {
        created = {make_uuid(), false};
        const std::string& id = created.campaign_id;
        if (const auto replay = find_replay(db, wanted, id)) {
            created = *replay;
            return;
        }
        db.run(sql::keep_files, {wanted.files});
        if (wanted.check_files) {
            wanted.check_files();
        }
        db.run(sql::insert_campaign,
               {id, wanted.owner, wanted.title, wanted.priority, wanted.axes, wanted.cost,
                wanted.limits.tasks_at_once, wanted.limits.hours, wanted.limits.bytes});
        db.run(sql::insert_campaign_drive, {id});
        std::int64_t n = 0;
        for_each_piece(wanted, [&](std::span<const NewMember> piece) {
            insert_members(db, id, piece, n);
            n += std::ssize(piece);
        });
        db.run(sql::insert_campaign_files, {id, wanted.files});
        keep(db, wanted.actor, "CreateCampaign", "campaigns/" + id);
    });
    return created;
}

CampaignStore::Created PostgresStore::extend_campaign(const std::string& campaign_id,
                                                      const NewCampaign& more) {
    Created extended;
    lanes_.bulk.transact([&](Connection& db) {
        extended = {campaign_id, false};
        if (db.run(sql::lock_campaign, {campaign_id}).empty()) {
            throw_no_campaign(campaign_id);
        }
        if (const auto replay = find_replay(db, more, campaign_id)) {
            extended = *replay;
            return;
        }
        check_not_being_ended(find_campaign(db, campaign_id));
        db.run(sql::keep_files, {more.files});
        if (more.check_files) {
            more.check_files();
        }
        const std::int64_t n = db.run(sql::count_members, {campaign_id}).number(0, 0);
        std::int64_t n_fresh = 0;
        for_each_piece(more, [&](std::span<const NewMember> piece) {
            const std::vector<NewMember> fresh = find_fresh(db, campaign_id, piece);
            check_room_for_members(n, n_fresh + std::ssize(fresh), more);
            insert_members(db, campaign_id, fresh, n + n_fresh);
            n_fresh += std::ssize(fresh);
        });
        if (n_fresh > 0) {
            db.run(sql::grow_campaign, {campaign_id, more.axes, more.cost});
        }
        db.run(sql::insert_campaign_files, {campaign_id, more.files});
        keep(db, more.actor, "ExtendCampaign", "campaigns/" + campaign_id,
             "ok, " + std::to_string(n_fresh) + " members more");
    });
    return extended;
}

Campaign PostgresStore::look_at_campaign(const std::string& campaign_id) {
    Campaign found;
    lanes_.bulk.look([&](Connection& db) { found = find_campaign(db, campaign_id); });
    return found;
}

Campaign PostgresStore::get_campaign(const std::string& campaign_id) {
    std::vector<Campaign> found;
    lanes_.bulk.transact([&](Connection& db) {
        found = {find_campaign(db, campaign_id)};
        count_campaigns(db, found);
    });
    return found.front();
}

Page<Campaign> PostgresStore::list_campaigns(const CampaignFilter& filter, int limit,
                                             const std::string& token) {
    const std::string listing = listing_name(filter);
    const std::int64_t from = parse_token(listing, token, std::numeric_limits<std::int64_t>::max());
    const int size = clamp_limit(limit);
    Page<Campaign> page;
    lanes_.bulk.transact([&](Connection& db) {
        page = {};
        const Rows rows = db.run(sql::list_campaigns, {from, filter.owner, filter.title,
                                                       filter.state ? to_string(*filter.state) : "",
                                                       size + 1, filter.id_prefix});
        for (int row = 0; row < std::min(size, rows.size()); ++row) {
            page.rows.push_back(campaign_of(rows, row));
        }
        if (rows.size() > size) {
            page.next = make_token(listing, rows.number(size - 1, kCampaignPositionColumn));
        }
        count_campaigns(db, page.rows);
    });
    return page;
}

Page<CampaignMember> PostgresStore::list_members(const std::string& campaign_id,
                                                 std::optional<MemberState> state, int limit,
                                                 const std::string& token) {
    const std::string listing = members_listing(campaign_id, state);
    const std::int64_t first = parse_token(listing, token, 0);
    const int size = clamp_limit(limit);
    Page<CampaignMember> page;
    lanes_.bulk.transact([&](Connection& db) {
        page = {};
        (void)find_campaign(db, campaign_id);
        const Rows rows = db.run(sql::list_members,
                                 {campaign_id, first, state ? to_string(*state) : "", size + 1});
        for (int row = 0; row < std::min(size, rows.size()); ++row) {
            CampaignMember one;
            one.ordinal = rows.number(row, 0);
            one.label = rows.text(row, 1);
            one.values = rows.text(row, 2);
            one.state = member_state_named(rows.text(row, 3)).value();
            one.job_id = one.job.job_id = rows.text(row, 4);
            one.error = rows.text(row, 5);
            int at = 6;
            for (std::int64_t* count :
                 {&one.job.n_total, &one.job.n_cancelled, &one.job.n_live, &one.job.n_sources,
                  &one.job.n_sources_done, &one.job.n_sources_failed, &one.job.n_sources_reused}) {
                *count = rows.number(row, at++);
            }
            one.job.name = rows.text(row, at++);
            if (const std::string ended = rows.text(row, at++); !ended.empty()) {
                one.job.state = parse_job_state(ended);
            }
            one.job.ended_s = rows.real(row, at++);
            one.sha256 = rows.text(row, at++);
            one.bytes = rows.number(row, at++);
            one.n_missing = rows.number(row, at++);
            page.rows.push_back(std::move(one));
        }
        if (rows.size() > size) {
            page.next = make_token(listing, rows.number(size, 0));
        }
    });
    return page;
}

void PostgresStore::link_member(Connection& db, const Submission& submission,
                                const std::string& job_id) {
    const Rows campaign = db.run(sql::share_campaign, {submission.campaign, 0});
    if (campaign.empty() || campaign.text(0, 0) != "active" ||
        db.run(sql::link_member, {submission.campaign, submission.member, job_id}).empty()) {
        throw_not_waiting(submission);
    }
}

std::vector<std::string> PostgresStore::take_campaigns(const std::string& driver_id,
                                                       double lease_s) {
    Keys taken;
    lanes_.steps.transact([&](Connection& db) {
        taken = db.run(sql::take_campaigns, {driver_id, lease_s}).texts(0);
    });
    return taken;
}

void PostgresStore::leave_campaigns(const std::string& driver_id) {
    lanes_.steps.transact([&](Connection& db) { db.run(sql::leave_campaigns, {driver_id}); });
}

std::vector<WaitingMember> PostgresStore::waiting_members(const std::string& campaign_id,
                                                          std::int64_t after, int limit) {
    std::vector<WaitingMember> waiting;
    lanes_.steps.look([&](Connection& db) {
        waiting.clear();
        const Rows rows = db.run(sql::list_waiting_members, {campaign_id, after, limit});
        for (int row = 0; row < rows.size(); ++row) {
            waiting.push_back({rows.number(row, 0), static_cast<int>(rows.number(row, 1)),
                               rows.text(row, 2), rows.text(row, 3), rows.text(row, 4)});
        }
    });
    return waiting;
}

std::int64_t PostgresStore::unfinished_tasks(const std::string& campaign_id) {
    std::int64_t n = 0;
    lanes_.steps.look([&](Connection& db) {
        n = db.run(sql::count_unfinished_tasks, {campaign_id}).number(0, 0);
    });
    return n;
}

void PostgresStore::end_wait(const std::string& campaign_id, const WaitingMember& member,
                             const std::string& error) {
    lanes_.steps.transact([&](Connection& db) {
        db.run(sql::end_wait, {campaign_id, member.ordinal, member.round, error});
    });
}

void PostgresStore::set_reason(const std::string& campaign_id, const std::string& reason) {
    lanes_.steps.transact([&](Connection& db) { db.run(sql::set_reason, {campaign_id, reason}); });
}

bool PostgresStore::settle_campaign(const std::string& campaign_id) {
    bool ended = false;
    lanes_.steps.transact([&](Connection& db) {
        // Locked first: what was extended or tried again meanwhile is seen by the next statement.
        (void)db.run(sql::lock_campaign, {campaign_id});
        ended = !db.run(sql::settle_campaign, {campaign_id}).empty();
    });
    return ended;
}

}  // namespace kaname::store
