// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/device/threads.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/pack_run.hpp"

// A block under uniform strain or stress: exact in space, so what is left is the time scheme. Per
// mode exp(-t/T) the generalised trapezoidal rule gives r^n with
//   r = (1 - (1 - alpha) z) / (1 + alpha z),  z = dt/T,
// and it integrates linear growth exactly.
namespace kaname::convergence {

using Kind = viscoelastic::BoundaryCondition::Kind;
using lanes::kLanes;
using mesh::Side;

// The column of PyLith's test axialtraction_maxwell: rho 2500, vs 3464.1016, vp 6000, eta/mu 1 yr.
inline constexpr double kMu_pa = 30e9;
inline constexpr double kLambda_pa = 30e9;
inline constexpr double kKappa_pa = kLambda_pa + 2.0 * kMu_pa / 3.0;
inline constexpr double kTau_s = kJulianYear_s;
inline constexpr double kSize_m = 8e3;
/// Tolerance of the solver, so small that its error stays out of the comparison.
inline constexpr double kTolerance = 1e-12;

inline double factor(double alpha, double z) {
    return (1.0 - (1.0 - alpha) * z) / (1.0 + alpha * z);
}

class Block : public testing::Test {
protected:
    void SetUp() override {
        device::set_threads(1);
        box_.cells = {2, 2, 3};
        box_.high = {kSize_m, kSize_m, kSize_m};
        box_.move = [](const Vec3& x) {  // no symmetry that could hide a mistake
            const auto bump = [](double t) { return t * (kSize_m - t) / kSize_m; };
            const double all = bump(x.x) * bump(x.y) * bump(x.z) / (kSize_m * kSize_m);
            return x + Vec3{0.9 * all, -1.1 * all, 0.7 * all};
        };
        run_.materials = {{"rock", kLambda_pa, kMu_pa, 2500.0, kTau_s * kMu_pa}};
        run_.params.cg.tolerance = kTolerance;
        run_.keep_stress = true;
    }

    /// Displacement of the top's middle.
    test::PackHistory run(double dt_s, int n_steps, double alpha) {
        mesh_ = box_.build();
        const std::array<Vec3, 1> top = {Vec3{kSize_m / 2, kSize_m / 2, kSize_m}};
        run_.mesh = &mesh_;
        run_.places = p2::locate_points(mesh_, top);
        run_.grid = {dt_s, n_steps, alpha};
        return test::run_pack(run_);
    }

    void roller(Side side, int component) { run_.conditions.push_back({side, component}); }
    void load(Side side, int component, double traction_pa) {
        // Lane k carries k times the load: lane 0 stays empty.
        run_.conditions.push_back(
            {side, component, Kind::Traction,
             [=](const Vec3&, double, int lane) { return lane * traction_pa; }});
    }
    /// Rollers on all sides but the top: uniaxial strain.
    void confine() {
        for (const auto& [side, component] : {std::pair{Side::West, 0},
                                              {Side::East, 0},
                                              {Side::South, 1},
                                              {Side::North, 1},
                                              {Side::Bottom, 2}}) {
            roller(side, component);
        }
    }

    test::BoxMesh box_;
    mesh::TetMesh mesh_;
    test::PackRun run_;
};

/// Stress component of one step and lane; fails unless it is the same everywhere.
inline double uniform_stress(const test::PackHistory& history, int step, int comp, int lane) {
    const auto& stress = history.stress_pa[step];
    const double first = stress[comp * kLanes + lane];
    double largest = 0.0;
    for (const double value : stress) {
        largest = std::max(largest, std::abs(value));
    }
    for (std::size_t at = comp * kLanes + lane; at < stress.size(); at += 6 * kLanes) {
        EXPECT_NEAR(stress[at], first, 1e-9 * largest);
    }
    return first;
}

struct TimeCase {
    double alpha;
    double dt_in_tau;
};
inline std::string name_of(const TimeCase& when) {
    return "Alpha" + std::to_string(std::lround(100 * when.alpha)) + "Dt" +
           std::to_string(std::lround(10 * when.dt_in_tau));
}

}  // namespace kaname::convergence
