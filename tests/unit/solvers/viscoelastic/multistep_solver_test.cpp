// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/stepping/multistep_solver.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::multistep_solver_test {
namespace {

using lanes::kLanes;

struct History {
    std::vector<std::vector<double>> u;  ///< [step][N * 3]
    std::vector<double> first_residual;
    std::vector<int> iterations;
};

template <class Solver>
History run(Solver& solver, int lane) {
    History history;
    while (!solver.finished()) {
        const StepResult step = solver.advance();
        EXPECT_TRUE(step.lanes[lane].ok()) << step.step;
        history.first_residual.push_back(step.lanes[lane].initial_residual);
        history.iterations.push_back(step.lanes[lane].iterations);
        auto& u = history.u.emplace_back();
        for (std::size_t i = lane; i < solver.displacement().size(); i += kLanes) {
            u.push_back(solver.displacement()[i]);
        }
    }
    return history;
}

class Multistep : public testing::Test {
protected:
    Multistep() {
        params.method = Method::Seed;  // of the pack solver: the multistep one has its own
        params.cg = {1e-9, 200};
    }
    comm::SerialComm comm;
    device::Queue queue;
    FaultModel fault{comm};
    TimeGrid grid{0.1 * kMaxwellTime_s, 20, 0.5};
    SolverParams params;
};

TEST_F(Multistep, GivesTheStepsOfThePackSolver) {
    const auto offsets = fault.offsets(fault.unit_slip({0, 2}));
    PackSolver plain(fault.model, grid, params, predictors::Polynomial::Ab2, comm, queue);
    plain.start(offsets);
    const History expected = run(plain, 2);
    MultistepSolver solver(fault.model, grid, params, comm, queue);

    for (const int lane : {1, 2}) {  // nothing slips in lane 1; the next source starts clean
        solver.start(offsets, lane);
        const History found = run(solver, 0);

        ASSERT_EQ(found.u.size(), expected.u.size());
        for (std::size_t step = 0; step < found.u.size(); ++step) {
            double largest = 0.0;
            double apart = 0.0;
            for (std::size_t i = 0; i < found.u[step].size(); ++i) {
                const double wanted = lane == 2 ? expected.u[step][i] : 0.0;
                largest = std::max(largest, std::abs(expected.u[step][i]));
                apart = std::max(apart, std::abs(found.u[step][i] - wanted));
            }
            EXPECT_LT(apart, 1e-7 * largest) << step;
        }
    }
}

TEST_F(Multistep, StepsThatWereSolvedAlongStartNearerThanAb2) {
    const auto offsets = fault.offsets(fault.unit_slip({0}));
    PackSolver plain(fault.model, grid, params, predictors::Polynomial::Ab2, comm, queue);
    plain.start(offsets);
    const History ab2 = run(plain, 0);
    MultistepSolver solver(fault.model, grid, params, comm, queue);
    solver.start(offsets, 0);
    const History found = run(solver, 0);

    for (std::size_t step = 10; step < ab2.u.size(); ++step) {
        EXPECT_LT(found.first_residual[step], 0.5 * ab2.first_residual[step]) << step;
    }
}

TEST_F(Multistep, HasTheTwoLoopsOfItsPaperAndRenewsLoadsEachOuterIteration) {
    for (const Method method : {Method::Default, Method::Seed}) {
        params.method = method;
        MultistepSolver solver(fault.model, grid, params, comm, queue);
        solver.start(fault.offsets(fault.unit_slip({0})), 0);
        double start = 0.0;
        int steps = 0;
        while (!solver.finished()) {
            const StepResult step = solver.advance();
            EXPECT_LE(step.inner_iterations[0], 30 * step.lanes[0].iterations);
            EXPECT_EQ(step.inner_iterations[2], 0);
            if (step.step > 10) {
                EXPECT_GT(step.inner_iterations[1], 0);
                EXPECT_EQ(step.lanes[0].history.size(), std::size_t(step.lanes[0].iterations));
                start += std::log(step.lanes[0].initial_residual);
                ++steps;
            }
        }
        // Three loops and loads renewed whenever the residual has fallen twentyfold: 4.6e-8.
        EXPECT_LT(std::exp(start / steps), 4e-8);
    }
}

TEST_F(Multistep, StopsAtTheIterationLimitOfAStep) {
    params.cg = {1e-9, 3};
    MultistepSolver solver(fault.model, grid, params, comm, queue);
    solver.start(fault.offsets(fault.unit_slip({0})), 0);
    const StepResult step = solver.advance();
    EXPECT_EQ(step.lanes[0].status, linalg::LaneStatus::MaxIterations);
    EXPECT_EQ(step.lanes[0].iterations, 3);
    EXPECT_TRUE(solver.finished());
}

TEST_F(Multistep, RefusesGridsThatGrowOrHaveNoSteps) {
    const auto message = [&](const TimeGrid& bad) -> std::string {
        try {
            const MultistepSolver solver(fault.model, bad, params, comm, queue);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_NE(message({1e7, 5, 0.5, {{2e7, 5}}}).find("time.max_step_s must be left out"),
              std::string::npos);
    EXPECT_NE(message({0.0, 0, 0.5}).find("needs time steps"), std::string::npos);
}

}  // namespace
}  // namespace kaname::viscoelastic::multistep_solver_test
