// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/registry/viscoelastic_stages.hpp"
#include "tests/unit/solvers/registry/plane_job.hpp"

namespace kaname::registry {
namespace {

TEST(TimeSteps, AutomaticStepIsAFifthOfTheShortestMaxwellTime) {
    const GreensJob job = plane_job();

    const Steps steps = time_steps(job);

    EXPECT_EQ(steps.shortest_maxwell_time_s, 1e8);
    EXPECT_EQ(steps.n, 50);
    EXPECT_DOUBLE_EQ(steps.dt_s, 2e7);
}

TEST(TimeSteps, RequestedStepIsShortenedToEndOnTime) {
    GreensJob job = plane_job();
    job.step_s = 3e8;

    const Steps steps = time_steps(job);

    EXPECT_EQ(steps.n, 4);
    EXPECT_DOUBLE_EQ(steps.dt_s, 2.5e8);
}

TEST(TimeSteps, StepThatDividesTheEndUpToRoundingIsKept) {
    GreensJob job = plane_job();
    job.end_s = 0.3;
    job.step_s = 0.1;  // 0.3 / 0.1 is above 3 in binary

    const Steps steps = time_steps(job);

    EXPECT_EQ(steps.n, 3);
}

TEST(TimeSteps, StepBeyondTheEndIsOneStep) {
    GreensJob job = plane_job();
    job.step_s = 5e9;

    const Steps steps = time_steps(job);

    EXPECT_EQ(steps.n, 1);
    EXPECT_EQ(steps.dt_s, 1e9);
}

TEST(TimeSteps, NothingRelaxesWithoutViscosityOrTime) {
    GreensJob elastic = plane_job();
    elastic.structure.materials[1].viscosity_pa_s.reset();
    GreensJob coseismic = plane_job();
    coseismic.end_s = 0.0;

    EXPECT_EQ(time_steps(elastic).n, 0);
    EXPECT_EQ(time_steps(elastic).shortest_maxwell_time_s, 0.0);
    EXPECT_EQ(time_steps(coseismic).n, 0);
}

TEST(TimeSteps, MaterialsThatNoLayerUsesDoNotShortenTheStep) {
    GreensJob job = plane_job();
    job.structure.materials.push_back({"unused", 3e10, 3e10, 0.0, 3e15});

    EXPECT_EQ(time_steps(job).n, 50);
}

TEST(SourceFiles, PathHoldsNoSlashAndKeyDependsOnSpecMeshAndSource) {
    GreensJob job = plane_job();
    job.solve_key = "{}";
    const std::string key = source_key(job, "hash", "s00d00/dip_slip");
    GreensJob other = job;
    other.solve_key = "{ }";

    EXPECT_EQ(source_path("/results", "s00d00/dip_slip"), "/results/source_s00d00_dip_slip.h5");
    EXPECT_EQ(key, source_key(job, "hash", "s00d00/dip_slip"));
    EXPECT_NE(key, source_key(other, "hash", "s00d00/dip_slip"));
    EXPECT_NE(key, source_key(job, "hash2", "s00d00/dip_slip"));
    EXPECT_NE(key, source_key(job, "hash", "s00d00/strike_slip"));
}

}  // namespace
}  // namespace kaname::registry
