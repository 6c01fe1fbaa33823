// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "proto/kaname/v1/job.pb.h"
#include "server/service/context.hpp"

namespace kaname::service {

/// The dataset as the store knows it.
[[nodiscard]] v1::Dataset to_message(const store::Dataset& dataset);
/// Adds the properties by which a dataset can be found, its tags and its etag.
void add_description(const store::Dataset& dataset, v1::Dataset& message);
[[nodiscard]] store::DatasetDescription to_store(const spec::Description& description);

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
    /// Describes up to `most` datasets of earlier versions; one whose specification cannot be read
    /// any more stays without a description. Throws nothing.
    void describe_old(int most);

private:
    [[nodiscard]] store::DatasetDescription describe(const std::string& spec) const;

    Context& context_;
    std::atomic<bool> all_described_ = false;
};

}  // namespace kaname::service
