// SPDX-License-Identifier: BSD-3-Clause
// The closed forms that other tests trust (tests/support/okada), checked on their own.
#include "tests/support/okada.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/fault/fault_surface.hpp"

namespace kaname::test::okada_test {
namespace {

constexpr double kLambda = 1.7;
constexpr double kMu = 0.9;
const OkadaMedium kMedium = okada_medium(kLambda, kMu);
const std::array<OkadaSlip, 3> kSlips = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

/// Length 3, width 2, 1.5 deep, strike 35 degrees.
OkadaFault fault_with_dip(double dip_deg) {
    return {{0.3, -0.2, -1.5}, 35.0 * kDegree, dip_deg * kDegree, 3.0, 2.0};
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

Vec3 unit(int comp) {
    Vec3 e;
    e[comp] = 1.0;
    return e;
}

class OkadaDips : public testing::TestWithParam<double> {};

TEST(Okada, ReproducesTable2Case2) {
    // lambda = mu, x = 2, y = 3, depth of the lower edge 4, dip 70, length 3, width 2; x is along
    // strike from the fault's start, so strike 90 makes x east and y north.
    const double dip = 70.0 * kDegree;
    const OkadaFault fault = {
        {1.5, 2.0 * std::cos(dip), -4.0 + 2.0 * std::sin(dip)}, 90.0 * kDegree, dip, 3.0, 2.0};
    const std::array<Vec3, 3> published = {{{-8.689e-3, -4.298e-3, -2.747e-3},
                                            {-4.682e-3, -3.527e-2, -3.564e-2},
                                            {-2.660e-4, 1.056e-2, 3.214e-3}}};

    for (int i = 0; i < 3; ++i) {
        const Vec3 u =
            okada_displacement(fault, kSlips[i], okada_medium(1.0, 1.0), {2.0, 3.0, 0.0});

        for (int comp = 0; comp < 3; ++comp) {
            EXPECT_NEAR(u[comp], published[i][comp], 5.1e-4 * std::abs(published[i][comp]))
                << "slip " << i << " component " << comp;
        }
    }
}

TEST_P(OkadaDips, SurfaceIsFreeOfTraction) {
    const OkadaFault fault = fault_with_dip(GetParam());
    const Vec3 x = {1.1, 0.7, 0.0};
    const double h = 1e-3;
    for (const OkadaSlip& slip : kSlips) {
        const auto u = [&](const Vec3& at) { return okada_displacement(fault, slip, kMedium, at); };
        const Vec3 ex = h * unit(0);
        const Vec3 ey = h * unit(1);
        const Vec3 ez = h * unit(2);

        const Vec3 ux = 0.5 / h * (u(x + ex) - u(x - ex));
        const Vec3 uy = 0.5 / h * (u(x + ey) - u(x - ey));
        const Vec3 uz = 0.5 / h * (3.0 * u(x) - 4.0 * u(x - ez) + u(x - 2.0 * ez));

        const double strain = norm(ux) + norm(uy) + norm(uz);
        EXPECT_GT(strain, 1e-3);
        EXPECT_NEAR(uz.x + ux.z, 0.0, 1e-4 * strain);
        EXPECT_NEAR(uz.y + uy.z, 0.0, 1e-4 * strain);
        EXPECT_NEAR(kLambda * (ux.x + uy.y) + (kLambda + 2.0 * kMu) * uz.z, 0.0, 1e-4 * strain);
    }
}

TEST_P(OkadaDips, InsideIsInEquilibrium) {
    const OkadaFault fault = fault_with_dip(GetParam());
    const double h = 1e-3;
    for (const Vec3& x : {Vec3{1.4, 0.9, -0.8}, {-1.0, 1.0, -2.5}, {0.5, -2.0, -4.0}}) {
        for (const OkadaSlip& slip : kSlips) {
            const auto u = [&](double i, double j, double k) {
                return okada_displacement(fault, slip, kMedium, x + h * Vec3{i, j, k});
            };
            // second[a][b] = d2 u / dx_a dx_b
            Vec3 second[3][3];
            for (int a = 0; a < 3; ++a) {
                for (int b = 0; b < 3; ++b) {
                    const Vec3 pa = unit(a);
                    const Vec3 pb = unit(b);
                    const Vec3 pp = pa + pb;
                    const Vec3 pm = pa - pb;
                    second[a][b] = 1.0 / (4.0 * h * h) *
                                   (u(pp.x, pp.y, pp.z) - u(pm.x, pm.y, pm.z) -
                                    u(-pm.x, -pm.y, -pm.z) + u(-pp.x, -pp.y, -pp.z));
                }
            }

            double size = 0.0;
            for (int a = 0; a < 3; ++a) {
                size += norm(second[a][a]);
            }
            for (int comp = 0; comp < 3; ++comp) {
                double force = 0.0;
                for (int b = 0; b < 3; ++b) {
                    force += (kLambda + kMu) * second[comp][b][b] + kMu * second[b][b][comp];
                }
                EXPECT_NEAR(force, 0.0, 1e-4 * size);
            }
        }
    }
}

TEST_P(OkadaDips, JumpAcrossTheFaultIsTheSlip) {
    const OkadaFault fault = fault_with_dip(GetParam());
    const fault::PlaneFault plane(fault.top_centre, fault.strike_rad, fault.dip_rad);
    const Vec3 on_fault = plane.point({0.4, 0.7});
    const Vec3 normal = plane.normal({});
    const std::array<Vec3, 3> expected = {plane.along_strike(), -1.0 * plane.down_dip(), normal};
    for (int i = 0; i < 3; ++i) {
        const auto u = [&](double side) {
            return okada_displacement(fault, kSlips[i], kMedium, on_fault + (side * 1e-7) * normal);
        };

        expect_near(u(1.0) - u(-1.0), expected[i], 1e-6);
        expect_near(u(0.0), 0.5 * (u(1.0) + u(-1.0)), 1e-6);
    }
}

TEST_P(OkadaDips, IsContinuousAcrossTheFaultsPlaneOutsideIt) {
    const OkadaFault fault = fault_with_dip(GetParam());
    const fault::PlaneFault plane(fault.top_centre, fault.strike_rad, fault.dip_rad);
    const Vec3 normal = plane.normal({});
    for (const fault::FaultCoordinates at :
         {fault::FaultCoordinates{2.5, 0.7}, {0.4, 2.6}, {-2.0, -0.3}}) {
        const Vec3 x = plane.point(at);
        for (const OkadaSlip& slip : kSlips) {
            const auto u = [&](double side) {
                return okada_displacement(fault, slip, kMedium, x + (side * 1e-7) * normal);
            };

            expect_near(u(1.0), u(-1.0), 1e-6);
            expect_near(u(0.0), u(1.0), 1e-6);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Dips, OkadaDips, testing::Values(8.0, 45.0, 90.0));

TEST(Okada, TwoHalvesMakeTheWhole) {
    const OkadaFault whole = fault_with_dip(40.0);
    const fault::PlaneFault plane(whole.top_centre, whole.strike_rad, whole.dip_rad);
    OkadaFault upper = whole;
    upper.width_m = 0.5;
    OkadaFault lower = whole;
    lower.width_m = 1.5;
    lower.top_centre = plane.point({0.0, 0.5});
    const Vec3 x = {-0.8, 1.9, -1.2};
    for (const OkadaSlip& slip : kSlips) {
        const Vec3 sum = okada_displacement(upper, slip, kMedium, x) +
                         okada_displacement(lower, slip, kMedium, x);

        expect_near(sum, okada_displacement(whole, slip, kMedium, x), 1e-12);
    }
}

TEST_P(OkadaDips, PatchesAreTheSumOfTheirRectangles) {
    const OkadaFault whole = fault_with_dip(GetParam());
    constexpr int kColumns = 3;
    constexpr int kRows = 2;
    const auto slip = [](int column, int row) { return 1.0 + 0.4 * column - 0.7 * row; };
    const OkadaPatches patches(whole, kColumns, kRows, slip);
    const Vec3 along = {std::sin(whole.strike_rad), std::cos(whole.strike_rad), 0.0};
    const Vec3 left = {-along.y, along.x, 0.0};
    const Vec3 down = -std::cos(whole.dip_rad) * left - Vec3{0.0, 0.0, std::sin(whole.dip_rad)};

    for (const Vec3& x : {Vec3{1.1, 0.7, 0.0}, Vec3{-0.4, 1.9, -1.3}, whole.top_centre + down}) {
        std::array<Vec3, 2> sum;
        for (int column = 0; column < kColumns; ++column) {
            for (int row = 0; row < kRows; ++row) {
                OkadaFault part = whole;
                part.length_m /= kColumns;
                part.width_m /= kRows;
                part.top_centre += ((column + 0.5) * part.length_m - 0.5 * whole.length_m) * along +
                                   row * part.width_m * down;
                const double m = slip(column, row);
                sum[0] += okada_displacement(part, {m, 0.0, 0.0}, kMedium, x);
                sum[1] += okada_displacement(part, {0.0, m, 0.0}, kMedium, x);
            }
        }

        const auto found = patches.displacement(kMedium, x);
        expect_near(found[0], sum[0], 1e-12);
        expect_near(found[1], sum[1], 1e-12);
    }
}

TEST(Okada, FarAwayItFallsOffWithTheSquareOfTheDistance) {
    const OkadaFault fault = fault_with_dip(40.0);
    const Vec3 direction = {3.0, -5.0, -4.0};
    for (const OkadaSlip& slip : kSlips) {
        const double near = norm(okada_displacement(fault, slip, kMedium, 400.0 * direction));
        const double far = norm(okada_displacement(fault, slip, kMedium, 800.0 * direction));

        EXPECT_NEAR(near / far, 4.0, 0.05);
    }
}

TEST(Okada, NearlyVerticalFaultTendsToTheVerticalOne) {
    const Vec3 x = {1.4, 0.9, -0.8};
    for (const OkadaSlip& slip : kSlips) {
        const Vec3 nearly = okada_displacement(fault_with_dip(89.99), slip, kMedium, x);

        expect_near(nearly, okada_displacement(fault_with_dip(90.0), slip, kMedium, x), 2e-4);
    }
}

TEST(MaxwellHalfspace, StartsElastic) {
    const OkadaFault fault = fault_with_dip(30.0);
    const Vec3 x = {1.0, 2.0, -0.4};

    const Vec3 u = maxwell_halfspace(fault, {0.3, 1.0, 0.0}, {kLambda, kMu, 5.0}, x, 0.0);

    expect_near(u, okada_displacement(fault, {0.3, 1.0, 0.0}, kMedium, x), 1e-15);
}

TEST(MaxwellHalfspace, EndsIncompressible) {
    const OkadaFault fault = fault_with_dip(30.0);
    const Vec3 x = {1.0, 2.0, -0.4};

    const Vec3 u = maxwell_halfspace(fault, {0.3, 1.0, 0.0}, {kLambda, kMu, 5.0}, x, 1e4);

    expect_near(u, okada_displacement(fault, {0.3, 1.0, 0.0}, okada_medium(1.0, 1e-14), x), 1e-12);
}

TEST(MaxwellHalfspace, MatchesNumericalLaplaceInversion) {
    // Gaver-Stehfest: f(t) ~ ln2/t sum_k V_k F(k ln2/t), with F(s) = u_elastic(mu(s)) / s and
    // mu(s) = mu s / (s + mu/viscosity), kappa unchanged.
    constexpr int kTerms = 14;
    const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
    std::array<double, kTerms + 1> weight = {};
    for (int k = 1; k <= kTerms; ++k) {
        for (int j = (k + 1) / 2; j <= std::min(k, kTerms / 2); ++j) {
            weight[k] += std::pow(j, kTerms / 2) * factorial(2 * j) /
                         (factorial(kTerms / 2 - j) * factorial(j) * factorial(j - 1) *
                          factorial(k - j) * factorial(2 * j - k));
        }
        weight[k] *= (k + kTerms / 2) % 2 == 0 ? 1.0 : -1.0;
    }
    const OkadaFault fault = fault_with_dip(30.0);
    const OkadaSlip slip = {0.3, 1.0, 0.0};
    const double viscosity = 5.0;
    const double kappa = kLambda + 2.0 * kMu / 3.0;
    for (const Vec3& x : {Vec3{1.0, 2.0, 0.0}, {1.0, 2.0, -1.0}}) {
        for (const double t : {2.0, 12.0}) {
            Vec3 inverted;
            for (int k = 1; k <= kTerms; ++k) {
                const double s = k * std::numbers::ln2 / t;
                const double mu = kMu * s / (s + kMu / viscosity);
                const Vec3 elastic =
                    okada_displacement(fault, slip, okada_medium(kappa - 2.0 * mu / 3.0, mu), x);
                inverted += (weight[k] / k) * elastic;
            }

            const Vec3 u = maxwell_halfspace(fault, slip, {kLambda, kMu, viscosity}, x, t);
            const Vec3 start = maxwell_halfspace(fault, slip, {kLambda, kMu, viscosity}, x, 0.0);

            expect_near(u, inverted, 1e-4 * norm(u - start));
        }
    }
}

}  // namespace
}  // namespace kaname::test::okada_test
