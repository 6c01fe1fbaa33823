// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::jobs::volume_recorder_test {
namespace {

using viscoelastic::kMaxwellTime_s;

constexpr double kStep_s = 0.2 * kMaxwellTime_s;

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    double largest = 0.0;
    for (const double value : expected) {
        largest = std::max(largest, std::abs(value));
    }
    ASSERT_GT(largest, 0.0);
    for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], 1e-12 * largest) << i;
    }
}

/// Two slip models on FaultModel's fault, solved by three steps.
class VolumeOfAScenario : public testing::Test {
protected:
    VolumeOfAScenario() {
        job.time.end_s = 3.0 * kStep_s;
        job.solver.tolerance = 1e-12;
        job.scenario.emplace();
        job.scenario->models.resize(2);
        job.scenario->models[0].id = "east";
        job.scenario->models[1].id = "north";
        steps.grid = {kStep_s, 3, 0.5};
    }
    [[nodiscard]] PackContext context() {
        return {job, steps, fault.model, observer, comm, queue, &cut};
    }
    /// The results of both models.
    std::vector<io::SourceResult> solve(const viscoelastic::PackSlip& slip) {
        std::vector<io::SourceResult> results(2);
        results[0].source_id = "east";
        results[1].source_id = "north";
        const auto runner =
            make_stepping_runner(context(), std::make_unique<VolumeRecorder>(context()));
        runner->start({fault.offsets(slip), {}}, results);
        SolveProgress progress;
        while (runner->advance(progress)) {
        }
        runner->finish();
        return results;
    }
    [[nodiscard]] viscoelastic::PackSlip slip() const {
        viscoelastic::PackSlip both = fault.unit_slip({0, 1});
        for (Vec3& at : both[1]) {
            at = {0.0, 1.0, 0.0};
        }
        return both;
    }
    /// Snapshots of the first model at every step, without a scenario.
    io::VolumeSnapshots states() {
        viscoelastic::PackSolver solver(
            fault.model, steps.grid, solver_params(job),
            viscoelastic::predictor_params(job.solver.predictor, job.solver.tolerance), comm,
            queue);
        viscoelastic::VolumeFields fields(fault.model, cut);
        fields.start(4, {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}});
        solver.start(fault.offsets(slip()));
        for (int step = 0; step < 4; ++step) {
            (void)solver.advance();
            fields.add(step, {solver.displacement(), solver.offsets(), solver.stress()});
        }
        return fields.collect(0, comm);
    }

    GreensJob job = test::bare_job();
    Steps steps;
    comm::SerialComm comm;
    device::Queue queue;
    viscoelastic::FaultModel fault{comm};
    fault::SplitVertices cut = fault::split_vertices(fault.mesh, fault.split);
    viscoelastic::Observer observer{
        fault.model, p2::locate_points(fault.mesh, std::vector<Vec3>{{3e3, 3e3, 0.0}}), queue};
};

std::vector<double> part(const std::vector<double>& all, std::size_t k, std::size_t of) {
    const auto n = static_cast<std::ptrdiff_t>(all.size() / of);
    return {all.begin() + std::ptrdiff_t(k) * n, all.begin() + std::ptrdiff_t(k + 1) * n};
}

TEST_F(VolumeOfAScenario, OfOneStepIsTheStateOfTheSolverAtTheEpoch) {
    job.scenario->events = {{.name = "shock", .model = 0}};
    job.scenario->volume.epochs_s = {0.0, 2.0 * kStep_s};

    const auto results = solve(slip());

    const io::VolumeSnapshots state = states();
    for (const auto field : {&io::VolumeSnapshots::displacement_m, &io::VolumeSnapshots::strain,
                             &io::VolumeSnapshots::stress_pa}) {
        expect_near(part(results[0].volume.*field, 0, 2), part(state.*field, 0, 4));
        expect_near(part(results[0].volume.*field, 1, 2), part(state.*field, 2, 4));
    }
    for (const double value : results[1].volume.stress_pa) {
        ASSERT_EQ(value, 0.0) << "no event has this model";
    }
}

TEST_F(VolumeOfAScenario, OfTwoEventsIsTheSumOfBothAtTheirOwnTimes) {
    ScenarioEvent second{.name = "second", .model = 0, .time_s = kStep_s, .scale = -3.0};
    job.scenario->events = {{.name = "first", .model = 0}, second};
    job.scenario->volume.epochs_s = {2.0 * kStep_s};

    const auto results = solve(slip());

    const io::VolumeSnapshots state = states();
    for (const auto field : {&io::VolumeSnapshots::displacement_m, &io::VolumeSnapshots::strain,
                             &io::VolumeSnapshots::stress_pa}) {
        std::vector<double> expected = part(state.*field, 2, 4);
        const std::vector<double> later = part(state.*field, 1, 4);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            expected[i] -= 3.0 * later[i];
        }
        expect_near(results[0].volume.*field, expected);
    }
}

TEST_F(VolumeOfAScenario, LeavesOutASourceThatFailed) {
    job.scenario->events = {{.name = "a", .model = 0}, {.name = "b", .model = 1}};
    job.scenario->volume.epochs_s = {0.0};
    viscoelastic::PackSlip broken = slip();
    broken[1][3].x = std::numeric_limits<double>::quiet_NaN();

    const auto results = solve(broken);

    EXPECT_TRUE(results[1].failed);
    EXPECT_TRUE(results[1].volume.empty());
    EXPECT_FALSE(results[0].volume.empty());
}

TEST_F(VolumeOfAScenario, GoesOnFromResultsThatHoldSums) {
    job.scenario->events = {{.name = "a", .model = 0}, {.name = "b", .model = 1}};
    job.scenario->volume.epochs_s = {0.0, kStep_s};
    std::vector<io::SourceResult> results = solve(slip());
    const std::vector<double> before = results[0].volume.stress_pa;
    results[1].volume = {};
    VolumeRecorder recorder(context());

    recorder.start(results);
    recorder.collect(results);

    EXPECT_EQ(results[0].volume.stress_pa, before);
    for (const double value : results[1].volume.stress_pa) {
        ASSERT_EQ(value, 0.0);
    }
}

TEST_F(VolumeOfAScenario, RefusesASourceThatIsNoSlipModel) {
    job.scenario->events = {{.name = "a", .model = 0}};
    job.scenario->volume.epochs_s = {0.0};
    VolumeRecorder recorder(context());
    std::vector<io::SourceResult> results(1);
    results[0].source_id = "s00d00/dip_slip";

    EXPECT_THROW(recorder.start(results), Error);
}

TEST_F(VolumeOfAScenario, IsNotTakenWhereNoneIsWanted) {
    job.scenario->events = {{.name = "a", .model = 0}};
    PackContext without = context();
    without.volume = nullptr;
    std::vector<io::SourceResult> results(1);
    VolumeRecorder recorder(without);

    recorder.start(results);
    recorder.collect(results);

    EXPECT_TRUE(results[0].volume.empty());
}

}  // namespace
}  // namespace kaname::jobs::volume_recorder_test
