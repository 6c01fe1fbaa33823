// SPDX-License-Identifier: BSD-3-Clause
// History of a large database goes along indexes, a bounded piece at a time, and what lives stays.
#include <map>

#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "solvers/base/checksums.hpp"
#include "tests/conformance/store/postgres_fixture.hpp"

namespace kaname::conformance::postgres_retention_test {
namespace {

using store::Connection;
using store::Plans;
using store::PostgresStore;

class PostgresRetention : public PostgresTest {
protected:
    void SetUp() override {
        PostgresTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        store_ = std::make_unique<PostgresStore>(conninfo_, store::StoreOptions{});
        db_ = std::make_unique<Connection>(conninfo_, Plans::ByRule);
    }
    std::int64_t count(const std::string& table) {
        const std::string text = "select count(*) from " + table;
        return db_->run(text.c_str()).number(0, 0);
    }
    /// Pages that the statement touches.
    std::int64_t pages(const std::string& name, const char* sql, const std::string& types,
                       const std::string& values) {
        db_->run_script("begin; prepare " + name + " (" + types + ") as " + sql);
        const std::string text = "explain (analyze, buffers) execute " + name + " (" + values + ")";
        std::int64_t found = -1;
        for (const std::string& line : db_->run(text.c_str()).texts(0)) {
            const std::size_t at = line.find("shared hit=");
            if (found < 0 && at != std::string::npos) {
                found = std::stoll(line.substr(at + 11));
            }
        }
        db_->run_script("rollback");
        return found;
    }

    std::unique_ptr<PostgresStore> store_;
    std::unique_ptr<Connection> db_;
};

TEST_F(PostgresRetention, HistoryGoesInBoundedPiecesAlongIndexes) {
    db_->run_script(
        "insert into attempt (task_id, fence, worker_id, started_at, ended_at, outcome) "
        "select n, 1, 'w', now() - interval '90 days', now() - interval '40 days', 'done' "
        "from generate_series(1, 2500) n;"
        "insert into attempt (task_id, fence, worker_id, started_at, ended_at, outcome) "
        "select n, 1, 'w', now(), now(), 'done' from generate_series(2501, 60000) n;"
        "insert into task_done (task_id, content_key, state, ended_at) "
        "select n, 'k', 'done', now() - n * interval '1 day' from generate_series(1, 60) n;"
        "insert into worker (worker_id, name, gpu_uuids, host, version, ranks, threads, lost, "
        "heartbeat_at) select 'lost ' || n, '', '{}', '', '', 1, 1, true, "
        "now() - n * interval '1 day' from generate_series(1, 60) n;"
        "insert into worker (worker_id, name, gpu_uuids, host, version, ranks, threads, "
        "heartbeat_at) values ('old but not lost', '', '{}', '', '', 1, 1, now() - interval '1 "
        "year');"
        "insert into task (content_key, verb, owner, compat_key, pool, label, payload, priority, "
        "ordinal, state, worker_id) values "
        "('held', 'solve', 'o', '', 'p', '', '', 0, 0, 'running', 'lost 60');"
        "insert into token (token_id, sha256, name, role, single, revoked_at) "
        "select n, n, 'agent', 'worker', true, now() - n * interval '1 day' "
        "from generate_series(1, 60) n;"
        "insert into token (token_id, sha256, name, role, revoked_at) "
        "values ('a', 'a', 'ann', 'user', now() - interval '1 year');"
        "insert into token (token_id, sha256, name, role, single, created_at) "
        "values ('live', 'live', 'agent', 'worker', true, now() - interval '1 year');"
        "insert into audit (at, principal, role, method, resource, outcome) "
        "select now() - n * interval '1 day', 'ann', 'user', 'X', '', "
        "case n % 2 when 0 then 'ok' else 'refused: no' end from generate_series(1, 500) n");
    EXPECT_LT(pages("a", store::sql::prune_attempts, "float8, integer", "2592000, 100"), 800);

    const auto before = count("attempt");
    EXPECT_GT(store_->prune({}, 1000), 0);
    EXPECT_EQ(count("attempt"), before - 1000) << "one piece";
    while (store_->prune({}, 1000) > 0) {
    }

    EXPECT_EQ(count("attempt"), 57500);
    EXPECT_NEAR(static_cast<double>(count("task_done")), 30, 1);
    EXPECT_NEAR(static_cast<double>(count("worker where lost")), 31, 1) << "one holds a task";
    EXPECT_EQ(count("worker where worker_id in ('lost 60', 'old but not lost')"), 2);
    EXPECT_NEAR(static_cast<double>(count("token where name = 'agent'")), 31, 1);
    EXPECT_EQ(count("token where token_id in ('a', 'live')"), 2);
    EXPECT_NEAR(static_cast<double>(count("audit where outcome = 'ok'")), 200, 1);
    EXPECT_NEAR(static_cast<double>(count("audit where outcome <> 'ok'")), 45, 1);
}

TEST_F(PostgresRetention, JudgingAPieceOfFilesReadsAFewPagesOfEach) {
    for (int job = 0; job < 5; ++job) {
        auto wanted = batch(job * 2000, 2000, "request " + std::to_string(job));
        wanted.files = {sha256_hex("spec " + std::to_string(job))};
        (void)store_->submit(wanted);
    }
    db_->run_script(
        "update job_item set sha256 = encode(sha256(convert_to(content_key, 'UTF8')), 'hex'); "
        "insert into artifact (content_key, sha256, bytes, uri) "
        "select content_key, min(sha256), 1, '' from job_item group by content_key");
    const std::string piece =
        db_->run("select array_agg(sha256)::text from (select sha256 from artifact limit 200) a")
            .text(0, 0);
    EXPECT_LT(pages("n", store::sql::note_loose_files, "text[]", "'" + piece + "'"), 200 * 40);
    const std::vector<std::string> files = {sha256_hex("spec 0"), sha256_hex("spec 9"),
                                            sha256_hex(sha256_hex("source 7"))};
    const auto loose = store_->note_loose_files(files);
    ASSERT_EQ(loose.size(), 1U);
    EXPECT_EQ(loose[0].sha256, sha256_hex("spec 9"));
}

}  // namespace
}  // namespace kaname::conformance::postgres_retention_test
