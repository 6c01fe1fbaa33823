// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/unit/worker/jobs/greens/verbs/fake_stages.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"

namespace kaname::compute::forecast_test {
namespace {

struct Bench {
    FakeStages stages;
    CalibrationCache book{{}, ""};

    Forecast times() {
        stages.found.packs = 3;
        stages.found.dof = 1000;
        return forecast(stages, {}, stages.found, 2, book);
    }
    void took_pack(double seconds, int threads = 2) {
        note_time(stages, {}, {.dof = 1000}, threads, &jobs::JobCosts::pack, seconds, book);
    }
};

TEST(Forecast, ComesFromCountsAndTheSpeedOfTheMachine) {
    Bench bench;

    const Forecast times = bench.times();

    EXPECT_DOUBLE_EQ(times.mesh_s, 1.0);
    EXPECT_DOUBLE_EQ(times.pack_s, 20.0);  // 1000 unknowns of FakeStages' speed
    EXPECT_DOUBLE_EQ(times.spread, 1.5);
    EXPECT_EQ(bench.stages.n_measured, 1);
    (void)bench.times();
    EXPECT_EQ(bench.stages.n_measured, 1);
}

TEST(Forecast, IsCorrectedByWhatStagesTook) {
    Bench bench;
    (void)bench.times();

    for (int k = 0; k < 3; ++k) {
        bench.took_pack(40.0);
    }

    const Forecast times = bench.times();
    EXPECT_DOUBLE_EQ(times.pack_s, 40.0);
    EXPECT_DOUBLE_EQ(times.mesh_s, 1.0);
    EXPECT_LT(times.spread, 1.5);
}

TEST(Forecast, ShortStagesAndUnknownSpeedsSayNothing) {
    Bench bench;
    bench.took_pack(40.0);  // before anything was measured
    (void)bench.times();
    bench.took_pack(40.0, 7);  // with another number of threads
    note_time(bench.stages, {}, {.dof = 10}, 2, &jobs::JobCosts::pack, 40.0, bench.book);

    EXPECT_DOUBLE_EQ(bench.times().pack_s, 20.0);
}

}  // namespace
}  // namespace kaname::compute::forecast_test
