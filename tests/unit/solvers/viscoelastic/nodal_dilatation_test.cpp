// SPDX-License-Identifier: BSD-3-Clause
// The nodal-dilatation element: what it shares with plain P2 and what it does not.
#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::nodal_dilatation_test {
namespace {

using lanes::kLanes;
using predictors::Polynomial;

TEST(PressureNodes, BelongToAVertexAndAMaterial) {
    comm::SerialComm comm;
    const BoxModel box(distorted_box(), {rock(3e10, 3e10, 1e19), rock(9e10, 4e10, 1e20)},
                       clamped({mesh::Side::Bottom}), comm, Element::NodalDilatation);
    const p2::LocalMesh& mesh = box.model.mesh();
    const PressureNodes& nodes = *box.model.pressure_nodes();

    std::map<std::int32_t, std::pair<std::int32_t, std::int32_t>> is;
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        for (int k = 0; k < 4; ++k) {
            const auto expected = std::pair(mesh.conn_p1[elem][k], mesh.material[elem]);
            const auto [at, fresh] = is.try_emplace(nodes.conn[elem][k], expected);
            EXPECT_EQ(at->second, expected);
        }
    }
    EXPECT_EQ(static_cast<std::int32_t>(is.size()), nodes.size());
    EXPECT_GT(nodes.size(), mesh.n_vertices());  // twice on the boundary between the rocks
    double sum = 0.0;
    double volume = 0.0;
    for (const double v : nodes.volume) {
        sum += v;
    }
    for (const ElementGeometry& geometry : box.model.geometry()) {
        volume += geometry.volume;
    }
    EXPECT_NEAR(sum, volume, 1e-12 * volume);
}

TEST(PressureNodes, ElasticElementsHaveNone) {
    comm::SerialComm comm;
    const BoxModel box(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm,
                       Element::NodalDilatation);
    const PressureNodes& nodes = *box.model.pressure_nodes();
    for (std::int32_t elem = 0; elem < box.model.mesh().n_tets(); ++elem) {
        EXPECT_EQ(nodes.conn[elem][0] == nodes.size(), box.model.mesh().material[elem] == 0);
    }
    const BoxModel elastic(distorted_box(), {rock(3e10, 3e10), rock(9e10, 4e10)},
                           clamped({mesh::Side::Bottom}), comm, Element::NodalDilatation);
    EXPECT_EQ(elastic.model.pressure_nodes(), nullptr);
}

double energy(const Model& model, const ElementModuli& moduli, const device::Buffer<double>& x) {
    device::Queue queue;
    EbeOperator<double> K(model, moduli, queue);
    device::Buffer<double> y(x.size());
    K.apply_unconstrained(x, y, queue);
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

TEST(NodalDilatation, ChangesNoEnergyOfConstantStrainAndLowersAllOthers) {
    comm::SerialComm comm;
    test::BoxMesh mesh = distorted_box();
    mesh.material = {};
    const BoxModel plain(mesh, {rock(3e10, 3e10, 1e19)}, clamped({mesh::Side::Bottom}), comm);
    const BoxModel nodal(mesh, {rock(3e10, 3e10, 1e19)}, clamped({mesh::Side::Bottom}), comm,
                         Element::NodalDilatation);
    const double dt = 4.0 * kMaxwellTime_s;
    device::Buffer<double> linear(plain.model.vector_size());
    for (std::size_t i = 0; i < linear.size(); ++i) {
        const Vec3& x = plain.model.mesh().node_xyz[i / (3 * kLanes)];
        linear[i] = 1e-3 * (x.x + 0.3 * x.y) * static_cast<double>(i / kLanes % 3 + 1);
    }
    const auto random = random_vector<double>(linear.size(), 3);
    const auto of = [&](const BoxModel& box, double dt_s, const device::Buffer<double>& x) {
        return energy(box.model, box.model.step_moduli(dt_s, 0.5).moduli, x);
    };

    EXPECT_NEAR(of(nodal, dt, linear) / of(plain, dt, linear), 1.0, 1e-12);
    EXPECT_NEAR(of(nodal, 0.0, random) / of(plain, 0.0, random), 1.0, 1e-14);
    EXPECT_LT(of(nodal, dt, random), 0.99 * of(plain, dt, random));
    EXPECT_GT(of(nodal, dt, random), 0.0);
}

TEST(NodalDilatation, LinearMotionHasTheStressesOfPlainP2) {
    // Stretched at the start and sheared on, with volume change: Theta is the volume strain itself.
    comm::SerialComm comm;
    device::Queue queue;
    std::vector<BoundaryCondition> conditions = clamped(kAllSides);
    for (auto& condition : conditions) {
        condition.kind = BoundaryCondition::Kind::Prescribed;
        condition.value = [comp = condition.component](const Vec3& x, double t_s, int lane) {
            return 1e-4 * (comp == 0 ? x.x * (1.0 + lane) + x.y * (1.0 + t_s / kMaxwellTime_s)
                                     : 0.3 * x.z);
        };
    }
    test::BoxMesh mesh = distorted_box();
    mesh.material = {};
    std::vector<std::vector<double>> stress[2];
    for (const Element element : {Element::P2, Element::NodalDilatation}) {
        const BoxModel box(mesh, {rock(3e10, 3e10, 1e19)}, conditions, comm, element);
        PackSolver solver(box.model, {0.4 * kMaxwellTime_s, 2, 0.6, {{0.8 * kMaxwellTime_s, 2}}},
                          tight(1e-12), Polynomial::Cubic, comm, queue);
        solver.start({});
        while (!solver.finished()) {
            (void)solver.advance();
            stress[element == Element::P2 ? 0 : 1].push_back(solver.stress());
        }
    }
    for (std::size_t step = 0; step < stress[0].size(); ++step) {
        double size = 0.0;
        double apart = 0.0;
        for (std::size_t i = 0; i < stress[0][step].size(); ++i) {
            size = std::max(size, std::abs(stress[0][step][i]));
            apart = std::max(apart, std::abs(stress[1][step][i] - stress[0][step][i]));
        }
        EXPECT_LT(apart, 1e-10 * size) << step;
    }
}

/// u after five steps of a Maxwell time at the nodes of the whole mesh [node][3][4].
std::vector<double> relaxed(int ranks) {
    std::vector<double> whole;
    comm::run_as_threads(ranks, [&](comm::Comm& comm) {
        device::Queue queue;
        const FaultModel fault(comm, Element::NodalDilatation);
        SolverParams params;
        params.cg.tolerance = 1e-10;
        PackSolver solver(fault.model, {kMaxwellTime_s, 5, 1.0}, params, Polynomial::Cubic, comm,
                          queue);
        solver.start(fault.offsets(fault.unit_slip({0, 1})));
        while (!solver.finished()) {
            const StepResult step = solver.advance();
            EXPECT_TRUE(step.lanes[0].ok());
        }
        const auto mine = fault.whole(solver.displacement(), comm);
        if (comm.rank() == 0) {
            whole = mine;
        }
    });
    return whole;
}

TEST(NodalDilatation, ThreeRanksGiveTheMotionOfOne) {
    const auto one = relaxed(1);
    const auto three = relaxed(3);
    ASSERT_EQ(one.size(), three.size());
    double moved = 0.0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        moved = std::max(moved, std::abs(one[i]));
        ASSERT_NEAR(three[i], one[i], 1e-8);
    }
    EXPECT_GT(moved, 0.1);
}

TEST(NodalDilatation, ALaneThatFailsLeavesNothingBehind) {
    comm::SerialComm comm;
    device::Queue queue;
    const FaultModel fault(comm, Element::NodalDilatation);
    PackSolver solver(fault.model, {kMaxwellTime_s, 3, 0.5}, {}, Polynomial::Cubic, comm, queue);
    PackSlip slip = fault.unit_slip({0, 2});
    slip[2][0].x = std::numeric_limits<double>::quiet_NaN();
    solver.start(fault.offsets(slip));
    bool failed = false;
    while (!solver.finished()) {
        const StepResult step = solver.advance();
        EXPECT_TRUE(step.lanes[0].ok());
        failed = failed || !step.lanes[2].ok();
    }
    EXPECT_TRUE(failed);
    const auto stress = solver.stress();
    for (std::size_t i = 2; i < stress.size(); i += kLanes) {
        ASSERT_EQ(stress[i], 0.0);
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::nodal_dilatation_test
