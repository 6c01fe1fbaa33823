// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/stepping/pack_solver.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::pack_solver_test {
namespace {

using lanes::kLanes;
using predictors::Polynomial;

class PackSolverOnFault : public testing::Test {
protected:
    comm::SerialComm comm;
    device::Queue queue;
    FaultModel fault{comm};
    TimeGrid grid{0.2 * kMaxwellTime_s, 3, 0.5};
    PackSolver solver{fault.model, grid, tight(1e-9), Polynomial::Cubic, comm, queue};

    /// Displacements of all steps, one after the other.
    std::vector<double> run(std::vector<ElementOffset> offsets) {
        std::vector<double> all;
        solver.start(std::move(offsets));
        while (!solver.finished()) {
            results.push_back(solver.advance());
            const auto u = solver.displacement();
            all.insert(all.end(), u.begin(), u.end());
        }
        return all;
    }
    std::vector<StepResult> results;
};

TEST_F(PackSolverOnFault, ZeroSlipGivesZero) {
    const auto u = run(fault.offsets(fault.unit_slip({})));

    for (const double value : u) {
        ASSERT_EQ(value, 0.0);
    }
    for (const StepResult& step : results) {
        EXPECT_EQ(step.lanes[0].status, linalg::LaneStatus::ZeroRightHandSide);
    }
}

TEST_F(PackSolverOnFault, StepsCountFromTheCoseismicOne) {
    (void)run(fault.offsets(fault.unit_slip({0})));

    ASSERT_EQ(results.size(), 4u);
    for (int step = 0; step < 4; ++step) {
        EXPECT_EQ(results[step].step, step);
        EXPECT_DOUBLE_EQ(results[step].time_s, step * grid.dt_s);
    }
}

TEST_F(PackSolverOnFault, SameSlipInTwoLanesAndPacksGivesTheSameNumbers) {
    const auto first = run(fault.offsets(fault.unit_slip({0, 2})));

    const auto second = run(fault.offsets(fault.unit_slip({0, 2})));

    double moved = 0.0;
    for (std::size_t i = 0; i < first.size(); i += kLanes) {
        ASSERT_EQ(first[i], first[i + 2]);
        ASSERT_EQ(first[i], second[i]);
        ASSERT_EQ(first[i + 1], 0.0);
        moved = std::max(moved, std::abs(first[i]));
    }
    EXPECT_GT(moved, 0.1);
}

TEST_F(PackSolverOnFault, LaneWithNanFailsAloneAndItsMatesAreAsWithoutIt) {
    const auto expected = run(fault.offsets(fault.unit_slip({0, 1, 3})));
    results.clear();
    PackSlip slip = fault.unit_slip({0, 1, 2, 3});
    slip[2][slip[2].size() / 2].y = std::numeric_limits<double>::quiet_NaN();

    const auto u = run(fault.offsets(slip));

    EXPECT_EQ(results[0].lanes[2].status, linalg::LaneStatus::NotFinite);
    for (const StepResult& step : results) {
        for (const int lane : {0, 1, 3}) {
            EXPECT_TRUE(step.lanes[lane].ok());
        }
    }
    for (std::size_t i = 0; i < u.size(); ++i) {
        ASSERT_EQ(u[i], i % kLanes == 2 ? 0.0 : expected[i]) << i;
    }
    for (const double stress : solver.stress()) {
        ASSERT_TRUE(std::isfinite(stress));
    }
}

TEST_F(PackSolverOnFault, NextPackAfterAFailureIsClean) {
    const auto expected = run(fault.offsets(fault.unit_slip({0})));
    PackSlip slip = fault.unit_slip({0});
    slip[0][3].x = std::numeric_limits<double>::infinity();
    (void)run(fault.offsets(slip));
    results.clear();

    const auto u = run(fault.offsets(fault.unit_slip({0})));

    for (const StepResult& step : results) {
        EXPECT_TRUE(step.lanes[0].ok());
    }
    for (std::size_t i = 0; i < u.size(); ++i) {
        ASSERT_EQ(u[i], expected[i]) << i;
    }
}

/// Initial residuals [step] of one source, `predictor` driving its own history.
std::vector<double> first_residuals(const PredictorParams& predictor) {
    comm::SerialComm comm;
    device::Queue queue;
    const FaultModel fault(comm);
    PackSolver solver(fault.model, {0.1 * kMaxwellTime_s, 14, 0.5}, tight(1e-9), predictor, comm,
                      queue);
    solver.start(fault.offsets(fault.unit_slip({1})));
    std::vector<double> residuals;
    while (!solver.finished()) {
        residuals.push_back(solver.advance().lanes[1].initial_residual);
    }
    return residuals;
}

TEST(PackSolver, LongerMemoryStartsNearerToTheSolution) {
    const auto ab2 = first_residuals(Polynomial::Ab2);
    const auto cubic = first_residuals(Polynomial::Cubic);
    const auto data_driven = first_residuals(predictor_params(PredictorKind::DataDriven, 1e-9));
    const auto projection = first_residuals(predictor_params(PredictorKind::Projection, 1e-9));

    for (std::size_t step = 10; step < ab2.size(); ++step) {
        EXPECT_LT(cubic[step], 0.1 * ab2[step]);
        EXPECT_LT(data_driven[step], cubic[step]);
        EXPECT_LT(data_driven[step], 2e-3 * ab2[step]);
        EXPECT_LT(projection[step], 2e-3 * ab2[step]);
    }
}

TEST(PackSolver, DataDrivenIsNeverWorseThanAb2) {
    const auto ab2 = first_residuals(Polynomial::Ab2);
    const auto data_driven = first_residuals(predictor_params(PredictorKind::DataDriven, 1e-9));

    for (std::size_t step = 0; step < ab2.size(); ++step) {
        EXPECT_LE(data_driven[step], 1.001 * ab2[step]) << step;
    }
}

TEST(PackSolver, WhatTheIterationStartsFromIsTheResidualOfTheCombinedGuess) {
    comm::SerialComm comm;
    device::Queue queue;
    const FaultModel fault(comm);
    const TimeGrid grid = {0.1 * kMaxwellTime_s, 10, 0.5};
    PackSolver combined(fault.model, grid, tight(1e-9),
                        predictor_params(PredictorKind::DataDriven, 1e-9), comm, queue);
    combined.start(fault.offsets(fault.unit_slip({0})));
    while (!combined.finished()) {
        const auto lane = combined.advance().lanes[0];
        // A residual that does not belong to the start would not come down to the true solution.
        ASSERT_TRUE(lane.ok());
    }
    PackSolver plain(fault.model, grid, tight(1e-9), Polynomial::None, comm, queue);
    plain.start(fault.offsets(fault.unit_slip({0})));
    while (!plain.finished()) {
        (void)plain.advance();
    }
    double largest = 0.0;
    double apart = 0.0;
    for (std::size_t i = 0; i < plain.displacement().size(); i += kLanes) {
        largest = std::max(largest, std::abs(plain.displacement()[i]));
        apart = std::max(apart, std::abs(plain.displacement()[i] - combined.displacement()[i]));
    }
    EXPECT_LT(apart, 1e-8 * largest);
}

TEST(PackSolver, LinearDisplacementOfAllSidesIsReproducedInside) {
    comm::SerialComm comm;
    device::Queue queue;
    const auto linear = [](const Vec3& x, int comp, int lane) {
        const Vec3 y = 1e-3 * x;
        return comp == 0   ? 0.3 * y.x + (lane + 1) * y.y - 0.2 * y.z
               : comp == 1 ? 0.7 * y.x - 0.4 * y.y + lane * y.z
                           : 0.1 * y.x + 0.9 * y.y + 0.6 * y.z;
    };
    std::vector<BoundaryCondition> conditions;
    for (const mesh::Side side : kAllSides) {
        for (int comp = 0; comp < 3; ++comp) {
            conditions.push_back(
                {side, comp, BoundaryCondition::Kind::Prescribed,
                 [=](const Vec3& x, double, int lane) { return linear(x, comp, lane); }});
        }
    }
    test::BoxMesh mesh = distorted_box();
    mesh.material = {};
    const BoxModel box(mesh, {rock(5e10, 3e10)}, conditions, comm);
    PackSolver solver(box.model, {}, tight(1e-12), Polynomial::None, comm, queue);
    solver.start({});

    const StepResult result = solver.advance();

    EXPECT_TRUE(result.lanes[0].ok());
    const auto u = solver.displacement();
    for (std::size_t i = 0; i < u.size(); ++i) {
        const Vec3& x = box.model.mesh().node_xyz[i / (3 * kLanes)];
        EXPECT_NEAR(u[i], linear(x, static_cast<int>(i / kLanes % 3), static_cast<int>(i % kLanes)),
                    1e-9);
    }
}

TEST(PackSolver, HeldShearRelaxesByTheTrapezoidalFactorEachStep) {
    // u = g y east on all sides, for good: nothing moves after t = 0 and the shear stress shrinks
    // by (1 - (1 - alpha) z) / (1 + alpha z) per step, z = dt mu/eta of that step.
    comm::SerialComm comm;
    device::Queue queue;
    std::vector<BoundaryCondition> conditions = clamped(kAllSides);
    for (auto& condition : conditions) {
        if (condition.component == 0) {
            condition.kind = BoundaryCondition::Kind::Prescribed;
            condition.value = [](const Vec3& x, double, int) { return 1e-4 * x.y; };
        }
    }
    test::BoxMesh mesh = distorted_box();
    mesh.material = {};
    const BoxModel box(mesh, {rock(3e10, 3e10, 1e19)}, conditions, comm);
    const double z = 0.4;
    const double alpha = 0.6;
    const double tau = kMaxwellTime_s;
    PackSolver solver(box.model, {z * tau, 2, alpha, {{2.0 * z * tau, 2}}}, tight(1e-12),
                      Polynomial::Cubic, comm, queue);
    solver.start({});

    const auto factor = [&](double x) { return (1.0 - (1.0 - alpha) * x) / (1.0 + alpha * x); };
    const double to_pa = box.model.scales().modulus_pa / box.model.scales().length_m;
    double share = 1.0;
    for (int step = 0; step <= 4; ++step) {
        (void)solver.advance();
        share *= step == 0 ? 1.0 : factor(step <= 2 ? z : 2.0 * z);
        const auto stress = solver.stress();
        for (std::size_t i = 5 * kLanes; i < stress.size(); i += 6 * kLanes) {
            EXPECT_NEAR(to_pa * stress[i], 3e6 * share, 1e-2) << step;
        }
    }
}

TEST(TimeGrid, RunsFollowEachOther) {
    const TimeGrid grid{2.0, 3, 0.5, {{4.0, 2}, {8.0, 1}}};

    EXPECT_EQ(grid.total_steps(), 6);
    EXPECT_EQ(grid.times_s(), (std::vector<double>{0.0, 2.0, 4.0, 6.0, 10.0, 14.0, 22.0}));
    EXPECT_EQ(grid.step_s(3), 2.0);
    EXPECT_EQ(grid.step_s(4), 4.0);
    EXPECT_EQ(grid.step_s(6), 8.0);
}

TEST(PackSolver, StepsThatGrowGiveTheSameMotion) {
    // Both runs are within their time errors of the exact motion; the growing one has a third of
    // the steps. A stiffness that kept the old length would be off by tens of percent.
    comm::SerialComm comm;
    device::Queue queue;
    const FaultModel fault(comm);
    const double dt = 0.05 * kMaxwellTime_s;
    std::vector<std::vector<double>> end;
    for (const TimeGrid& grid :
         {TimeGrid{dt, 60, 0.5}, TimeGrid{dt, 8, 0.5, {{2.0 * dt, 8}, {4.0 * dt, 9}}}}) {
        PackSolver solver(fault.model, grid, tight(1e-9),
                          predictor_params(PredictorKind::Projection, 1e-9), comm, queue);
        for (int pack = 0; pack < 2; ++pack) {
            solver.start(fault.offsets(fault.unit_slip({0, 3})));
            while (!solver.finished()) {
                const StepResult step = solver.advance();
                ASSERT_TRUE(step.lanes[3].ok());
                EXPECT_LT(step.lanes[3].initial_residual, step.step < 2 ? 1.1 : 0.2) << step.step;
            }
            const auto u = solver.displacement();
            end.emplace_back(u.begin(), u.end());
        }
    }
    double largest = 0.0;
    double apart = 0.0;
    for (std::size_t i = 0; i < end[0].size(); ++i) {
        largest = std::max(largest, std::abs(end[0][i]));
        apart = std::max(apart, std::abs(end[2][i] - end[0][i]));
        ASSERT_NEAR(end[3][i], end[2][i], 1e-8) << "second pack";
    }
    EXPECT_LT(apart, 2e-3 * largest);
    EXPECT_GT(apart, 0.0);
}

TEST(PackSolver, TractionOnTheTopCompressesAColumn) {
    // Rollers on the four walls and the bottom: u_z = p z / (lambda + 2 mu) from the bottom up.
    comm::SerialComm comm;
    device::Queue queue;
    std::vector<BoundaryCondition> conditions = {{mesh::Side::West, 0},   {mesh::Side::East, 0},
                                                 {mesh::Side::South, 1},  {mesh::Side::North, 1},
                                                 {mesh::Side::Bottom, 2}, {}};
    conditions.back() = {mesh::Side::Top, 2, BoundaryCondition::Kind::Traction,
                         [](const Vec3&, double, int lane) { return -1e6 * (lane + 1); }};
    const BoxModel box({.cells = {2, 2, 3}, .high = {2e3, 2e3, 4e3}}, {rock(4e10, 3e10)},
                       conditions, comm);
    PackSolver solver(box.model, {}, tight(1e-12), Polynomial::None, comm, queue);
    solver.start({});

    (void)solver.advance();

    const auto u = solver.displacement();
    for (std::size_t i = 0; i < u.size(); ++i) {
        const double z = box.model.mesh().node_xyz[i / (3 * kLanes)].z;
        const double expected = -1e6 * (1.0 + static_cast<double>(i % kLanes)) * z / 1e11;
        EXPECT_NEAR(u[i], i / kLanes % 3 == 2 ? expected : 0.0, 1e-10);
    }
}

TEST(PackSolver, RefusesBadTimeGrids) {
    comm::SerialComm comm;
    device::Queue queue;
    const BoxModel box({}, {rock(3e10, 3e10)}, clamped({mesh::Side::Bottom}), comm);
    const auto error = [&](const TimeGrid& grid) {
        try {
            const PackSolver solver(box.model, grid, {}, Polynomial::None, comm, queue);
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::InvalidArgument);
            return std::string(e.what());
        }
        return std::string();
    };

    EXPECT_NE(error({0.0, 5, 0.5}).find("time.step_s must be > 0"), std::string::npos);
    EXPECT_NE(error({std::nan(""), 5, 0.5}).find("time.step_s"), std::string::npos);
    EXPECT_NE(error({1.0, 5, 0.4}).find("time.alpha must lie in [0.5, 1]"), std::string::npos);
    EXPECT_NE(error({1.0, 5, 1.1}).find("time.alpha"), std::string::npos);
    EXPECT_NE(error({1.0, 5, 0.5, {{0.0, 2}}}).find("time.step_s"), std::string::npos);
    EXPECT_EQ(error({0.0, 0, 1.0}), "");
}

TEST(FailureText, HoldsTheStepTheStatusAndTheLastResiduals) {
    linalg::LaneResult lane;
    lane.status = linalg::LaneStatus::MaxIterations;
    lane.iterations = 7;
    lane.initial_residual = 0.875;
    lane.history = {0.71, 0.62, 0.53, 0.44, 0.35, 0.26, 0.17};
    lane.residual = 0.17;

    const std::string text = failure_text(lane, 12);

    EXPECT_NE(text.find("step 12: iteration limit reached after 7 iterations"), std::string::npos)
        << text;
    EXPECT_NE(text.find("0.53 0.44 0.35 0.26 0.17"), std::string::npos) << text;
    EXPECT_EQ(text.find("0.62"), std::string::npos) << text;
    EXPECT_NE(text.find("0.875"), std::string::npos) << text;
    EXPECT_NE(text.find("badly shaped elements"), std::string::npos) << text;
}

TEST(FailureText, NamesALikelyCauseForEachFailure) {
    linalg::LaneResult lane;
    lane.status = linalg::LaneStatus::NotFinite;
    EXPECT_NE(failure_text(lane, 0).find("not a finite number"), std::string::npos);
    lane.status = linalg::LaneStatus::Indefinite;
    EXPECT_NE(failure_text(lane, 0).find("inverted elements"), std::string::npos);
    lane.status = linalg::LaneStatus::MaxIterations;
    lane.residual = 1e-5;
    EXPECT_NE(failure_text(lane, 0).find("solver.max_iterations"), std::string::npos);
}

}  // namespace
}  // namespace kaname::viscoelastic::pack_solver_test
