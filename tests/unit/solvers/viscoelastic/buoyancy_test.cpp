// SPDX-License-Identifier: BSD-3-Clause
// Displaced surfaces of density: columns and a relaxing half-space with closed forms, and both ways
// through time.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "solvers/viscoelastic/stepping/multistep_solver.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"
#include "tests/unit/solvers/viscoelastic/spectrum_motion.hpp"

namespace kaname::viscoelastic::buoyancy_test {
namespace {

using lanes::kLanes;
using predictors::Polynomial;
using Kind = BoundaryCondition::Kind;

earth::Material heavy(double density_kg_m3, double lambda_pa, double mu_pa,
                      std::optional<double> viscosity_pa_s = std::nullopt) {
    earth::Material material = rock(lambda_pa, mu_pa, viscosity_pa_s);
    material.density_kg_m3 = density_kg_m3;
    return material;
}

/// No motion across the sides of a box.
std::vector<BoundaryCondition> rollers() {
    return {{mesh::Side::West, 0},
            {mesh::Side::East, 0},
            {mesh::Side::South, 1},
            {mesh::Side::North, 1},
            {mesh::Side::Bottom, 2}};
}

/// Vertical motion of the four sources at the vertex nearest to a place.
std::array<double, kLanes> vertical_at(const BoxModel& box, std::span<const double> u, Vec3 x) {
    const p2::LocalMesh& mesh = box.model.mesh();
    const auto nearest = std::ranges::min_element(mesh.node_xyz, {},
                                                  [&](const Vec3& node) { return norm(node - x); });
    const auto node = static_cast<std::size_t>(nearest - mesh.node_xyz.begin());
    std::array<double, kLanes> up{};
    std::copy_n(u.data() + (node * 3 + 2) * kLanes, kLanes, up.begin());
    return up;
}

TEST(Buoyancy, HoldsAColumnBackAtItsTopAndAtEveryContrast) {
    // A column of two layers whose foot is raised by 1 m: M1 (u1 - 1)/H1 = M2 (u2 - u1)/H2 +
    // (rho1 - rho2) g u1, M2 (u2 - u1)/H2 = -rho2 g u2. Soft enough for gravity to matter.
    comm::SerialComm comm;
    device::Queue queue;
    const double H = 20e3;
    const std::vector<earth::Material> rocks = {heavy(2600.0, 1e9, 1e9), heavy(3300.0, 3e9, 1e9)};
    auto conditions = rollers();
    conditions.back().kind = Kind::Prescribed;
    conditions.back().value = [](const Vec3&, double, int) { return 1.0; };
    const test::BoxMesh column{.cells = {2, 2, 4},
                               .low = {0.0, 0.0, -2.0 * H},
                               .high = {20e3, 20e3, 0.0},
                               .material = [H](const Vec3& x) { return x.z > -H ? 0 : 1; }};
    const double M1 = 5e9, M2 = 3e9;
    const double top = kGravity_m_s2 * 2600.0, middle = kGravity_m_s2 * 700.0;
    const double ratio = 1.0 + top * H / M2;  // u1 / u2
    const double u2 = M1 / H / ((M1 / H + middle) * ratio + top);

    comm::run_as_threads(2, [&](comm::Comm& ranks) {
        device::Queue own;
        const BoxModel box(column, rocks, conditions, ranks, Element::P2, Gravity::Buoyancy);
        PackSolver solver(box.model, {}, tight(1e-13), Polynomial::None, ranks, own);
        solver.start({});
        EXPECT_TRUE(solver.advance().lanes[0].ok());
        for (const auto& [z, wanted] : {std::pair(0.0, u2), std::pair(-H, ratio * u2)}) {
            for (std::int32_t node = 0; node < box.model.mesh().n_nodes(); ++node) {
                if (std::abs(box.model.mesh().node_xyz[node].z - z) < 1.0) {
                    EXPECT_NEAR(solver.displacement()[(std::size_t(node) * 3 + 2) * kLanes], wanted,
                                1e-11);
                }
            }
        }
    });
    EXPECT_LT(u2, 0.9);  // gravity matters here
}

TEST(Buoyancy, WaterTakesItsPartOfASeaFloor) {
    comm::SerialComm comm;
    const auto stiffness = [&](double top_m) {
        const test::BoxMesh box{
            .cells = {1, 1, 1}, .low = {0.0, 0.0, -20e3}, .high = {10e3, 10e3, top_m}};
        const BoxModel model(box, {heavy(2800.0, 3e10, 3e10)}, rollers(), comm, Element::P2,
                             Gravity::Buoyancy);
        const auto& val = model.model.buoyancy()->rows().val;
        return model.model.scales().modulus_pa * model.model.scales().length_m *
               std::accumulate(val.begin(), val.end(), 0.0);
    };
    EXPECT_NEAR(stiffness(0.0), 2800.0 * kGravity_m_s2 * 1e8, 1.0);
    EXPECT_NEAR(stiffness(-3e3), 1775.0 * kGravity_m_s2 * 1e8, 1.0);
}

TEST(Buoyancy, LumpedWeightsHaveTheEnergyOfLinearMotion) {
    comm::SerialComm comm;
    test::BoxMesh rough = distorted_box();
    const BoxModel box(rough, {heavy(2700.0, 3e10, 3e10), heavy(3300.0, 6e10, 4e10)}, rollers(),
                       comm, Element::P2, Gravity::Buoyancy);
    const Buoyancy::Rows& rows = box.model.buoyancy()->rows();
    const Buoyancy::Rows& lumped = box.model.buoyancy()->lumped();
    const auto energy = [&](const Buoyancy::Rows& of, const Vec3& slope) {
        const auto motion = [&](std::int32_t node) {
            return 1.0 + 1e-3 * dot(slope, box.model.mesh().node_xyz[node]);
        };
        double sum = 0.0;
        for (std::size_t row = 0; row < of.node.size(); ++row) {
            for (std::int32_t k = of.ptr[row]; k < of.ptr[row + 1]; ++k) {
                sum += motion(of.node[row]) * of.val[k] * motion(of.col[k]);
            }
        }
        return sum;
    };

    for (const Vec3& slope : {Vec3{}, Vec3{0.3, -0.2, 0.1}, Vec3{-1.0, 2.0, 0.5}}) {
        EXPECT_NEAR(energy(lumped, slope), energy(rows, slope), 1e-12 * energy(rows, slope));
    }
    EXPECT_EQ(lumped.node, lumped.col);
    EXPECT_LT(lumped.col.size() * 8, rows.col.size());
}

TEST(Buoyancy, LumpedWeightsPreconditionGravityAsStrongAsRock) {
    // Elements so large and rock so soft that [rho] g h is 2.6 mu.
    comm::SerialComm comm;
    device::Queue queue;
    const test::BoxMesh wide{.cells = {8, 8, 4},
                             .low = {-800e3, -800e3, -400e3},
                             .high = {800e3, 800e3, 0.0},
                             .material = [](const Vec3& x) { return x.z > -1e5 ? 0 : 1; }};
    auto conditions = rollers();
    conditions.push_back({mesh::Side::Top, 2, Kind::Traction,
                          [](const Vec3& x, double, int) { return x.x > 0.0 ? 1e6 : 0.0; }});
    const BoxModel box(wide, {heavy(2700.0, 3e10, 2e9), heavy(3300.0, 3e10, 1e9)}, conditions, comm,
                       Element::P2, Gravity::Buoyancy);
    PackSolver solver(box.model, {}, tight(1e-10), Polynomial::None, comm, queue);

    solver.start({});
    const linalg::LaneResult lane = solver.advance().lanes[0];

    EXPECT_TRUE(lane.ok());
    // 22 with all entries, 23 with the lumped ones, 25 without any in the P2 operator.
    EXPECT_LE(lane.iterations, 24);
}

TEST(Buoyancy, ALoadOnARelaxingHalfSpaceSinksToItsIsostaticPlace) {
    // Pressure p cos(k x) from t = 0 on. Of an elastic half-space w = p C, C = (lambda + 2 mu) /
    // (2 mu (lambda + mu) k); with gravity 1/w = 1/C + rho g over p, and in time by Laplace.
    comm::SerialComm comm;
    device::Queue queue;
    constexpr double kHalfWave_m = 400e3, kDensity = 3300.0, kModulus_pa = 4e10;
    constexpr double kViscosity_pa_s = 1e20, kPressure_pa = 1e7;
    constexpr double kTau_s = kViscosity_pa_s / kModulus_pa;
    const double k = std::numbers::pi / kHalfWave_m;
    const auto sinks = [&](double t_s) {
        using Complex = std::complex<double>;
        constexpr int kPoints = 24;  // fixed Talbot contour, Abate and Valko (2004)
        const auto w = [&](Complex s) {
            const Complex mu = kModulus_pa * s / (s + 1.0 / kTau_s);
            const Complex lambda = kModulus_pa * 5.0 / 3.0 - 2.0 / 3.0 * mu;
            const Complex C = (lambda + 2.0 * mu) / (2.0 * mu * (lambda + mu) * k);
            return kPressure_pa / (1.0 / C + kDensity * kGravity_m_s2) / s;
        };
        const double r = 2.0 * kPoints / (5.0 * t_s);
        double sum = 0.5 * std::exp(r * t_s) * w({r, 0.0}).real();
        for (int n = 1; n < kPoints; ++n) {
            const double theta = n * std::numbers::pi / kPoints;
            const double cot = 1.0 / std::tan(theta);
            const Complex s = r * theta * Complex(cot, 1.0);
            sum +=
                (std::exp(t_s * s) * w(s) * Complex(1.0, theta + (theta * cot - 1.0) * cot)).real();
        }
        return -r / kPoints * sum;
    };
    auto conditions = rollers();
    conditions.push_back({mesh::Side::Top, 2, Kind::Traction, [k](const Vec3& x, double, int) {
                              return -kPressure_pa * std::cos(k * x.x);
                          }});
    const test::BoxMesh body{
        .cells = {10, 1, 24}, .low = {0.0, 0.0, -1000e3}, .high = {kHalfWave_m, 50e3, 0.0}};
    for (const Element element : {Element::P2, Element::NodalDilatation}) {
        const BoxModel box(body, {heavy(kDensity, kModulus_pa, kModulus_pa, kViscosity_pa_s)},
                           conditions, comm, element, Gravity::Buoyancy);
        const double step_s = 0.5 * kTau_s;
        PackSolver solver(box.model, {step_s, 120, 0.5}, tight(1e-9), Polynomial::Cubic, comm,
                          queue);
        solver.start({});
        while (!solver.finished()) {
            const StepResult step = solver.advance();
            ASSERT_TRUE(step.lanes[0].ok());
            if (step.step % 12 == 0) {
                const double found = vertical_at(box, solver.displacement(), {})[0];
                EXPECT_NEAR(found / sinks(std::max(step.time_s, 1e-3 * step_s)), 1.0,
                            element == Element::P2 ? 5e-3 : 2e-3)
                    << step.step;
            }
        }
    }
    EXPECT_GT(sinks(60.0 * kTau_s) / (-kPressure_pa / (kDensity * kGravity_m_s2)), 0.9);
}

/// A vertical fault that breaks the surface and crosses a contrast; dip slip and strike slip.
struct Sinking : BoxModel {
    explicit Sinking(comm::Comm& comm, Element element)
        : BoxModel(
              test::BoxMesh{
                  .cells = {4, 3, 2},
                  .low = {0.0, 0.0, -20e3},
                  .high = {40e3, 30e3, 0.0},
                  .faults = {{.axis = 0, .index = 2, .low = {0, 1, 0}, .high = {0, 2, 2}}},
                  .material = [](const Vec3& x) { return x.z > -10e3 ? 0 : 1; }},
              // Soft, so that gravity changes the motion much.
              {heavy(2700.0, 1e9, 1e9), heavy(3300.0, 1e9, 1e9, 1e9 * kRelaxation_s)},
              clamped({mesh::Side::West, mesh::Side::East, mesh::Side::South, mesh::Side::North,
                       mesh::Side::Bottom}),
              comm, element, Gravity::Buoyancy),
          split(fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz)) {}

    [[nodiscard]] std::vector<ElementOffset> offsets() const {
        PackSlip slip;
        slip[0].assign(split.split.size(), {0.0, 1.0, 0.0});
        slip[2].assign(split.split.size(), {0.0, 0.0, 1.0});
        return element_offsets(model, dofs, split, slip);
    }

    static constexpr double kRelaxation_s = 1e8;
    fault::SplitNodes split;
};

class SinkingInTime : public testing::TestWithParam<Element> {};

TEST_P(SinkingInTime, StepsTendToTheRelaxationSpectrum) {
    comm::SerialComm comm;
    device::Queue queue;
    const Sinking fault(comm, GetParam());
    const double end_s = 1.5 * Sinking::kRelaxation_s;
    const RelaxationGroups groups = relaxation_groups(fault.model.materials(), GetParam());
    Observer everywhere(fault.model, p2::locate_points(fault.mesh, fault.mesh.xyz), queue);
    SpectrumParams params;
    params.end_s = 10.0 * Sinking::kRelaxation_s;
    params.tolerance = 1e-6;
    SpectrumSolver spectrum(fault.model, groups, params, tight(1e-9), everywhere, comm, queue);
    (void)spectrum.start(fault.offsets());
    while (spectrum.advance()) {
    }
    ASSERT_TRUE(spectrum.reached());
    const auto c = spectrum.reduced().modes(groups.relaxation).at(end_s);
    const auto exact = motion_of(spectrum, c, fault.model, queue);
    std::vector<double> error;
    for (const int n : {12, 24}) {
        PackSolver solver(fault.model, {end_s / n, n, 0.5}, tight(1e-11), Polynomial::Cubic, comm,
                          queue);
        solver.start(fault.offsets());
        std::vector<double> first(fault.model.vector_size());
        double apart = 0.0;
        double size = 0.0;
        while (!solver.finished()) {
            const StepResult step = solver.advance();
            ASSERT_TRUE(step.lanes[0].ok() && step.lanes[2].ok());
            for (std::size_t i = 0; i < first.size(); ++i) {
                const double u = solver.displacement()[i];
                first[i] = step.step == 0 ? u : first[i];
                if (solver.finished()) {
                    apart = std::max(apart, std::abs(u - first[i] - exact[i]));
                    size = std::max(size, std::abs(exact[i]));
                }
            }
        }
        EXPECT_GT(size, 1e-2);
        error.push_back(apart / size);
    }
    EXPECT_LT(error[1], 1e-3);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Buoyancy, SinkingInTime,
                         testing::Values(Element::P2, Element::NodalDilatation),
                         [](const auto& info) {
                             return info.param == Element::P2 ? "p2" : "nodal_dilatation";
                         });

TEST(Buoyancy, PushesBackWhatSlipLifts) {
    // The surface moves less than without gravity, and to neither side of a fault without slip.
    comm::SerialComm comm;
    device::Queue queue;
    const Sinking with(comm, Element::P2);
    const Vec3 beside{30e3, 20e3, 0.0};
    PackSolver solver(with.model, {}, tight(1e-10), Polynomial::None, comm, queue);
    solver.start(with.offsets());
    (void)solver.advance();
    const auto pushed = vertical_at(with, solver.displacement(), beside);

    auto rocks = with.model.materials();
    const Model light(with.mesh, with.dofs, rocks,
                      clamped({mesh::Side::West, mesh::Side::East, mesh::Side::South,
                               mesh::Side::North, mesh::Side::Bottom}),
                      comm);
    PackSolver free(light, {}, tight(1e-10), Polynomial::None, comm, queue);
    free.start(with.offsets());
    (void)free.advance();
    const auto lifted = vertical_at(with, free.displacement(), beside);

    EXPECT_GT(std::abs(lifted[2]), 0.04);
    EXPECT_LT(std::abs(pushed[2]), 0.95 * std::abs(lifted[2]));
    EXPECT_GT(pushed[2] * lifted[2], 0.0);
    EXPECT_EQ(pushed[1], 0.0);
}

TEST(Buoyancy, IsRefusedByTheMultistepMethod) {
    comm::SerialComm comm;
    device::Queue queue;
    const Sinking fault(comm, Element::P2);
    EXPECT_THROW(MultistepSolver(fault.model, {1e7, 9, 0.5}, {}, comm, queue), Error);
}

}  // namespace
}  // namespace kaname::viscoelastic::buoyancy_test
