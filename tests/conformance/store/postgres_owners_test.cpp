// SPDX-License-Identifier: BSD-3-Clause
// An owner's limit of running tasks under claimers that race.
#include <algorithm>
#include <atomic>
#include <thread>

#include "server/store/postgres/postgres_store.hpp"
#include "solvers/base/checksums.hpp"
#include "tests/conformance/store/postgres_fixture.hpp"

namespace kaname::conformance::postgres_owners_test {
namespace {

TEST_F(PostgresTest, ClaimersThatRaceKeepToTheOwnersRunningTasks) {
    constexpr int kWorkers = 6, kTasks = 60, kMayRun = 5;
    store::PostgresStore store(conninfo_, {});
    store::Submission submission;
    submission.principal = submission.owner = "ann";
    submission.request_id = "request";
    submission.body_sha256 = sha256_hex("body");
    submission.name = "job";
    submission.request = "{}";
    for (int n = 0; n < kTasks; ++n) {
        store::WantedItem item;
        item.content_key = sha256_hex(std::to_string(n));
        item.verb = "solve";
        item.compat_key = "m";
        item.pool = "gpu";
        submission.items.push_back(item);
    }
    (void)store.submit(submission);
    store.set_quota({"ann", std::nullopt, kMayRun, std::nullopt, 1});
    std::atomic<int> running = 0, most = 0, done = 0, n_errors = 0;
    const auto work = [&](int worker) {
        const std::string id = "w" + std::to_string(worker);
        try {
            store.register_worker({id, id});
            for (int n = 0; done < kTasks && n_errors == 0; ++n) {
                store::ClaimRequest request{id, {"gpu"}, id + '/' + std::to_string(n), "", ""};
                request.running_limits = {{"ann", kMayRun}};
                const auto pack = store.claim(request);
                const int now = running += static_cast<int>(pack.size());
                for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                }
                for (const store::ClaimedTask& task : pack) {
                    --running;  // before the store knows: what it counts is never less
                    const store::Completion end{task.held(), sha256_hex(task.content_key), "", 1};
                    done += store.complete(id, {&end, 1}).front() == store::LeaseResult::Ok;
                }
            }
        } catch (const std::exception& error) {
            ++n_errors;
            ADD_FAILURE() << error.what();
        }
    };
    {
        std::vector<std::jthread> workers;
        for (int worker = 0; worker < kWorkers; ++worker) {
            workers.emplace_back(work, worker);
        }
    }

    EXPECT_EQ(done, kTasks);
    EXPECT_LE(most, kMayRun);
    EXPECT_EQ(store.use_of("ann").running, 0);
}

}  // namespace
}  // namespace kaname::conformance::postgres_owners_test
