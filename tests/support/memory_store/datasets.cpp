// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "server/store/campaign_rules.hpp"
#include "server/store/rules.hpp"
#include "tests/support/memory_store/memory_store.hpp"
#include "tests/support/overlap.hpp"

namespace kaname::store::memory {
namespace {

bool has_all(const std::vector<std::string>& of, const std::vector<std::string>& wanted) {
    return std::ranges::all_of(
        wanted, [&](const std::string& one) { return std::ranges::find(of, one) != of.end(); });
}

bool fits(const DatasetFilter& filter, const Dataset& one,
          const std::vector<std::string>& stations) {
    const auto is = [](const std::string& wanted, const std::string& value) {
        return wanted.empty() || wanted == value;
    };
    return is(filter.title, one.title) && one.title.starts_with(filter.title_prefix) &&
           is(filter.owner, one.owner) && is(filter.campaign_id, one.campaign_id) &&
           is(filter.structure_sha256, one.about.structure_sha256) &&
           is(filter.physics, one.about.physics) && has_all(one.tags, filter.tags) &&
           has_all(one.about.faults, filter.faults) && has_all(stations, filter.stations) &&
           filter.complete.value_or(one.n_missing == 0) == (one.n_missing == 0) &&
           filter.pinned.value_or(one.pinned) == one.pinned &&
           (filter.made_after_s == 0 || one.made_s > filter.made_after_s) &&
           (filter.made_before_s == 0 || one.made_s < filter.made_before_s) &&
           (!filter.place || (one.about.place && test::overlap(*filter.place, *one.about.place))) &&
           (!filter.near || (one.about.place && distance_km(filter.near->point, *one.about.place) <=
                                                    filter.near->distance_km));
}

}  // namespace

Dataset MemoryStore::dataset_of(const JobRow& row) const {
    Dataset one;
    one.job_id = row.job.job_id;
    one.owner = row.job.owner;
    one.title = row.job.name;
    if (const auto campaign = campaigns_.find(row.campaign); campaign != campaigns_.end()) {
        one.campaign_id = row.campaign;
        one.member = campaign->second.members[static_cast<std::size_t>(row.member)].sent.label;
    }
    one.about = row.about;
    one.n_stations = std::ssize(row.about.stations);
    one.about.stations.clear();
    one.n_sources = row.job.n_sources;
    one.tags = row.tags;
    one.pinned = row.pinned;
    if (const JobItem& last = row.items.back(); last.state == ItemState::Done && !last.source) {
        one.made_s = row.made_s;
        one.sha256 = last.sha256;
        one.bytes = last.bytes;
        one.n_missing = last.n_missing;
    }
    one.state = row.job.state;
    one.etag = etag_of(row.job);
    return one;
}

Page<Dataset> MemoryStore::list_datasets(const DatasetFilter& filter, int limit,
                                         const std::string& token) {
    const std::lock_guard lock(mutex_);
    const auto listing = listing_name(filter);
    const auto size = static_cast<std::size_t>(clamp_limit(limit));
    Page<Dataset> page;
    std::int64_t last = parse_token(listing, token, last_position_ + 1);
    for (auto at = std::make_reverse_iterator(job_order_.lower_bound(last));
         at != job_order_.rend(); ++at) {
        const JobRow& row = jobs_.at(at->second);
        Dataset one = dataset_of(row);
        if (one.made_s == 0 || !fits(filter, one, row.about.stations)) {
            continue;
        }
        if (page.rows.size() == size) {
            page.next = make_token(listing, last);
            break;
        }
        last = at->first;
        page.rows.push_back(std::move(one));
    }
    return page;
}

Dataset MemoryStore::get_dataset(const std::string& job_id) {
    const std::lock_guard lock(mutex_);
    return dataset_of(row_of(job_id));
}

void MemoryStore::update_dataset(const std::string& job_id, const DatasetChange& change,
                                 const Actor& actor) {
    const std::lock_guard lock(mutex_);
    JobRow& row = row_of(job_id);
    row.tags = changed_tags(row.tags, change);
    row.pinned = change.pinned.value_or(row.pinned);
    keep(actor, "UpdateDataset", "datasets/" + job_id, change_text(change));
}

void MemoryStore::delete_dataset(const std::string& job_id, const std::string& etag,
                                 const Actor& actor, const char* method) {
    const std::lock_guard lock(mutex_);
    const Dataset dataset = dataset_of(row_of(job_id));
    check_deletable(dataset, etag);
    keep(actor, method, "datasets/" + job_id,
         "ok, of \"" + dataset.owner + "\", " + std::to_string(dataset.bytes) + " bytes");
    forget_job(job_id);
}

RetentionPlan MemoryStore::plan_retention(const DatasetRetention& retention, int limit) {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<double, std::string>> made;  // in the order of their jobs
    for (const auto& [position, id] : job_order_) {
        if (const double at = dataset_of(jobs_.at(id)).made_s; at > 0) {
            made.emplace_back(at, id);
        }
    }
    std::ranges::stable_sort(made, {}, [](const auto& one) { return one.first; });
    std::vector<RetainedDataset> all;
    for (const auto& [at, id] : made) {
        const Dataset one = dataset_of(jobs_.at(id));
        all.push_back({id, one.sha256, one.bytes, clock_() - at,
                       !one.pinned && one.campaign_id.empty() && one.state != JobState::Active});
    }
    const DatasetsToDelete going = what_goes(all, retention);
    RetentionPlan plan{{}, std::ssize(going.which), going.freed_bytes};
    for (const std::size_t k : going.which) {
        if (std::ssize(plan.first) < limit) {
            plan.first.push_back(dataset_of(jobs_.at(all[k].job_id)));
        }
    }
    return plan;
}

std::vector<DatasetStore::Undescribed> MemoryStore::undescribed_datasets(int limit) {
    const std::lock_guard lock(mutex_);
    std::vector<Undescribed> found;
    for (auto at = job_order_.rbegin(); at != job_order_.rend() && std::ssize(found) < limit;
         ++at) {
        if (const JobRow& row = jobs_.at(at->second); !row.described) {
            found.push_back({at->second, row.job.request});
        }
    }
    return found;
}

void MemoryStore::describe_dataset(const std::string& job_id, const DatasetDescription& about) {
    const std::lock_guard lock(mutex_);
    if (const auto found = jobs_.find(job_id); found != jobs_.end() && !found->second.described) {
        found->second.about = about;
        found->second.described = true;
    }
}

void MemoryStore::forget_description(const std::string& job_id) {
    const std::lock_guard lock(mutex_);
    row_of(job_id).about = {};
    row_of(job_id).described = false;
}

}  // namespace kaname::store::memory
