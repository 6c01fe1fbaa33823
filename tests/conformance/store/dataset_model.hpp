// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "server/store/dataset_store.hpp"

namespace kaname::conformance {

/// DatasetModel holds the expected datasets of a store; a test that operates the store at random
/// updates it.
struct DatasetModel {
    struct One {
        std::string job, title, owner, physics, file, campaign;
        std::vector<std::string> stations;
        std::set<std::string> tags;
        std::optional<GeoBox> place;
        bool pinned = false, active = true, made = false;
        std::int64_t bytes = 0;
        double made_s = 0;
    };
    std::vector<One> all;  ///< in the order of their jobs

    One& of(const std::string& job);
    void forget(const std::string& job);
    /// Jobs whose datasets fit, newest first.
    [[nodiscard]] std::vector<std::string> found(const store::DatasetFilter& filter) const;
    /// Jobs whose datasets a retention deletes, the oldest first.
    [[nodiscard]] std::vector<std::string> going(const store::DatasetRetention& retention,
                                                 double now_s) const;
};

/// One that some of the model's datasets may fit.
[[nodiscard]] store::DatasetFilter random_filter(std::mt19937& random, const DatasetModel& model);
/// Nothing, a whole box, or one across the date line.
[[nodiscard]] std::optional<GeoBox> random_place(std::mt19937& random);

}  // namespace kaname::conformance
