// SPDX-License-Identifier: BSD-3-Clause
// Files are removed while jobs are submitted, cancelled, retried, deleted and computed: nothing
// that is referred to goes, and in the end nothing else is left.
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "server/space/garbage_collector.hpp"
#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/conformance/store/collection_town.hpp"
#include "tests/conformance/store/postgres_fixture.hpp"

namespace kaname::conformance::postgres_collection_test {
namespace {

constexpr double kThreeDays_s = 3 * 86400;  ///< after which no result is about to be completed

class Collection : public PostgresTest {
protected:
    /// KANAME_DELETIONS=10000 is the long run.
    static int n_deletions() {
        const char* wanted = std::getenv("KANAME_DELETIONS");
        return wanted != nullptr ? std::atoi(wanted) : 150;
    }
    static std::set<std::string> hashes(const artifacts::ArtifactStore& store) {
        std::set<std::string> all;
        for (const auto& file : store.list()) {
            all.insert(file.sha256);
        }
        return all;
    }
};

TEST_F(Collection, RemovesNothingThatIsReferredToAndLeavesNothingElse) {
    constexpr unsigned kUsers = 3, kWorkers = 2, kCollectors = 2;
    const TemporaryFolder folder;
    artifacts::FilesystemStore artifacts(folder.path() / "artifacts", {.min_free_bytes = 0});
    artifacts::FilesystemStore checkpoints(folder.path() / "checkpoints", {.min_free_bytes = 0});
    store::PostgresStore store(conninfo_, {.max_attempts = 1000, .backoff_s = 0});
    CollectionTown town{store, artifacts};
    store::Pool aside(conninfo_, 2);
    town.let_age = [&](const std::string& token, const std::string& sha256) {
        aside.transact([&](store::Connection& db) {
            db.run("delete from result_upload where token_id = $1 and sha256 = $2",
                   {token, sha256});
        });
    };
    const space::RetentionTimes nothing_unused{.grace_s = 0, .unreferenced_s = 0, .history = {}};
    // Each a server's: what one removes, the other may be judging.
    space::GarbageCollector first({store, artifacts, checkpoints, {}}, nothing_unused);
    space::GarbageCollector second({store, artifacts, checkpoints, {}}, nothing_unused);
    std::atomic<bool> done = false;
    std::atomic<std::int64_t> n_sweeps = 0, n_removed = 0;
    std::vector<CollectionUser> users;
    for (unsigned seed = 1; seed <= kUsers; ++seed) {
        users.emplace_back(town, seed);
    }

    {
        std::vector<std::jthread> threads;
        const auto run = [&](auto body) {
            threads.emplace_back([&done, body]() mutable {
                try {
                    while (!done) {
                        body();
                    }
                } catch (const std::exception& error) {
                    ADD_FAILURE() << error.what();
                    done = true;
                }
            });
        };
        for (CollectionUser& user : users) {
            run([&] {
                user.step();
                done = done || town.n_deletions >= n_deletions();
            });
        }
        for (unsigned seed = 1; seed <= kWorkers; ++seed) {
            run([worker = CollectionWorker(town, 100 + seed)]() mutable { worker.step(); });
        }
        for (unsigned k = 0; k < kCollectors; ++k) {
            run([&, k] {
                const space::Sweep sweep = (k == 0 ? first : second).sweep(false);
                ++n_sweeps;
                n_removed += sweep.n_removed;
            });
        }
    }

    for (CollectionUser& user : users) {
        user.check_all();
    }
    EXPECT_EQ(town.n_missing, 0);
    EXPECT_GE(town.n_deletions, n_deletions());
    EXPECT_GT(n_removed, 0);
    EXPECT_GT(town.n_results, n_deletions() / 4) << "results come again after they went";
    // Nobody is at work any more: what is left is what the jobs that are left refer to.
    std::set<std::string> wanted;
    for (CollectionUser& user : users) {
        user.leave(2);
        wanted.merge(user.files());
    }
    store.set_clock_offset(kThreeDays_s);
    (void)first.sweep(false);
    EXPECT_EQ(hashes(artifacts), wanted);
    for (CollectionUser& user : users) {
        user.check_all();
        user.leave(0);
    }
    (void)first.sweep(false);
    EXPECT_EQ(hashes(artifacts), std::set<std::string>{});
    std::cout << town.n_deletions << " deletions, " << town.n_submits << " submits, "
              << town.n_results << " results, " << n_sweeps << " sweeps removed " << n_removed
              << " files; " << town.n_refused << " submits refused for a file that had gone; "
              << town.n_missing << " files missing\n";
}

}  // namespace
}  // namespace kaname::conformance::postgres_collection_test
