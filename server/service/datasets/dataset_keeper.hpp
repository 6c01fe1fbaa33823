// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "proto/kaname/v1/job.pb.h"
#include "server/service/context.hpp"
#include "server/service/jobs/resolved_request.hpp"
#include "server/service/views.hpp"

namespace kaname::service {

/// The dataset as the store knows it.
[[nodiscard]] v1::Dataset to_message(const store::Dataset& dataset);
/// Adds the properties by which a dataset can be found, its tags and its etag.
void add_description(const store::Dataset& dataset, v1::Dataset& message);
[[nodiscard]] store::DatasetDescription to_store(const request::Description& description);

struct Retained {
    std::vector<store::Dataset> datasets;  ///< the oldest first
    std::int64_t bytes = 0;                ///< of files that no dataset has any more
    std::int64_t more = 0;                 ///< that would go, too
};

/// Decides which datasets are kept, and describes those of earlier versions so that they can be
/// found.
class DatasetKeeper {
public:
    explicit DatasetKeeper(Context& context) : context_(context) {}

    /// Returns the datasets that remove() would delete: the first `most`, but the bytes of all.
    [[nodiscard]] Retained would_go(const store::DatasetRetention& retention, int most);
    /// Deletes in pieces until nothing is left to, `most` are gone or `stop` says so. What somebody
    /// pinned, tried again or deleted meanwhile is left alone. Each is kept in the audit.
    Retained remove(const store::DatasetRetention& retention, int most, const store::Actor& actor,
                    const std::function<bool()>& stop);

    /// Applies `retention` of the server's configuration, as actor "server"; a server calls it by
    /// itself.
    void keep(const store::DatasetRetention& retention, const std::function<bool()>& stop);
    /// Describes up to `most` datasets of earlier versions; one whose request cannot be read
    /// any more stays without a description. Throws nothing.
    void describe_old(int most);

private:
    [[nodiscard]] store::DatasetDescription describe(const std::string& request) const;

    Context& context_;
    std::atomic<bool> all_described_ = false;
};

struct PartialLimits {
    std::int64_t bytes = std::int64_t{16} << 30;
    std::chrono::seconds unused{3600};
    /// Who was given one will read it soon; kept for so long whatever the bytes.
    std::chrono::seconds least{600};
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

/// Files of datasets that were made on demand of the sources that were done then. Nothing else
/// refers to them: they are kept for a while after somebody asked, and up to so many bytes in all.
class PartialDatasets {
public:
    explicit PartialDatasets(Context& context, PartialLimits limits = {})
        : context_(context), limits_(std::move(limits)) {}

    /// The hash of the dataset of a job with so many sources done, from `make` unless it is there.
    /// Who wants one that is being made waits for it, all others do not; a caller that has gone
    /// leaves with Unavailable.
    [[nodiscard]] std::string get(const std::string& job_id, std::int64_t n_done,
                                  const std::function<std::string()>& make,
                                  const helpers::Caller& gone);

private:
    struct One {
        std::timed_mutex making;
        std::string sha256;
        std::int64_t bytes = 0;
        std::chrono::steady_clock::time_point asked_at;
    };
    using Key = std::pair<std::string, std::int64_t>;
    void trim();

    Context& context_;
    PartialLimits limits_;
    std::mutex mutex_;
    std::map<Key, std::shared_ptr<One>> all_;
};

/// Datasets of jobs: those that workers packaged, and partial ones made on demand.
class DatasetMaker {
public:
    DatasetMaker(Context& context, RequestCache& requests)
        : context_(context), requests_(requests), partial_(context) {}

    /// The stored dataset of an ended job, else one of the sources that are done. Throws NotReady
    /// when there is none and `allow_partial` is not given, or no source is done.
    v1::Dataset get(const std::string& job_id, bool allow_partial,
                    const helpers::Caller& gone = {});

    /// Values of some sources of a job; these must be done. Sources whose result is lost or cannot
    /// be read are left out.
    helpers::Block read(const store::Job& job, const std::vector<store::JobItem>& sources);

private:
    /// Makes a dataset of the sources that are done and returns its hash.
    [[nodiscard]] std::string make_partial(const store::Job& job, const helpers::Caller& gone);
    [[nodiscard]] std::vector<helpers::NamedFile> files_of(
        const std::vector<store::JobItem>& sources) const;
    /// Returns the files that the dataset needs beside its sources. Throws NotReady.
    [[nodiscard]] std::vector<helpers::NamedFile> needs_of(const ResolvedRequest& resolved) const;
    [[nodiscard]] std::shared_ptr<const ResolvedRequest> resolve(const store::Job& job);

    Context& context_;
    RequestCache& requests_;
    PartialDatasets partial_;
    std::atomic<int> n_made_ = 0;
};

}  // namespace kaname::service
