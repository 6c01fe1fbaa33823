// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/store/store.hpp"

namespace kaname::conformance {

/// Jobs of two overlapping batches, and what the files of their packages hold. Shared by players,
/// each of which may be a thread.
class PackageTable {
public:
    /// Content keys begin with the seed: one store serves many tables.
    PackageTable(store::Store& store, int seed) : store_(store), prefix_(std::to_string(seed)) {}

    [[nodiscard]] std::vector<std::string> jobs() const;
    /// All jobs have ended; one that is done has a file with all its sources; what a file lacks
    /// failed, or was cancelled, in its job, and is counted.
    void expect_right();

private:
    friend class PackagePlayer;
    [[nodiscard]] std::string key(const std::string& name) const;
    /// Batch 0: sources a, b, c; batch 1: b, c, d. Each with mesh and package.
    [[nodiscard]] std::vector<store::WantedItem> items(int batch) const;

    store::Store& store_;
    std::string prefix_;
    mutable std::mutex mutex_;
    std::vector<std::string> jobs_;
    std::map<std::string, std::set<std::string>> files_;  ///< sources by the file's hash
};

/// A user with a worker: one random thing at a time.
class PackagePlayer {
public:
    PackagePlayer(PackageTable& table, unsigned seed);

    void step();
    /// Ends all that it holds and all that waits, without failures.
    void end_all();

private:
    struct HeldTask {
        store::ClaimedTask task;
        std::set<std::string> sources;  ///< keys of the sources that a package was given
    };
    void submit();
    bool claim();
    void end(bool may_fail);
    [[nodiscard]] std::string a_job();

    PackageTable& table_;
    store::Store& store_;
    std::mt19937 random_;
    std::string worker_;
    std::vector<HeldTask> held_;
};

}  // namespace kaname::conformance
