// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "server/artifacts/artifact_store.hpp"
#include "server/store/store.hpp"

namespace kaname::conformance {

/// CollectionTown holds the state that users and workers share, and their counts. None of them
/// knows of the collector.
struct CollectionTown {
    store::Store& store;
    artifacts::ArtifactStore& artifacts;
    std::atomic<int> n_deletions{0}, n_submits{0}, n_results{0}, n_refused{0}, n_missing{0};
    std::mutex mutex;
    std::map<std::string, std::vector<std::string>> files_of_request;  ///< by the hash of each
    /// As if two days had passed since the worker put this result: from then on only jobs keep it.
    std::function<void(const std::string& token, const std::string& sha256)> let_age = {};

    /// Puts what is not there, as a client does; its hash.
    std::string put(const std::string& text);
    /// A file that something refers to is not there.
    void missing(const std::string& what);
};

/// Submits, cancels, retries and deletes jobs of its own at random; after each step all files of
/// one of its jobs are there.
class CollectionUser {
public:
    CollectionUser(CollectionTown& town, unsigned seed);

    void step();
    void check_all();
    /// Cancels all jobs and deletes all but `n_left`.
    void leave(std::size_t n_left);
    /// Files of its jobs, with their results.
    [[nodiscard]] std::set<std::string> files();

private:
    struct Job {
        std::string id;
        std::vector<std::string> files;
    };
    void submit();
    void check(const Job& job);
    void remove(std::size_t at);

    CollectionTown& town_;
    std::mt19937 random_;
    std::string name_;
    std::vector<Job> jobs_;
};

/// Claims, looks whether all that a task needs is there, and completes, fails or returns it.
class CollectionWorker {
public:
    CollectionWorker(CollectionTown& town, unsigned seed);
    void step();

private:
    bool inputs_are_there(const store::ClaimedTask& task);
    void end(const store::ClaimedTask& task);

    CollectionTown& town_;
    std::mt19937 random_;
    std::string id_;
};

}  // namespace kaname::conformance
