// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/dataset_rules.hpp"

#include <map>
#include <set>

#include "solvers/base/error.hpp"

namespace kaname::store {
namespace {

/// With its length, so that no two lists are one text.
void append(std::string& text, const std::string& value) {
    text += std::to_string(value.size()) + ':' + value + '/';
}

void append(std::string& text, const std::vector<std::string>& values) {
    append(text, std::to_string(values.size()));
    for (const std::string& value : values) {
        append(text, value);
    }
}

void append(std::string& text, std::initializer_list<double> values) {
    for (const double value : values) {
        append(text, std::to_string(value));
    }
}

}  // namespace

void throw_pinned(const std::string& job_id) {
    throw Error(ErrorCode::NotReady,
                "dataset \"" + job_id + "\" is pinned: unpin it before deleting it");
}

void check_deletable(const Dataset& dataset, const std::string& etag) {
    const std::string which = "dataset \"" + dataset.job_id + '"';
    if (dataset.pinned) {
        throw_pinned(dataset.job_id);
    }
    if (dataset.state == JobState::Active) {
        throw Error(ErrorCode::NotReady,
                    which + " is of a job that is active: cancel the job, or wait for its end");
    }
    if (!dataset.campaign_id.empty()) {
        throw Error(ErrorCode::NotReady, which + " is a member of campaign \"" +
                                             dataset.campaign_id +
                                             "\": delete the campaign, or the member's job");
    }
    if (!etag.empty() && etag != dataset.etag) {
        throw Error(ErrorCode::Aborted,
                    which + " has changed: etag is " + dataset.etag + ", got " + etag);
    }
}

std::vector<std::string> changed_tags(const std::vector<std::string>& tags,
                                      const DatasetChange& change) {
    std::set<std::string> kept(tags.begin(), tags.end());
    for (const std::string& tag : change.remove_tags) {
        kept.erase(tag);
    }
    kept.insert(change.add_tags.begin(), change.add_tags.end());
    if (kept.size() > kMostTags) {
        throw Error(ErrorCode::InvalidArgument, "add_tags: a dataset has at most " +
                                                    std::to_string(kMostTags) + " tags, got " +
                                                    std::to_string(kept.size()));
    }
    return {kept.begin(), kept.end()};
}

std::string change_text(const DatasetChange& change) {
    std::string text = "ok";
    const auto add = [&](const std::string& what) { text += (text == "ok" ? ", " : " ") + what; };
    for (const std::string& tag : change.add_tags) {
        add('+' + tag);
    }
    for (const std::string& tag : change.remove_tags) {
        add('-' + tag);
    }
    if (change.pinned) {
        add(*change.pinned ? "pinned" : "unpinned");
    }
    return text;
}

std::string listing_name(const DatasetFilter& filter) {
    std::string text = "datasets/";
    for (const std::string* value :
         {&filter.title, &filter.title_prefix, &filter.owner, &filter.campaign_id,
          &filter.structure_sha256, &filter.physics}) {
        append(text, *value);
    }
    for (const auto* values : {&filter.tags, &filter.faults, &filter.stations}) {
        append(text, *values);
    }
    for (const std::optional<bool>& value : {filter.complete, filter.pinned}) {
        append(text, std::string(!value ? "any" : *value ? "yes" : "no"));
    }
    append(text, {filter.made_after_s, filter.made_before_s});
    if (filter.place) {
        append(text, {filter.place->west_deg, filter.place->south_deg, filter.place->east_deg,
                      filter.place->north_deg});
    }
    text += '|';
    if (filter.near) {
        append(text,
               {filter.near->point.lon_deg, filter.near->point.lat_deg, filter.near->distance_km});
    }
    return text;
}

Going what_goes(std::span<const RetainedDataset> oldest_first, const DatasetRetention& retention) {
    // A file is there for as long as one of its datasets is.
    std::map<std::string_view, std::int64_t> uses;
    std::int64_t stored = 0;
    for (const RetainedDataset& one : oldest_first) {
        if (uses[one.sha256]++ == 0) {
            stored += one.bytes;
        }
    }
    Going going;
    for (std::size_t k = 0; k < oldest_first.size(); ++k) {
        const RetainedDataset& one = oldest_first[k];
        const bool old = retention.older_than_s > 0 && one.age_s > retention.older_than_s;
        const bool too_much = retention.keep_bytes >= 0 && stored > retention.keep_bytes;
        if (!one.free || !(old || too_much)) {
            continue;
        }
        going.which.push_back(k);
        if (--uses[one.sha256] == 0) {
            stored -= one.bytes;
            going.freed_bytes += one.bytes;
        }
    }
    return going;
}

}  // namespace kaname::store
