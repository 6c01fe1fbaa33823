// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/built_job.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs::viscoelastic_common_test {
namespace {

TEST(TimeSteps, AutomaticStepIsAFifthOfTheShortestMaxwellTime) {
    const GreensJob job = plane_job();

    const Steps steps = time_steps(job);

    EXPECT_EQ(steps.shortest_relaxation_time_s, 1e8);
    EXPECT_EQ(steps.grid.n_steps, 50);
    EXPECT_DOUBLE_EQ(steps.grid.dt_s, 2e7);
}

TEST(TimeSteps, RequestedStepIsShortenedToEndOnTime) {
    GreensJob job = plane_job();
    job.time.step_s = 3e8;

    const Steps steps = time_steps(job);

    EXPECT_EQ(steps.grid.n_steps, 4);
    EXPECT_DOUBLE_EQ(steps.grid.dt_s, 2.5e8);
}

TEST(TimeSteps, StepThatDividesTheEndUpToRoundingIsKept) {
    GreensJob job = plane_job();
    job.time.end_s = 0.3;
    job.time.step_s = 0.1;  // 0.3 / 0.1 is above 3 in binary

    const Steps steps = time_steps(job);

    EXPECT_EQ(steps.grid.n_steps, 3);
}

TEST(TimeSteps, StepBeyondTheEndIsOneStep) {
    GreensJob job = plane_job();
    job.time.step_s = 5e9;

    const Steps steps = time_steps(job);

    EXPECT_EQ(steps.grid.n_steps, 1);
    EXPECT_EQ(steps.grid.dt_s, 1e9);
}

TEST(TimeSteps, NothingRelaxesWithoutViscosityOrTime) {
    GreensJob elastic = plane_job();
    elastic.structure.materials[1].viscosity_pa_s.reset();
    GreensJob coseismic = plane_job();
    coseismic.time.end_s = 0.0;

    EXPECT_EQ(time_steps(elastic).grid.n_steps, 0);
    EXPECT_EQ(time_steps(elastic).shortest_relaxation_time_s, 0.0);
    EXPECT_EQ(time_steps(coseismic).grid.n_steps, 0);
}

TEST(TimeSteps, GrowByDoublingUpToTheLongest) {
    GreensJob job = plane_job();
    job.time.step_s = 1e7;
    job.time.max_step_s = 5e7;

    const Steps steps = time_steps(job);

    // 21 of 1e7, 21 of 2e7, then 4e7: 210 + 420 + 370 = 1000 Ms; ten of the last are 400.
    ASSERT_EQ(steps.grid.later.size(), 2u);
    EXPECT_EQ(steps.grid.n_steps, kStepsPerLength);
    EXPECT_EQ(steps.grid.later[0].n_steps, kStepsPerLength);
    EXPECT_EQ(steps.grid.later[1].n_steps, 10);
    EXPECT_DOUBLE_EQ(steps.grid.later[1].dt_s, 4.0 * steps.grid.dt_s);
    EXPECT_LE(steps.grid.dt_s, job.time.step_s);
    EXPECT_NEAR(steps.grid.times_s().back(), job.time.end_s, 1e-6 * job.time.end_s);
    EXPECT_EQ(steps.longest_step_s(), steps.grid.later[1].dt_s);
}

TEST(TimeSteps, ALimitBelowTwoStepsLeavesThemEqual) {
    GreensJob job = plane_job();
    job.time.step_s = 1e7;
    job.time.max_step_s = 1.9e7;

    EXPECT_TRUE(time_steps(job).grid.later.empty());
}

TEST(TimeSteps, ManyDefaultStepsGiveWayToTheSpectrum) {
    GreensJob job = plane_job();
    EXPECT_FALSE(time_steps(job).spectrum);

    job.time.end_s = 1e10;  // 500 steps
    EXPECT_TRUE(time_steps(job).spectrum);
    job.time.method = TimeMethod::Stepping;
    EXPECT_FALSE(time_steps(job).spectrum);
    job.time.method = TimeMethod::Auto;
    job.time.step_s = 2e7;  // asked for
    EXPECT_FALSE(time_steps(job).spectrum);
}

TEST(TimeSteps, EveryRheologyIsSteppedByItsFastestBranch) {
    GreensJob job = plane_job();
    earth::Material& mantle = job.structure.materials[1];
    mantle.relaxed_mu_pa = 2e10;  // a branch of 4e10 and 6e18

    EXPECT_DOUBLE_EQ(time_steps(job).shortest_relaxation_time_s, 1.5e8);
    EXPECT_EQ(time_steps(job).grid.n_steps, 34);
    EXPECT_FALSE(time_steps(job).spectrum);

    mantle.relaxed_mu_pa.reset();
    mantle.kelvin_mu_pa = 3e10;
    mantle.kelvin_viscosity_pa_s = 1e18;

    // (rho - mu/eta)(rho - mu_k/eta_k) = rho mu/eta_k: about mu/eta_k + mu_k/eta_k.
    const double rate = 1.0 / time_steps(job).shortest_relaxation_time_s;
    EXPECT_NEAR((rate - 1e-8) * (rate - 3e-8) / (rate * 6e-8), 1.0, 1e-12);
    EXPECT_GT(rate, 9e-8);
    EXPECT_TRUE(time_steps(job).spectrum) << "more than 150 steps";
    job.time.max_step_s = 1e8;
    EXPECT_FALSE(time_steps(job).spectrum) << "steps asked for";
}

TEST(TimeSteps, MaterialsThatNoLayerUsesDoNotCount) {
    GreensJob job = plane_job();
    job.structure.materials.push_back({"unused", 3e10, 3e10, 0.0, 3e15});
    job.structure.materials.push_back({"unused too", 3e10, 3e10, 0.0, 3e15});
    job.structure.materials.back().kelvin_mu_pa = 3e10;
    job.structure.materials.back().kelvin_viscosity_pa_s = 3e14;

    EXPECT_EQ(time_steps(job).grid.n_steps, 50);
    EXPECT_FALSE(time_steps(job).spectrum);
}

TEST(SourceFiles, PathHoldsNoSlashAndKeyDependsOnRequestMeshAndSource) {
    GreensJob job = test::built(plane_job());
    job.solve_key = "{}";
    GreensJob other = job;
    other.solve_key = "{ }";
    const JobGeometry geometry(job);
    const std::string key = geometry.source_key("hash", "s00d00/dip_slip");

    EXPECT_EQ(source_path("/results", "s00d00/dip_slip"), "/results/source_s00d00_dip_slip.h5");
    EXPECT_EQ(key, geometry.source_key("hash", "s00d00/dip_slip"));
    EXPECT_NE(key, JobGeometry(other).source_key("hash", "s00d00/dip_slip"));
    EXPECT_NE(key, geometry.source_key("hash2", "s00d00/dip_slip"));
    EXPECT_NE(key, geometry.source_key("hash", "s00d00/strike_slip"));
}

TEST(TimeStepsOfAVolume, AreStepsAndNoSpectrum) {
    GreensJob job = plane_job();
    job.time.end_s = 4e9;
    ASSERT_TRUE(time_steps(job).spectrum);
    job.scenario.emplace();
    EXPECT_TRUE(time_steps(job).spectrum) << "no volume is wanted";
    job.scenario->volume.epochs_s = {0.0};

    EXPECT_FALSE(time_steps(job).spectrum);
    EXPECT_EQ(time_steps(job).grid.n_steps, 200);
    const auto refused = [&job] {
        try {
            (void)time_steps(job);
        } catch (const ValidationError& error) {
            return error.violations().at(0).field + " " + error.violations().at(0).message;
        }
        return std::string("accepted");
    };
    job.solver.method = SolverMethod::Multistep2018;
    EXPECT_EQ(refused(),
              "output.volume needs time.method stepping, one step at a time, got "
              "solver.method multistep2018");
    job.solver.method = SolverMethod::Default;
    job.time.method = TimeMethod::Spectrum;
    EXPECT_EQ(refused(),
              "output.volume needs time.method stepping, one step at a time, got "
              "time.method spectrum");
    job.time.end_s = 0.0;
    EXPECT_NO_THROW(time_steps(job)) << "one snapshot of the coseismic step";
}

}  // namespace
}  // namespace kaname::jobs::viscoelastic_common_test
