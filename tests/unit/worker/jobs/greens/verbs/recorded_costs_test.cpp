// SPDX-License-Identifier: BSD-3-Clause
// The cost model against what stages of the examples took: one thread of an AMD EPYC whose
// calibration was kRecorded; processor time of 2026-11-22.
#include <ostream>

#include <gtest/gtest.h>

#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::compute::recorded_costs_test {
namespace {

constexpr jobs::Speed kRecorded{3.55e-7, 2.53e-6};
constexpr double kWithin = 1.5;

struct Example {
    const char* name;
    jobs::JobSize size;
    double mesh_s, setup_s, pack_s;
    friend std::ostream& operator<<(std::ostream& out, const Example& of) { return out << of.name; }
};

class RecordedCosts : public testing::TestWithParam<Example> {};

TEST_P(RecordedCosts, AreWithinAFactor) {
    const Example& example = GetParam();
    const std::string name = example.name;
    const request::LoadedBatch loaded =
        request::load_batch_file(KANAME_SOURCE_DIR "/docs/examples/" + name + "/" + name + ".yaml");
    jobs::GreensJob job = job_from_request(loaded, request::canonical_json(loaded.batch));
    jobs::build_volumes(job);

    const jobs::JobCosts costs = jobs::stages_of(job).costs(job, example.size, kRecorded);

    const auto expect_near = [](const jobs::StageCost& cost, double real_s) {
        EXPECT_LE(cost.seconds, kWithin * real_s) << cost.key;
        EXPECT_GE(cost.seconds, real_s / kWithin) << cost.key;
    };
    expect_near(costs.pack, example.pack_s);
    if (example.setup_s >= 1.0) {
        expect_near(costs.mesh, example.mesh_s);
        expect_near(costs.setup, example.setup_s);
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, RecordedCosts,
                         testing::Values(Example{"plane", {41636, 176103}, 0.3, 0.66, 4.40},
                                         Example{"strikeslip", {50583, 213603}, 0.3, 0.68, 12.93},
                                         Example{"hellenic", {194971, 840102}, 2.5, 2.6, 37.0},
                                         Example{"nankai", {215185, 938463}, 2.4, 2.9, 36.0}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace kaname::compute::recorded_costs_test
