// SPDX-License-Identifier: BSD-3-Clause
// A strike-slip fault of infinite length in an elastic lid over a Maxwell half-space of the same
// shear modulus (Nur and Mavko 1974; Savage and Prescott 1978). The motion is antiplane, so a slice
// of one cell along strike with rollers that leave the strike component free is the whole problem.
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "tests/convergence/half_space.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::convergence::nur_mavko_test {
namespace {

constexpr double kLid_m = 16e3;
constexpr double kFaultDepth_m = 8e3;
constexpr int kCellsPerLid = 4;
constexpr int kUniformCells = 8;  // beyond, each cell is 1.45 times the one before
constexpr int kCells = 23;        // cells, which reach 400 lids away
constexpr double kGrowth = 1.45;
constexpr double kPerTau = 10;
constexpr int kMostImages = 60;
constexpr double kTolerance = 1e-4;  // the motion that is judged to 8e-4 is that of 1e-6

/// Slip at depth d: one at the surface, zero with its slope at the fault's lower edge.
double slip_at(double d) {
    return std::pow(std::cos(0.5 * std::numbers::pi * d / kFaultDepth_m), 2);
}

/// Distance of lattice line n from the fault, or its depth.
double stretched(double n) {
    const double h = kLid_m / kCellsPerLid;
    if (n <= kUniformCells) {
        return n * h;
    }
    const double beyond = n - kUniformCells;
    return h * (kUniformCells + kGrowth * (std::pow(kGrowth, beyond) - 1.0) / (kGrowth - 1.0));
}

/// Image n counts by 1 - exp(-T) sum_{m < n} T^m / m!, T = t / (2 tau): the reflection coefficient
/// of the half-space to the power n, back from the Laplace domain.
double image_weight(int n, double t_s) {
    const double T = t_s / (2.0 * kMaxwellTime_s);
    double term = std::exp(-T);
    double sum = 0.0;
    for (int m = 0; m < n; ++m) {
        sum += term;
        term *= T / (m + 1);
    }
    return 1.0 - sum;
}

/// Motion along strike at the surface, x > 0 from the fault, of unit slip down to depth D.
double of_uniform_slip(double x, double D, double t_s) {
    double u = std::atan(D / x);
    for (int n = 1; n <= kMostImages; ++n) {
        const double image = 2.0 * n * kLid_m;
        u += image_weight(n, t_s) * (std::atan((image + D) / x) - std::atan((image - D) / x));
    }
    return u / std::numbers::pi;
}

/// Motion for the slip of slip_at: the sum over uniform slips that end at D, weighed by -slip'(D),
/// by Simpson's rule.
double exact(double x, double t_s) {
    constexpr int kIntervals = 200;
    const double h = kFaultDepth_m / kIntervals;
    double sum = 0.0;
    for (int k = 0; k <= kIntervals; ++k) {
        const double D = k * h;
        const double slope =
            0.5 * std::numbers::pi / kFaultDepth_m * std::sin(std::numbers::pi * D / kFaultDepth_m);
        const double weight = k == 0 || k == kIntervals ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
        sum += weight * slope * of_uniform_slip(x, D, t_s);
    }
    return sum * h / 3.0;
}

TEST(NurMavko, LidOverMaxwellHalfSpace) {
    device::set_threads(1);
    test::BoxMesh box;
    box.cells = {2 * kCells, 1, kCells};
    box.low = {-kCells, 0.0, -kCells};
    box.high = {kCells, 1.0, 0.0};
    const int fault_cells = static_cast<int>(kFaultDepth_m / kLid_m * kCellsPerLid);
    box.faults = {
        {.axis = 0, .index = kCells, .low = {0, 0, kCells - fault_cells}, .high = {0, 1, kCells}}};
    box.move = [](const Vec3& x) {
        return Vec3{std::copysign(stretched(std::abs(x.x)), x.x), x.y * kLid_m, -stretched(-x.z)};
    };
    box.material = [](const Vec3& x) { return x.z > -kLid_m ? 0 : 1; };
    const mesh::TetMesh mesh = box.build();

    test::PackRun run;
    run.mesh = &mesh;
    run.materials = {rock(), maxwell_rock()};
    for (const mesh::Side side : {mesh::Side::South, mesh::Side::North}) {
        run.conditions.push_back({side, 0});
        run.conditions.push_back({side, 2});
    }
    for (const mesh::Side side : {mesh::Side::West, mesh::Side::East, mesh::Side::Bottom}) {
        for (int comp = 0; comp < 3; ++comp) {
            run.conditions.push_back({side, comp});
        }
    }
    run.slip[0] = [](const Vec3& x) { return Vec3{0.0, slip_at(-x.z), 0.0}; };
    run.grid = {kMaxwellTime_s / kPerTau, static_cast<int>(5 * kPerTau), 0.5};
    run.params.cg.tolerance = kTolerance;
    run.predictor =
        viscoelastic::predictor_params(viscoelastic::PredictorKind::Projection, kTolerance);
    run.params.cg.max_iterations =
        5000;  // the slice's far cells are hundreds of times wider than deep
    std::vector<Vec3> points;
    for (const double lids : {0.25, 0.5, 1.0, 2.0, 4.0}) {
        points.push_back({lids * kLid_m, 0.4 * kLid_m, 0.0});
    }
    run.places = p2::locate_points(mesh, points);

    const auto history = test::run_pack(run);

    for (const double tau : {0.0, 1.0, 2.0, 5.0}) {
        const int step = static_cast<int>(std::lround(tau * kPerTau));
        for (std::size_t k = 0; k < points.size(); ++k) {
            const double t_s = history.steps[step].time_s;
            const double u = history.at(step, k, 0).y;
            const double right = exact(points[k].x, t_s);
            const std::string name =
                "tau" + std::to_string(std::lround(tau)) + "_point" + std::to_string(k);
            RecordProperty(name, std::to_string(u) + " for " + std::to_string(right));
            // A cell from the fault, where the slip's taper spans two cells, and farther away.
            EXPECT_NEAR(u, right, (k == 0 ? 4.1e-3 : 8e-4) * right) << name;
        }
    }
}

}  // namespace
}  // namespace kaname::convergence::nur_mavko_test
