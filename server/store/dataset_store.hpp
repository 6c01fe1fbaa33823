// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/store/types.hpp"

namespace kaname::store {

/// Describes the dataset that a job makes, and the properties by which it can be found.
struct Dataset {
    std::string job_id, owner, title;
    std::string campaign_id, member;  ///< of which campaign, with its label; empty: of none
    DatasetDescription about;         ///< without its stations
    std::int64_t n_stations = 0, n_sources = 0;
    std::vector<std::string> tags;  ///< in the order of their letters
    bool pinned = false;
    double made_s = 0;  ///< Unix time; 0: it is not there
    std::string sha256;
    std::int64_t bytes = 0, n_missing = 0;  ///< n_missing: sources that the file lacks
    JobState state = JobState::Active;      ///< of the job
    std::string etag;                       ///< etag_of(job)
};

struct NearPoint {
    GeoPoint point;
    double distance_km = 0;
};

/// Describes the wanted datasets. A field that is empty, 0 or nothing restricts nothing.
struct DatasetFilter {
    std::string title, title_prefix, owner, campaign_id, structure_sha256, physics;
    std::vector<std::string> tags, faults, stations;  ///< it has all of them
    std::optional<bool> complete, pinned;
    double made_after_s = 0, made_before_s = 0;
    std::optional<GeoBox> place;    ///< its place overlaps this one
    std::optional<NearPoint> near;  ///< some of its place is within that distance
};

struct DatasetChange {
    std::vector<std::string> add_tags, remove_tags;
    std::optional<bool> pinned;
};

/// Holds how long datasets are kept, and how many bytes of them.
struct DatasetRetention {
    double older_than_s = 0;       ///< what is older goes; 0: at no age
    std::int64_t keep_bytes = -1;  ///< the oldest go until the rest is no more; below 0: any size
};

/// Describes a dataset that may be deleted, or must stay but counts.
struct RetainedDataset {
    std::string job_id, sha256;
    std::int64_t bytes = 0;
    double age_s = 0;
    bool free = false;  ///< neither pinned nor of a live job or a campaign that exists
};

/// Lists the datasets that a retention would delete, the oldest first.
struct RetentionPlan {
    std::vector<Dataset> first;           ///< the first ones, as many as were asked for
    std::int64_t n = 0, freed_bytes = 0;  ///< all of them; of files that no other dataset has
};

/// Datasets: there is one for each job, from its submission on, and it goes with the job. Throws
/// Unavailable as Store does, and NotFound where an id names no job.
class DatasetStore {
public:
    virtual ~DatasetStore() = default;

    /// Lists the datasets whose files exist, newest job first. Throws InvalidArgument as list_jobs
    /// does.
    [[nodiscard]] virtual Page<Dataset> list_datasets(const DatasetFilter& filter, int limit,
                                                      const std::string& token) = 0;
    [[nodiscard]] virtual Dataset get_dataset(const std::string& job_id) = 0;
    /// Throws InvalidArgument when it would have too many tags.
    virtual void update_dataset(const std::string& job_id, const DatasetChange& change,
                                const Actor& actor = {}) = 0;
    /// With its job, as delete_job. Throws NotReady while it is pinned, or its job is active or of
    /// a campaign that exists; Aborted when `etag` is given and is not the job's. `method`: under
    /// which it is kept in the audit.
    virtual void delete_dataset(const std::string& job_id, const std::string& etag,
                                const Actor& actor = {}, const char* method = "DeleteDataset") = 0;
    [[nodiscard]] virtual RetentionPlan plan_retention(const DatasetRetention& retention,
                                                       int limit) = 0;

    /// Holds id and request of a dataset of an earlier version; the newest ones are listed.
    struct Undescribed {
        std::string job_id, request;
    };
    [[nodiscard]] virtual std::vector<Undescribed> undescribed_datasets(int limit) = 0;
    /// Nothing happens to one that is described or gone.
    virtual void describe_dataset(const std::string& job_id, const DatasetDescription& about) = 0;
};

}  // namespace kaname::store
