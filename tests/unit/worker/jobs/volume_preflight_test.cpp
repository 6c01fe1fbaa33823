// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/built_job.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::jobs::volume_preflight_test {
namespace {

TEST(PreflightOfAVolume, CountsItsSumsAndWhatTheDatasetWillHold) {
    GreensJob job = plane_job();
    job.time.step_s = 2e8;
    job.stations[0].lon_deg = 160.0;  // a violation, so that nothing is solved to measure time
    job.scenario.emplace();
    slip_model::SlipPatch patch;
    patch.lon_deg = 135.0;
    patch.lat_deg = 34.0;
    patch.depth_m = 8e3;
    patch.length_m = patch.width_m = 5e3;
    patch.strike_deg = 20.0;
    patch.dip_deg = 40.0;
    patch.slip_m = 1.0;
    SlipModelSource model;
    model.id = "shock";
    model.patches = {patch};
    job.scenario->models = {model};
    job.scenario->events = {{.name = "shock", .model = 0}};
    job = test::built(job);
    const Stages& stages = stages_of(job);

    const Preflight without = stages.preflight(job);
    job.scenario->volume.epochs_s = {0.0, 5e8, 1e9};
    job.scenario->volume.receivers = {{.name = "field"}, {.name = "dam", .at = {{135.0, 34.0, 0}}}};
    const Preflight with = stages.preflight(job);

    ASSERT_FALSE(with.violations.empty());
    ASSERT_GT(with.tets, 0);
    const auto v = static_cast<double>(with.vertices), e = static_cast<double>(with.tets);
    const auto lanes = static_cast<double>(std::min<std::int64_t>(with.sources, 4));
    EXPECT_NEAR(with.dataset_bytes - without.dataset_bytes,
                4.0 * 3.0 * (3.0 * v + 12.0 * e + 3.0 * e), 1.0);
    EXPECT_NEAR(with.solve_bytes - without.solve_bytes,
                8.0 * (2.0 * lanes * 3.0 * (3.0 * v + 12.0 * e) +
                       4.0 * static_cast<double>(with.dof) + 96.0 * e),
                1.0);
}

}  // namespace
}  // namespace kaname::jobs::volume_preflight_test
