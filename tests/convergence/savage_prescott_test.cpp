// SPDX-License-Identifier: BSD-3-Clause
// Earthquake cycles on a strike-slip fault of infinite length that is locked in the upper half of
// an elastic lid over a Maxwell half-space (Savage and Prescott 1978): every 200 years it catches
// up with plates that move past each other by 2 cm a year. The motion is that of the plates plus
// the convolution of one step response with the fault's backslip and events. Values to four digits
// from the image series.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/device/threads.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/pack_run.hpp"
#include "worker/jobs/greens/step_response.hpp"

namespace kaname::convergence::savage_prescott_test {
namespace {

constexpr double kLid_m = 40e3;
constexpr double kLocked_m = 20e3;
constexpr double kMu_pa = 30e9;
constexpr double kTau_s = 25.0 * kJulianYear_s;
constexpr double kCycle_s = 200.0 * kJulianYear_s;
constexpr double kEvent_m = 4.0;
constexpr int kCycles = 10;
constexpr int kUniform = 8;  ///< lattice lines; beyond them each cell is 1.6 times the one before
constexpr double kGrowth = 1.6;
constexpr int kFaultCells = 4;
constexpr int kLidCells = 8;
constexpr int kCells = 21;  ///< cells, which reach 150 lids away

// Slip of one down to a rim without slip acts as if it ended h/6 above the rim.
constexpr double kCell_m = kLocked_m / (kFaultCells - 1.0 / 6.0);

double beyond(double cell_m, double n) {
    return cell_m * kGrowth * (std::pow(kGrowth, n) - 1.0) / (kGrowth - 1.0);
}
/// Distance of lattice line n from the fault.
double distance(double n) {
    return n <= kUniform ? n * kCell_m : kUniform * kCell_m + beyond(kCell_m, n - kUniform);
}
/// Depth of line n of the lattice [m]: lines lie at the fault's rim and under the lid.
double depth(double n) {
    if (n <= kFaultCells) {
        return n * kCell_m;
    }
    const double cell = (kLid_m - kFaultCells * kCell_m) / (kLidCells - kFaultCells);
    return n <= kLidCells ? kFaultCells * kCell_m + (n - kFaultCells) * cell
                          : kLid_m + beyond(cell, n - kLidCells);
}

class SavagePrescott : public testing::Test {
protected:
    /// Step response at the points, for ten cycles.
    void SetUp() override {
        device::set_threads(1);
        test::BoxMesh box;
        box.cells = {2 * kCells, 1, kCells};
        box.low = {-kCells, 0.0, -kCells};
        box.high = {kCells, 1.0, 0.0};
        box.faults = {{.axis = 0,
                       .index = kCells,
                       .low = {0, 0, kCells - kFaultCells},
                       .high = {0, 1, kCells}}};
        box.move = [](const Vec3& x) {
            return Vec3{std::copysign(distance(std::abs(x.x)), x.x), x.y * kLid_m, -depth(-x.z)};
        };
        box.material = [](const Vec3& x) { return x.z > -kLid_m ? 0 : 1; };
        const mesh::TetMesh mesh = box.build();

        test::PackRun run;
        run.mesh = &mesh;
        run.materials = {{"lid", kMu_pa, kMu_pa, 0.0, std::nullopt},
                         {"mantle", kMu_pa, kMu_pa, 0.0, kTau_s * kMu_pa}};
        for (const mesh::Side side : {mesh::Side::South, mesh::Side::North}) {
            run.conditions.push_back({side, 0});
            run.conditions.push_back({side, 2});
        }
        for (const mesh::Side side : {mesh::Side::West, mesh::Side::East, mesh::Side::Bottom}) {
            for (int comp = 0; comp < 3; ++comp) {
                run.conditions.push_back({side, comp});
            }
        }
        run.slip[0] = [](const Vec3& x) {
            return Vec3{0.0, x.z > -(kFaultCells - 0.01) * kCell_m ? 1.0 : 0.0, 0.0};
        };
        constexpr double dt_s = 10.0 * kJulianYear_s;  // then up to 1.6 Maxwell times
        run.grid = {dt_s, 20, 0.5, {{2.0 * dt_s, 20}, {4.0 * dt_s, 35}}};
        run.params.cg.max_iterations = 5000;  // thin cells far away
        run.params.cg.tolerance = 1e-4;       // the bounds are 1e-3, and 1e-6 changes 4e-6
        run.predictor = viscoelastic::predictor_params(viscoelastic::PredictorKind::Projection,
                                                       run.params.cg.tolerance);
        std::vector<Vec3> points;
        for (const double x : kDistance_m) {
            points.push_back({x, 0.4 * kLid_m, 0.0});
        }
        run.places = p2::locate_points(mesh, points);
        const auto history = test::run_pack(run);
        for (std::size_t step = 0; step < history.steps.size(); ++step) {
            times_s_.push_back(history.steps[step].time_s);
            for (std::size_t k = 0; k < kDistance_m.size(); ++k) {
                response_.push_back(history.at(static_cast<int>(step), k, 0).y);
            }
        }
    }

    /// Motion of the points since before all, with this slip on the fault.
    std::vector<double> motion(const jobs::SlipHistory& slip, double t_s) const {
        const jobs::SourceTimeFunction function(slip, kCycles * kCycle_s);
        std::vector<double> u(kDistance_m.size(), 0.0);
        for (const auto& part : function.parts(t_s, times_s_)) {
            const jobs::TimeInterpolation at(times_s_, std::vector<double>{part.lag_s});
            const auto value = at.apply(response_, u.size());
            for (std::size_t k = 0; k < u.size(); ++k) {
                u[k] += part.slip * value[k];
            }
        }
        return u;
    }
    void expect(const std::string& name, double found, double right, double share) {
        RecordProperty(name, std::to_string(found) + " for " + std::to_string(right));
        EXPECT_NEAR(found, right, share * right) << name;
    }

    static constexpr std::array<double, 4> kDistance_m = {20e3, 50e3, 100e3, 5e3};
    std::vector<double> times_s_;
    std::vector<double> response_;  ///< [step][point] of 1 m
};

TEST_F(SavagePrescott, OneEventAndTheTenthCycle) {
    const double right_after_event[3][3] = {// 0, 50, 200 years
                                            {1.0000, 1.1122, 1.2145},
                                            {0.4845, 0.6987, 0.9125},
                                            {0.2513, 0.4936, 0.7902}};
    const double right_in_cycle[3][3] = {// 50, 100, 200 years after the ninth event
                                         {0.3137, 0.5666, 0.9998},
                                         {0.4977, 0.8842, 1.5149},
                                         {0.5639, 1.0153, 1.7475}};

    const double years[] = {0.0, 50.0, 200.0};
    for (int epoch = 0; epoch < 3; ++epoch) {
        const auto u =
            motion({.kind = jobs::HistoryKind::Table, .times_s = {0.0}, .slip = {kEvent_m}},
                   years[epoch] * kJulianYear_s);
        for (std::size_t k = 0; k < 3; ++k) {
            expect("event_epoch" + std::to_string(epoch) + "_point" + std::to_string(k), u[k],
                   right_after_event[k][epoch], 1e-3);
        }
    }

    jobs::SlipHistory slip{.kind = jobs::HistoryKind::Table, .times_s = {0.0}, .slip = {0.0}};
    for (int cycle = 1; cycle < kCycles; ++cycle) {
        slip.times_s.insert(slip.times_s.end(), 2, cycle * kCycle_s);
        slip.slip.insert(slip.slip.end(), {-kEvent_m, 0.0});
    }
    slip.times_s.push_back(kCycles * kCycle_s);
    slip.slip.push_back(-kEvent_m);
    const double event_s = (kCycles - 1) * kCycle_s;
    const auto start = motion(slip, event_s);
    const double years_in_cycle[] = {50.0, 100.0, 200.0};
    std::vector<double> last;
    for (int epoch = 0; epoch < 3; ++epoch) {
        const double since_s = years_in_cycle[epoch] * kJulianYear_s;
        const double plate_m = 0.5 * kEvent_m * since_s / kCycle_s;
        last = motion(slip, event_s + since_s);
        for (std::size_t k = 0; k < last.size(); ++k) {
            last[k] += plate_m - start[k];
        }
        for (std::size_t k = 0; k < 3; ++k) {
            expect("cycle_epoch" + std::to_string(epoch) + "_point" + std::to_string(k), last[k],
                   right_in_cycle[k][epoch], 1e-3);
        }
    }
    // Beside the fault an event makes good what the plates moved since the one before.
    expect("cycle_and_event", last[3] + kEvent_m * response_[3], 2.0, 1e-3);
}

}  // namespace
}  // namespace kaname::convergence::savage_prescott_test
