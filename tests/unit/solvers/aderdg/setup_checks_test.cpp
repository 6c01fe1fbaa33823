// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/fault_box.hpp"
#include "tests/support/validation.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::setup_checks_test {
namespace {

struct Problem {
    WaveModel model = box_of_cubes({3, 3, 3}, {0, 0, 0}, {1, 1, 1}, solid_of(1, 2, 1));
    WaveParams params;
    WavePoints points;

    Problem() {
        params.end_s = 0.1;
        params.interval_s = 0.01;
        PointSource source;
        source.at = tet_at(model, {0.5, 0.4, 0.3});
        source.rate = [](double) { return 1.0; };
        points.sources = {source};
        points.receivers = {source.at};
        points.peaks = {source.at};
    }
};

/// Fields that are named when a good setup is changed.
std::vector<std::string> named(const std::function<void(Problem&)>& change) {
    Problem problem;
    change(problem);
    return test::violated([&] {
        comm::SerialComm comm;
        static_cast<void>(make_wave_solver(problem.model, problem.params, problem.points, comm));
    });
}

using Fields = std::vector<std::string>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SetupChecks, AGoodSetupPasses) {
    EXPECT_EQ(named([](Problem&) {}), Fields{});
}

TEST(SetupChecks, SolidsAreNamed) {
    EXPECT_EQ(named([](Problem& s) { s.model.solids.clear(); }), Fields{"model.solids"});
    EXPECT_EQ(named([](Problem& s) { s.model.solids[0].density_kg_m3 = 0.0; }),
              Fields{"model.solids[0].density_kg_m3"});
    EXPECT_EQ(named([](Problem& s) { s.model.solids[0].mu_pa = kNan; }).front(),
              "model.solids[0].mu_pa");
    EXPECT_EQ(named([](Problem& s) { s.model.solids[0].mu_pa = -0.1; }),
              Fields{"model.solids[0].mu_pa"});
    EXPECT_EQ(named([](Problem& s) { s.model.solids[0].lambda_pa = -0.67; }),
              Fields{"model.solids[0].lambda_pa"});
    EXPECT_EQ(named([](Problem& s) {
                  s.model.solids.push_back(s.model.solids[0]);
                  s.model.solids[1].mechanisms.push_back({1.0, 0.1, 0.1});
              }),
              Fields{"model.solids[1].mechanisms"});
    EXPECT_EQ(named([](Problem& s) {
                  s.model.solids[0].mechanisms.assign(9, {1.0, 0.01, 0.01});
              }),
              Fields{"model.solids[0].mechanisms"});
    EXPECT_EQ(named([](Problem& s) {
                  s.model.solids[0].mechanisms = {{0.0, 0.1, 0.1}};
              }),
              Fields{"model.solids[0].mechanisms.omega_per_s"});
}

TEST(SetupChecks, AllThatIsWrongIsNamedAtOnce) {
    EXPECT_EQ(named([](Problem& s) {
                  s.params.order = 8;
                  s.params.lanes = 0;
                  s.params.end_s = kInfinity;
                  s.params.interval_s = 0.0;
                  s.params.cfl = 1.5;
                  s.params.least_wiggle = 0.5;
              }),
              (Fields{"params.order", "params.lanes", "params.end_s", "params.interval_s",
                      "params.cfl", "params.least_wiggle"}));
    EXPECT_EQ(named([](Problem& s) {
                  s.params.order = 1;
                  s.params.lanes = 5;
                  s.params.end_s = 0.0;
                  s.params.interval_s = kInfinity;
                  s.params.cfl = -0.1;
                  s.params.least_wiggle = 1.1;
              }).size(),
              6U);
    EXPECT_EQ(named([](Problem& s) {
                  s.model.mesh.tets.clear();
                  s.model.mesh.material.clear();
              }),
              Fields{"model.mesh"});
}

TEST(SetupChecks, PlasticityIsNamed) {
    const auto with = [](const YieldPoint& point, double relaxation_s) {
        return named([&](Problem& s) {
            s.model.plasticity = {[point](std::int64_t, const Vec3&) { return point; },
                                  relaxation_s};
        });
    };
    EXPECT_EQ(with({1.0, 0.5, {}}, 0.0), Fields{});
    EXPECT_EQ(with({-1.0, 0.5, {}}, 0.1), Fields{"model.plasticity.at.cohesion_pa"});
    EXPECT_EQ(with({1.0, -0.5, {}}, 0.1), Fields{"model.plasticity.at.friction"});
    EXPECT_EQ(with({1.0, 0.5, {0, 0, kNan, 0, 0, 0}}, 0.1),
              Fields{"model.plasticity.at.stress_pa"});
    EXPECT_EQ(with({1.0, 0.5, {}}, -0.1), Fields{"model.plasticity.relaxation_s"});
    EXPECT_EQ(named([](Problem& s) {
                  s.params.lanes = 2;
                  s.model.plasticity.at = [](std::int64_t, const Vec3&) { return YieldPoint{}; };
              }),
              Fields{"params.lanes"});
}

TEST(SetupChecks, GravityAndLiquidsAreNamed) {
    EXPECT_EQ(named([](Problem& s) {
                  s.model.surfaces[static_cast<int>(mesh::Side::Top)] = Boundary::Gravity;
                  s.model.gravity_m_s2 = 0.0;
              }),
              Fields{"model.gravity_m_s2"});
    const auto faulted = [](double vs_m_per_s) {
        return named([&](Problem& s) {
            s.model = box_of_cubes({2, 2, 2}, {-1, -1, -1}, {1, 1, 1}, solid_of(1, 2, vs_m_per_s));
            add_fault(s.model, 0.0);
            s.model.fault.laws = {rupture::FrictionLaw::LinearSlipWeakening};
            s.model.fault.at = [](const rupture::FaultPlace&) {
                return weakening(-10.0, 5.0, 0.6, 0.5, 0.1);
            };
            s.points = {};
        });
    };
    EXPECT_EQ(faulted(1.0), Fields{});
    EXPECT_EQ(faulted(0.0), Fields{"model.mesh.fault_faces[0]"});
}

TEST(SetupChecks, PointsAreNamed) {
    EXPECT_EQ(named([](Problem& s) { s.points.sources[0].at.tet = 135; }),
              Fields{"sources[0].at.tet"});
    EXPECT_EQ(named([](Problem& s) { s.points.sources[0].at.at_m.x += 0.5; }),
              Fields{"sources[0].at.at_m"});
    EXPECT_EQ(named([](Problem& s) { s.points.sources[0].lane = 1; }), Fields{"sources[0].lane"});
    EXPECT_EQ(named([](Problem& s) { s.points.sources[0].rate = nullptr; }),
              Fields{"sources[0].rate"});
    EXPECT_EQ(named([](Problem& s) {
                  s.points.receivers[0].tet = -1;
                  s.points.peaks[0].at_m = {2, 2, kNan};
              }),
              (Fields{"receivers[0].tet", "peaks[0].at_m"}));
}

TEST(SetupChecks, MaterialsAndSidesAreThoseOfTheModel) {
    EXPECT_EQ(named([](Problem& s) { s.model.mesh.material[5] = 3; }),
              Fields{"model.mesh.material[5]"});
    EXPECT_EQ(named([](Problem& s) { s.model.surfaces.clear(); }), Fields{"model.surfaces"});
    EXPECT_EQ(named([](Problem& s) { s.model.mesh.material.pop_back(); }),
              Fields{"model.mesh.material"});
    EXPECT_EQ(named([](Problem& s) {
                  s.model.periodic = {{mesh::SurfaceId(0), mesh::SurfaceId(6)}};
              }),
              Fields{"model.periodic"});
}

}  // namespace
}  // namespace kaname::aderdg::setup_checks_test
