// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/store/dataset_store.hpp"

/// Declares the rules about datasets that all stores share.
namespace kaname::store {

inline constexpr std::size_t kMostTags = 32;

/// NotReady while it is pinned, its job is active or its campaign exists; Aborted when `etag` is
/// given and is not the job's.
void check_deletable(const Dataset& dataset, const std::string& etag);
/// NotReady: a job whose dataset is pinned.
[[noreturn]] void throw_pinned(const std::string& job_id);
/// Sorted, each once. Throws InvalidArgument when they are more than kMostTags.
[[nodiscard]] std::vector<std::string> changed_tags(const std::vector<std::string>& tags,
                                                    const DatasetChange& change);
/// "ok, +a -b, pinned", for the audit.
[[nodiscard]] std::string change_text(const DatasetChange& change);
[[nodiscard]] std::string listing_name(const DatasetFilter& filter);
/// Lists the datasets that a retention deletes, as indices into all datasets, and the bytes that
/// this frees.
struct Going {
    std::vector<std::size_t> which;
    std::int64_t freed_bytes = 0;
};
[[nodiscard]] Going what_goes(std::span<const RetainedDataset> oldest_first,
                              const DatasetRetention& retention);

}  // namespace kaname::store
