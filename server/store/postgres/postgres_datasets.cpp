// SPDX-License-Identifier: BSD-3-Clause
// Datasets: found, tagged, pinned, deleted. Their rows follow their jobs by themselves: the trigger
// dataset_follows.
#include <algorithm>
#include <limits>
#include <sstream>

#include "server/store/campaign_rules.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"

namespace kaname::store {
namespace {

constexpr int kDatasetPositionColumn = 23;
/// A list looks at some of the newest datasets before it asks an index for all. If many fit, they
/// are found there; if few fit, an index finds them. With a filter by stations, which are stored
/// apart, it looks at kFewer times fewer.
constexpr int kFewer = 4;
/// Then stretches that are so many times longer, as long as nothing fills the page: what many old
/// ones have need not be sought among all.
constexpr int kLonger = 8, kStretches = 2;
constexpr double kTurn_deg = 360.0;

std::vector<std::string> list_of(const std::string& joined) {
    std::vector<std::string> parts;
    std::istringstream in(joined);
    for (std::string part; std::getline(in, part, '\x1f');) {
        parts.push_back(part);
    }
    return parts;
}

Dataset dataset_of(const Rows& rows, int row) {
    Dataset one;
    int at = 0;
    for (std::string* text :
         {&one.job_id, &one.owner, &one.title, &one.campaign_id, &one.member, &one.about.physics}) {
        *text = rows.text(row, at++);
    }
    one.about.faults = list_of(rows.text(row, at++));
    one.about.structure_sha256 = rows.text(row, at++);
    one.n_stations = rows.number(row, at++);
    GeoBox place;
    for (double* side : {&place.west_deg, &place.south_deg, &place.east_deg, &place.north_deg}) {
        *side = rows.real(row, at++);
    }
    if (rows.flag(row, at++)) {
        one.about.place = place;
    }
    one.n_sources = rows.number(row, at++);
    one.tags = list_of(rows.text(row, at++));
    one.pinned = rows.flag(row, at++);
    one.made_s = rows.real(row, at++);
    one.sha256 = rows.text(row, at++);
    one.bytes = rows.number(row, at++);
    one.n_missing = rows.number(row, at++);
    Job job;
    one.state = job.state = parse_job_state(rows.text(row, at++));
    job.event_seq = rows.number(row, at++);
    one.etag = etag_of(job);
    return one;
}

/// As PostgreSQL reads a box; empty: none.
std::string text_of(const std::optional<GeoBox>& box, double turn_deg = 0.0) {
    if (!box) {
        return "";
    }
    std::ostringstream text;
    text.precision(17);
    text << "((" << box->west_deg + turn_deg << ',' << box->south_deg << "),("
         << box->east_deg + turn_deg << ',' << box->north_deg << "))";
    return text.str();
}

/// Returns the pattern of LIKE for texts that begin with `prefix`.
std::string pattern_of(const std::string& prefix) {
    if (prefix.empty()) {
        return "";
    }
    std::string pattern;
    for (const char letter : prefix) {
        if (letter == '%' || letter == '_' || letter == '\\') {
            pattern += '\\';
        }
        pattern += letter;
    }
    return pattern + '%';
}

std::string text_of(std::optional<bool> value) {
    return !value ? "" : *value ? "true" : "false";
}

/// Where both a place and a point are given, the smaller box leads.
std::optional<GeoBox> leading_box(const DatasetFilter& filter) {
    return filter.place || !filter.near
               ? filter.place
               : geo_box_around(filter.near->point, filter.near->distance_km);
}

bool is_empty(const DatasetFilter& filter) {
    return listing_name(filter) == listing_name(DatasetFilter{});
}

}  // namespace

void PostgresStore::insert_dataset(Connection& db, const std::string& job_id,
                                   const DatasetDescription& about) {
    db.run(sql::insert_dataset, {job_id, about.physics, about.faults, about.structure_sha256,
                                 about.stations, text_of(about.place)});
}

Page<Dataset> PostgresStore::list_datasets(const DatasetFilter& filter, int limit,
                                           const std::string& token) {
    const std::string listing = listing_name(filter);
    const std::int64_t from = parse_token(listing, token, std::numeric_limits<std::int64_t>::max());
    const int size = clamp_limit(limit);
    const std::optional<GeoBox> place = leading_box(filter);
    const NearPoint near = filter.near.value_or(NearPoint{{}, -1.0});
    Page<Dataset> page;
    lanes_.bulk.transact([&](Connection& db) {
        page = {};
        std::int64_t last = 0;
        const auto add = [&](std::int64_t below, std::int64_t least, bool may_walk) {
            const int wanted = size + 1 - static_cast<int>(page.rows.size());
            const Rows rows = db.run(sql::list_datasets, {below,
                                                          least,
                                                          filter.title,
                                                          pattern_of(filter.title_prefix),
                                                          filter.owner,
                                                          filter.campaign_id,
                                                          filter.structure_sha256,
                                                          filter.physics,
                                                          filter.tags,
                                                          filter.faults,
                                                          filter.stations,
                                                          text_of(filter.complete),
                                                          text_of(filter.pinned),
                                                          filter.made_after_s,
                                                          filter.made_before_s,
                                                          text_of(place, -kTurn_deg),
                                                          text_of(place),
                                                          text_of(place, kTurn_deg),
                                                          near.point.lon_deg,
                                                          near.point.lat_deg,
                                                          near.distance_km,
                                                          wanted,
                                                          may_walk});
            for (int row = 0; row < rows.size(); ++row) {
                if (static_cast<int>(page.rows.size()) == size) {
                    page.next = make_token(listing, last);
                    return;
                }
                page.rows.push_back(dataset_of(rows, row));
                last = rows.number(row, kDatasetPositionColumn);
            }
        };
        // Places cost more than a look at a row, and stations lie apart from it.
        const bool may_walk = filter.stations.empty() && !place;
        const int walk = is_empty(filter)          ? size
                         : filter.stations.empty() ? options_.dataset_walk
                                                   : options_.dataset_walk / kFewer;
        const Rows end = db.run(sql::find_walk_end, {from, walk});
        std::int64_t below = from, least = end.number(0, 1);
        std::int64_t length = end.number(0, 0) - least;
        add(below, least, may_walk);
        for (int stretch = 0; stretch < kStretches && filter.stations.empty(); ++stretch) {
            if (!page.next.empty() || least == 0) {
                return;
            }
            below = least;
            length *= kLonger;
            least = std::max<std::int64_t>(0, below - length);
            add(below, least, may_walk);
        }
        if (page.next.empty() && least > 0) {
            add(least, 0, false);
        }
    });
    return page;
}

Dataset PostgresStore::find_dataset(Connection& db, const std::string& job_id) {
    const Rows rows = db.run(sql::find_datasets, {Keys{job_id}});
    if (rows.empty()) {
        throw_no_job(job_id);
    }
    return dataset_of(rows, 0);
}

Dataset PostgresStore::get_dataset(const std::string& job_id) {
    Dataset found;
    lanes_.bulk.look([&](Connection& db) { found = find_dataset(db, job_id); });
    return found;
}

void PostgresStore::update_dataset(const std::string& job_id, const DatasetChange& change,
                                   const Actor& actor) {
    lanes_.bulk.transact([&](Connection& db) {
        (void)db.run(sql::lock_job, {job_id});  // who deletes it locks it, too
        const Dataset before = find_dataset(db, job_id);
        db.run(sql::change_dataset,
               {job_id, changed_tags(before.tags, change), change.pinned.value_or(before.pinned)});
        keep(db, actor, "UpdateDataset", "datasets/" + job_id, change_text(change));
    });
}

void PostgresStore::delete_dataset(const std::string& job_id, const std::string& etag,
                                   const Actor& actor, const char* method) {
    lanes_.bulk.transact([&](Connection& db) {
        (void)db.run(sql::lock_job, {job_id});
        const Dataset dataset = find_dataset(db, job_id);
        check_deletable(dataset, etag);
        db.run(sql::delete_job, {job_id});
        keep(db, actor, method, "datasets/" + job_id,
             "ok, of \"" + dataset.owner + "\", " + std::to_string(dataset.bytes) + " bytes");
    });
}

RetentionPlan PostgresStore::plan_retention(const DatasetRetention& retention, int limit) {
    RetentionPlan plan;
    lanes_.bulk.transact([&](Connection& db) {
        plan = {};
        std::vector<RetainedDataset> all;
        const Rows rows = db.run(sql::list_retention, {});
        for (int row = 0; row < rows.size(); ++row) {
            all.push_back({rows.text(row, 0), rows.text(row, 1), rows.number(row, 2),
                           rows.real(row, 3), rows.flag(row, 4)});
        }
        const DatasetsToDelete going = what_goes(all, retention);
        plan.n = std::ssize(going.which);
        plan.freed_bytes = going.freed_bytes;
        Keys first;
        for (std::size_t k = 0; k < going.which.size() && std::ssize(first) < limit; ++k) {
            first.push_back(all[going.which[k]].job_id);
        }
        const Rows found = db.run(sql::find_datasets, {first});
        for (int row = 0; row < found.size(); ++row) {
            plan.first.push_back(dataset_of(found, row));
        }
    });
    return plan;
}

std::vector<DatasetStore::Undescribed> PostgresStore::undescribed_datasets(int limit) {
    std::vector<Undescribed> found;
    lanes_.steps.look([&](Connection& db) {
        found.clear();
        const Rows rows = db.run(sql::list_undescribed_datasets, {limit});
        for (int row = 0; row < rows.size(); ++row) {
            found.push_back({rows.text(row, 0), rows.text(row, 1)});
        }
    });
    return found;
}

void PostgresStore::describe_dataset(const std::string& job_id, const DatasetDescription& about) {
    lanes_.steps.transact([&](Connection& db) {
        db.run(sql::describe_dataset, {job_id, about.physics, about.faults, about.structure_sha256,
                                       about.stations, text_of(about.place)});
    });
}

}  // namespace kaname::store
