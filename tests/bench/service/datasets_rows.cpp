// SPDX-License-Identifier: BSD-3-Clause
// Lists of datasets: of a hundred thousand, each with the stations of a dense network.
#include "server/store/postgres/postgres_store.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "tests/bench/service/rows.hpp"
#include "tests/support/postgres/private_postgres.hpp"

namespace kaname::bench {
namespace {

/// Rows as submissions and completions leave them: 382 of 4000 stations each, 500 Earth models, 40
/// owners, 100 campaigns, every second one tagged "even", one in a thousand "rare"; the newest
/// tenth is of another physics, network and tag, so that no list finds what is old among what is
/// new.
void plant(const std::string& database, int n) {
    const std::string rows = std::to_string(n);
    store::Connection db(database);
    db.run_script("set statement_timeout = 0; set maintenance_work_mem = '512MB'");
    db.run_script("drop index dataset_at_station");
    db.run_script(
        "insert into job (job_id, owner, name, spec, priority, state, n_total, n_done, n_live, "
        "n_sources, ended_at) select 'job ' || n, 'owner' || n % 40, 'batch-' || n % 5000, '{}', "
        "0, "
        "'done', 1, 1, 0, 24, now() from generate_series(1, " +
        rows + ") n order by n");
    db.run_script(
        "insert into dataset (job_id, position, owner, title, result, described, physics, faults, "
        "structure_sha256, stations, n_stations, place, n_sources, tags, pinned, made_at, sha256, "
        "bytes, n_missing, campaign_id) "
        "select 'job ' || n, j.position, j.owner, j.name, 0, true, "
        "case when n > 0.9 * " +
        rows +
        " then 'elastic' else 'viscoelastic' end, '{plane}', "
        "'model ' || n % 500, "
        "array(select case when n > 0.9 * " +
        rows +
        " then 'N' else 'S' end || "
        "(n * 7919 + k * (2 * (n % 37) + 1)) % 4000 from generate_series(1, 382) k), 382, "
        "box(point(n % 360 - 180, n / 360 % 120 - 60), point(n % 360 - 175, n / 360 % 120 - 57)), "
        "24, "
        "case when n > 0.9 * " +
        rows +
        " then '{new}' when n % 1000 = 7 then '{rare,even}' "
        "when n % 2 = 0 then '{even}' else '{}' end::text[], "
        "n % 500 = 3, now() - (" +
        rows +
        " - n) * interval '1 minute', 'file ' || n, 1000, "
        "case when n % 300 = 5 then 1 else 0 end, 'campaign ' || n % 100 "
        "from generate_series(1, " +
        rows + ") n join job j on j.job_id = 'job ' || n");
    db.run_script("create index dataset_at_station on dataset using gin (stations)");
    db.run_script("analyze");
    db.run_script("vacuum dataset");
}

}  // namespace

void run_dataset_lists(const Bench& bench, int n) {
    const std::string database = support::PrivatePostgres::durable().new_database();
    store::PostgresStore queue(database, {});
    plant(database, n);
    const std::string of = n == 100000 ? "_100k" : "";
    const auto p99 = [&](const std::string& method, const store::DatasetFilter& filter,
                         bool any = true) {
        constexpr int kPage = 50;
        std::vector<double> seconds;
        for (int turn = 0; turn < 200; ++turn) {
            const Clock::time_point asked = Clock::now();
            const auto page = queue.list_datasets(filter, kPage, "");
            seconds.push_back(seconds_since(asked));
            if (page.rows.empty() == any) {
                throw Error(ErrorCode::Internal, method + ": not what was planted");
            }
        }
        bench.add(method, "datasets_list_p99_ms" + of, "ms", 1e3 * quantile(seconds, 0.99));
    };
    p99("datasets", {});
    const auto filtered = [](const auto& set) {
        store::DatasetFilter filter;
        set(filter);
        return filter;
    };
    using Filter = store::DatasetFilter;
    p99("datasets-station", filtered([](Filter& f) { f.stations = {"S17"}; }));
    p99("datasets-two-stations", filtered([](Filter& f) { f.stations = {"S17", "S3000"}; }));
    p99("datasets-no-station", filtered([](Filter& f) { f.stations = {"none"}; }), false);
    p99("datasets-rare-tag", filtered([](Filter& f) { f.tags = {"rare"}; }));
    p99("datasets-old-tag", filtered([](Filter& f) { f.tags = {"even"}; }));
    p99("datasets-place", filtered([](Filter& f) { f.place = GeoBox{135, 30, 137, 34}; }));
    p99("datasets-date-line", filtered([](Filter& f) { f.place = GeoBox{179, -40, 183, -30}; }));
    p99("datasets-near", filtered([](Filter& f) { f.near = store::NearPoint{{135, 33}, 100}; }));
    p99("datasets-structure", filtered([](Filter& f) { f.structure_sha256 = "model 77"; }));
    p99("datasets-campaign", filtered([](Filter& f) { f.campaign_id = "campaign 5"; }));
    p99("datasets-owner", filtered([](Filter& f) { f.owner = "owner7"; }));
    p99("datasets-name", filtered([](Filter& f) { f.title_prefix = "batch-123"; }));
    p99("datasets-partial", filtered([](Filter& f) { f.complete = false; }));
    p99("datasets-pinned", filtered([](Filter& f) { f.pinned = true; }));
    p99("datasets-physics", filtered([](Filter& f) { f.physics = "viscoelastic"; }));
    const Clock::time_point start = Clock::now();
    (void)queue.plan_retention({0, 0}, 200);
    bench.add("datasets-retention", "plan_s" + of, "s", seconds_since(start));
}

}  // namespace kaname::bench
