// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"
#include "tests/unit/solvers/viscoelastic/spectrum_motion.hpp"

namespace kaname::viscoelastic::spectrum_solver_test {
namespace {

using lanes::kLanes;

constexpr double kTau_s = 1e19 / 3e10;

class SpectrumOnFault : public testing::Test {
protected:
    explicit SpectrumOnFault(Element element = Element::P2) : fault(comm, element) {
        params.end_s = 10.0 * kTau_s;
        params.tolerance = 1e-6;
        solver_params.cg.max_iterations = 500;
    }
    /// All shifts of one pack.
    std::vector<ShiftResult> run(SpectrumSolver& solver, const PackSlip& slip) {
        (void)solver.start(fault.offsets(slip));
        std::vector<ShiftResult> shifts;
        while (const auto shift = solver.advance()) {
            shifts.push_back(*shift);
        }
        return shifts;
    }
    /// u - u_0 at time t.
    device::Buffer<double> relaxed(const SpectrumSolver& solver, double t_s) {
        const auto c = solver.reduced().modes(groups.relaxation).at(t_s);
        return motion_of(solver, c, fault.model, queue);
    }
    /// u - u_0 by n time steps of alpha = 1/2, Richardson extrapolated from n and 2 n.
    std::vector<double> stepped(const PackSlip& slip, double t_s, int n) {
        std::vector<double> result(fault.model.vector_size(), 0.0);
        for (const int factor : {1, 2}) {
            SolverParams tight = solver_params;
            tight.cg.tolerance = 1e-11;
            PackSolver solver(fault.model, {t_s / (n * factor), n * factor, 0.5}, tight,
                              predictors::Polynomial::Cubic, comm, queue);
            solver.start(fault.offsets(slip));
            std::vector<double> start;
            while (!solver.finished()) {
                (void)solver.advance();
                const auto u = solver.displacement();
                if (start.empty()) {
                    start.assign(u.begin(), u.end());
                }
            }
            const double weight = factor == 1 ? -1.0 / 3.0 : 4.0 / 3.0;
            for (std::size_t i = 0; i < result.size(); ++i) {
                result[i] += weight * (solver.displacement()[i] - start[i]);
            }
        }
        return result;
    }

    void expect_time_steps() {
        const PackSlip slip = fault.unit_slip({0, 2});
        SpectrumSolver solver(fault.model, groups, params, solver_params, surface, comm, queue);
        const auto shifts = run(solver, slip);

        EXPECT_GE(shifts.size(), 2u);
        EXPECT_LE(shifts.size(), 12u);
        EXPECT_TRUE(solver.reached());
        for (const double t : {0.3 * kTau_s, 2.0 * kTau_s}) {
            const auto exact = stepped(slip, t, 40);
            const auto u = relaxed(solver, t);
            double size = 0.0;
            double apart = 0.0;
            for (std::size_t i = 0; i < exact.size(); ++i) {
                size = std::max(size, std::abs(exact[i]));
                apart = std::max(apart, std::abs(u[i] - exact[i]));
            }
            EXPECT_GT(size, 1e-3);
            EXPECT_LT(apart, 2e-5 * size) << t / kTau_s;
        }
    }

    comm::SerialComm comm;
    device::Queue queue;
    FaultModel fault;
    RelaxationGroups groups = relaxation_groups(fault.model.materials(), fault.model.element());
    Observer surface = fault.surface(queue);
    SpectrumParams params;
    SolverParams solver_params;
};

TEST_F(SpectrumOnFault, AFewShiftsGiveTheTimeSteps) {
    expect_time_steps();
}

class SpectrumWithNodalDilatation : public SpectrumOnFault {
protected:
    SpectrumWithNodalDilatation() : SpectrumOnFault(Element::NodalDilatation) {}
};

TEST_F(SpectrumWithNodalDilatation, AFewShiftsGiveTheTimeSteps) {
    expect_time_steps();
}

TEST_F(SpectrumOnFault, EachShiftLowersTheWorstResidual) {
    SpectrumSolver solver(fault.model, groups, params, solver_params, surface, comm, queue);
    const auto shifts = run(solver, fault.unit_slip({1}));

    EXPECT_DOUBLE_EQ(shifts.front().residual_before, 1.0);
    for (std::size_t k = 0; k < shifts.size(); ++k) {
        EXPECT_TRUE(shifts[k].lanes[1].ok());
        // The reduced model is the start of the solve: its residual was known beforehand.
        EXPECT_NEAR(shifts[k].lanes[1].initial_residual / shifts[k].residual_before, 1.0, 0.3);
    }
}

TEST_F(SpectrumOnFault, AStandardLinearSolidEndsAsTheElasticBodyOfItsRelaxedModulus) {
    // After a thousand relaxation times only the spring beside the dashpot is left; the bulk
    // modulus never changed: lambda' = kappa - 2/3 mu'.
    constexpr double kRelaxed_pa = 1e10;
    const double lambda_pa = (3e10 + 2.0 / 3.0 * 3e10) - 2.0 / 3.0 * kRelaxed_pa;
    groups.relaxation = {standard_linear_solid(3e10, kRelaxed_pa, 1e19)};
    params.end_s = 1e3 * kTau_s;
    SpectrumSolver solver(fault.model, groups, params, solver_params, surface, comm, queue);
    const PackSlip slip = fault.unit_slip({0, 2});
    (void)run(solver, slip);
    auto u = relaxed(solver, params.end_s);
    lanes::axpby(lanes::all_lanes(1.0), solver.elastic_displacement(), lanes::all_lanes(1.0), u,
                 queue);

    const Model soft(fault.mesh, fault.dofs, {rock(lambda_pa, kRelaxed_pa)},
                     clamped({mesh::Side::Bottom}), comm);
    SolverParams tight = solver_params;
    tight.cg.tolerance = 1e-10;
    PackSolver elastic(soft, {}, tight, predictors::Polynomial::None, comm, queue);
    elastic.start(element_offsets(soft, fault.dofs, fault.split, slip));
    (void)elastic.advance();

    double change = 0.0;
    double apart = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        change = std::max(change, std::abs(u[i] - solver.elastic_displacement()[i]));
        apart = std::max(apart, std::abs(u[i] - elastic.displacement()[i]));
    }
    EXPECT_GT(change, 1e-3);
    EXPECT_LT(apart, 1e-5 * change);
}

TEST_F(SpectrumOnFault, KeptShiftsGiveTheSameNumbers) {
    const PackSlip slip = fault.unit_slip({0, 2});
    SpectrumSolver forgetful(fault.model, groups, params, solver_params, surface, comm, queue);
    (void)run(forgetful, slip);
    params.kept_hierarchies = 3;  // fewer than there are
    SpectrumSolver keeper(fault.model, groups, params, solver_params, surface, comm, queue);
    (void)run(keeper, fault.unit_slip({1}));
    (void)run(keeper, slip);

    const auto expected = relaxed(forgetful, kTau_s);
    const auto u = relaxed(keeper, kTau_s);
    for (std::size_t i = 0; i < u.size(); ++i) {
        ASSERT_EQ(u[i], expected[i]) << i;
    }
}

TEST_F(SpectrumOnFault, NeighbouringShiftsShareAHierarchy) {
    params.end_s = 100.0 * kTau_s;
    params.kept_hierarchies = 16;
    SpectrumSolver solver(fault.model, groups, params, solver_params, surface, comm, queue);

    const auto shifts = run(solver, fault.unit_slip({0, 2}));

    EXPECT_LE(2 * solver.n_kept(), static_cast<int>(shifts.size()));
}

TEST_F(SpectrumOnFault, ZeroSlipNeedsNoShift) {
    SpectrumSolver solver(fault.model, groups, params, solver_params, surface, comm, queue);

    EXPECT_TRUE(run(solver, fault.unit_slip({})).empty());

    EXPECT_EQ(solver.error_estimate(), 0.0);
}

TEST_F(SpectrumOnFault, ALaneWithNanFailsAlone) {
    const PackSlip good = fault.unit_slip({0});
    SpectrumSolver solver(fault.model, groups, params, solver_params, surface, comm, queue);
    (void)run(solver, good);
    const auto expected = relaxed(solver, kTau_s);
    PackSlip slip = fault.unit_slip({0, 3});
    slip[3][2].x = std::numeric_limits<double>::quiet_NaN();

    const auto lanes = solver.start(fault.offsets(slip));
    EXPECT_EQ(lanes[3].status, linalg::LaneStatus::NotFinite);
    while (solver.advance()) {
    }

    const auto u = relaxed(solver, kTau_s);
    for (std::size_t i = 0; i < u.size(); ++i) {
        ASSERT_NEAR(u[i], i % kLanes == 0 ? expected[i] : 0.0, 1e-9) << i;
    }
}

TEST_F(SpectrumOnFault, BadParametersAreNamed) {
    const auto message = [&](const SpectrumParams& bad, const RelaxationGroups& of) -> std::string {
        try {
            const SpectrumSolver solver(fault.model, of, bad, solver_params, surface, comm, queue);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    SpectrumParams bad = params;
    bad.end_s = 0.0;
    EXPECT_NE(message(bad, groups).find("time.end_s must be > 0"), std::string::npos);
    bad = params;
    bad.tolerance = -1.0;
    EXPECT_NE(message(bad, groups).find("tolerance must be > 0"), std::string::npos);
    EXPECT_NE(message(params, {{}, {-1}, {-1}}).find("needs a viscous material"),
              std::string::npos);
}

TEST(RelaxationGroups, JoinMaterialsOfOneRate) {
    const auto groups = relaxation_groups({{"lid", 3e10, 3e10, 0.0, std::nullopt},
                                           {"a", 3e10, 3e10, 0.0, 1e19},
                                           {"b", 6e10, 6e10, 0.0, 2e19},
                                           {"c", 6e10, 6e10, 0.0, 1e18}});

    EXPECT_EQ(groups.group_of, (std::vector<int>{-1, 0, 0, 1}));
    ASSERT_EQ(groups.relaxation.size(), 2u);
    EXPECT_DOUBLE_EQ(groups.relaxation[1].fastest_rate_per_s(), 6e-8);
}

}  // namespace
}  // namespace kaname::viscoelastic::spectrum_solver_test
