// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::phases_of_step_test {
namespace {

using device::Phase;
using device::Phases;
using Clock = std::chrono::steady_clock;

/// A few steps on the small fault; their phases and how long they took.
struct Recorded {
    Phases::Records records;
    double wall_s = 0.0;
    std::vector<double> u;

    [[nodiscard]] const Phases::Record& of(Phase phase) const {
        return records[static_cast<std::size_t>(phase)];
    }
    [[nodiscard]] double in_phases_s() const {
        double sum = 0.0;
        for (int phase = 0; phase < device::kPhases; ++phase) {
            sum += records[static_cast<std::size_t>(phase)].seconds;
        }
        return sum;
    }
};

Recorded steps(Method method, comm::Comm& comm, bool record = true) {
    device::Queue queue;
    FaultModel fault(comm);
    SolverParams params = tight(1e-9);
    params.method = method;
    params.hierarchy.direct_size = 60;  // so that there is something between P1 and the coarsest
    PackSolver solver(fault.model, {0.2 * kMaxwellTime_s, 3, 0.5}, params,
                      predictor_params(PredictorKind::Projection, 1e-9), comm, queue);
    solver.start(fault.offsets(fault.unit_slip({0, 1, 2, 3})));
    Phases phases;
    Recorded result;
    if (record) {
        queue.record_phases(&phases);
    }
    const auto start = Clock::now();
    phases.reset();
    while (!solver.finished()) {
        (void)solver.advance();
    }
    result.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
    result.records = phases.records();
    const auto u = solver.displacement();
    result.u.assign(u.begin(), u.end());
    return result;
}

class PhasesOfSteps : public testing::TestWithParam<Method> {
protected:
    comm::SerialComm comm;
};

TEST_P(PhasesOfSteps, PhasesSumToTheTimeOfTheSteps) {
    const Recorded run = steps(GetParam(), comm);

    EXPECT_LE(run.in_phases_s(), run.wall_s);
    EXPECT_GE(run.in_phases_s(), 0.95 * run.wall_s);
}

TEST_P(PhasesOfSteps, EveryPhaseHasItsTimeAndItsBytes) {
    const Recorded run = steps(GetParam(), comm);

    for (int k = 0; k < device::kPhases; ++k) {
        const auto phase = static_cast<Phase>(k);
        const bool below_p2 =
            phase == Phase::SmootherOperator || phase == Phase::P1Below || phase == Phase::Coarsest;
        const bool there = phase != Phase::Waiting && !(GetParam() == Method::Pcge && below_p2);
        EXPECT_EQ(run.of(phase).work.bytes > 0.0, there) << to_string(phase);
        EXPECT_TRUE(run.of(phase).seconds > 0.0 || !there) << to_string(phase);
    }
    EXPECT_EQ(run.of(Phase::None).work.bytes, 0.0);
}

TEST_P(PhasesOfSteps, RecordingChangesNoNumber) {
    EXPECT_EQ(steps(GetParam(), comm).u, steps(GetParam(), comm, false).u);
}

INSTANTIATE_TEST_SUITE_P(Methods, PhasesOfSteps,
                         testing::Values(Method::Default, Method::Pcge, Method::Seed),
                         [](const auto& method) {
                             return method.param == Method::Default ? "Default"
                                    : method.param == Method::Pcge  ? "Pcge"
                                                                    : "Seed";
                         });

TEST(PhasesOfRanks, WorkIsThatOfOneRankAndWaitingHasATime) {
    comm::SerialComm serial;
    const double alone = steps(Method::Default, serial).of(Phase::OperatorFp64).work.flop_fp64;
    double together = 0.0;
    comm::run_as_threads(2, [&](comm::Comm& comm) {
        const Recorded run = steps(Method::Default, comm);
        EXPECT_GT(run.of(Phase::Waiting).seconds, 0.0);
        EXPECT_GE(run.in_phases_s(), 0.95 * run.wall_s);
        const double sum = comm.sum(run.of(Phase::OperatorFp64).work.flop_fp64);
        if (comm.rank() == 0) {
            together = sum;
        }
    });
    // Groups that are filled up and another number of iterations: not to the digit.
    EXPECT_GT(together, 0.5 * alone);
    EXPECT_LT(together, 2.0 * alone);
}

}  // namespace
}  // namespace kaname::viscoelastic::phases_of_step_test
