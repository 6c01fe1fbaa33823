// SPDX-License-Identifier: BSD-3-Clause
// The answer for layered relaxing half-spaces that other tests trust (tests/support), on its own:
// against closed forms where layers are alike, and against itself where they are not.
#include "tests/support/layered_halfspace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"

namespace kaname::test::layered_halfspace_test {
namespace {

constexpr double kLambda_pa = 4e10, kMu_pa = 3e10, kViscosity_pa_s = 1e19;
constexpr double kTau_s = kViscosity_pa_s / kMu_pa;
constexpr double kReach_m = 100e3;
const std::vector<double> kTimes_s = {0.0, 0.5 * kTau_s, 5.0 * kTau_s, 20.0 * kTau_s};

MaxwellLayer rock(double bottom_m, double lambda_pa = kLambda_pa, double mu_pa = kMu_pa) {
    return {.bottom_m = bottom_m, .lambda_pa = lambda_pa, .mu_pa = mu_pa};
}
MaxwellLayer mantle(double bottom_m = std::numeric_limits<double>::infinity()) {
    MaxwellLayer layer = rock(bottom_m);
    layer.viscosity_pa_s = kViscosity_pa_s;
    return layer;
}
OkadaFault fault(double dip_deg) {
    return {{2e3, -1e3, -8e3}, 40.0 * kDegree, dip_deg * kDegree, 20e3, 12e3};
}
constexpr OkadaSlip kOblique = {0.8, 0.6, 0.0};

std::vector<Vec3> net() {
    std::vector<Vec3> places;
    for (int i = -2; i <= 2; ++i) {
        for (int j = -2; j <= 2; ++j) {
            places.push_back({i * 17e3 + 1.3e3, j * 19e3 + 0.7e3, 0.0});
        }
    }
    return places;
}
/// sqrt(sum |u - exact|^2 / sum |exact|^2) over the net.
double difference(const std::vector<std::vector<Vec3>>& moved, std::size_t time,
                  const std::function<Vec3(std::size_t)>& exact) {
    double off = 0.0, size = 0.0;
    for (std::size_t at = 0; at < moved.size(); ++at) {
        const Vec3 wanted = exact(at);
        off += dot(moved[at][time] - wanted, moved[at][time] - wanted);
        size += dot(wanted, wanted);
    }
    return std::sqrt(off / size);
}

class LikeLayers : public testing::TestWithParam<double> {};

TEST_P(LikeLayers, AreOkadasHalfSpaceRightAfterTheSlipAndAsItRelaxes) {
    // Interfaces that are none: above, within and below the fault.
    const LayeredMedium medium{{mantle(5e3), mantle(11e3), mantle(40e3), mantle()}};
    const auto places = net();
    const MaxwellMedium half_space{kLambda_pa, kMu_pa, kViscosity_pa_s};

    const auto moved = LayeredHalfspace(medium, kTimes_s, kReach_m)
                           .displacement(fault(GetParam()), kOblique, places);

    for (std::size_t time = 0; time < kTimes_s.size(); ++time) {
        EXPECT_LT(difference(moved, time,
                             [&](std::size_t at) {
                                 return maxwell_halfspace(fault(GetParam()), kOblique, half_space,
                                                          places[at], kTimes_s[time]);
                             }),
                  5e-6)
            << time;
    }
}

INSTANTIATE_TEST_SUITE_P(LayeredHalfspace, LikeLayers, testing::Values(35.0, 90.0),
                         [](const auto& info) {
                             return "dip" + std::to_string(static_cast<int>(info.param));
                         });

TEST(LayeredHalfspace, ARampIsTheMeanOfShiftedRectangles) {
    // Slip that falls off over `ramp` is uniform slip averaged over shifts of the rectangle.
    const auto places = net();
    const OkadaFault whole = fault(90.0);
    constexpr double kRamp_m = 4e3;
    const OkadaMedium medium = okada_medium(kLambda_pa, kMu_pa);
    const double root = 0.5 * kRamp_m * std::sqrt(0.6);  // three Gauss points
    const double shifts[] = {-root, 0.0, root};
    const double weights[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

    const auto moved = LayeredHalfspace({{rock(9e3), mantle()}}, {0.0}, kReach_m)
                           .displacement(whole, kOblique, places, {kRamp_m, kRamp_m});

    const auto mean = [&](std::size_t at) {
        Vec3 sum;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                OkadaFault moved_there = whole;
                moved_there.top_centre =
                    whole.top_centre + Vec3{shifts[i] * std::sin(whole.strike_rad),
                                            shifts[i] * std::cos(whole.strike_rad), shifts[j]};
                sum = sum + weights[i] * weights[j] *
                                okada_displacement(moved_there, kOblique, medium, places[at]);
            }
        }
        return sum;
    };
    EXPECT_LT(difference(moved, 0, mean), 2e-4);  // the mean is over three points a direction
}

/// Contrasts in everything, with springs.
LayeredMedium crust_over_mantle() {
    LayeredMedium medium{{rock(6e3, 2e10, 1.5e10), rock(15e3), rock(30e3, 6e10, 5e10), mantle()},
                         9.81};
    for (std::size_t at = 0; at < medium.layers.size(); ++at) {
        medium.layers[at].density_kg_m3 = 2500.0 + 250.0 * double(at);
    }
    return medium;
}

TEST(LayeredHalfspace, CutsOfLayersChangeNothing) {
    LayeredMedium cut = crust_over_mantle();
    for (const double depth_m : {3e3, 10e3, 22e3, 50e3}) {
        const auto in = std::ranges::find_if(
            cut.layers, [&](const MaxwellLayer& layer) { return layer.bottom_m > depth_m; });
        MaxwellLayer upper = *in;
        upper.bottom_m = depth_m;
        cut.layers.insert(in, upper);
    }
    const auto places = net();

    const auto of = [&](const LayeredMedium& medium) {
        return LayeredHalfspace(medium, {0.0, 5.0 * kTau_s}, kReach_m)
            .displacement(fault(50.0), kOblique, places);
    };
    const auto whole = of(crust_over_mantle()), pieces = of(cut);

    for (const std::size_t time : {0u, 1u}) {
        EXPECT_LT(difference(pieces, time, [&](std::size_t at) { return whole[at][time]; }), 1e-6);
    }
}

TEST(LayeredWaves, SmallForwardStepsThroughTheLayersEndWithTheSameMotion) {
    // The differential equations of the layers, stepped by Runge and Kutta from the surface down: a
    // source at a depth is what makes the surface free of traction and all growing waves below
    // the last interface vanish. Two unknowns at the surface, two conditions below.
    using Complex = std::complex<double>;
    using Wave = std::array<Complex, 4>;  // V, U, S, N
    const LayeredMedium medium = crust_over_mantle();
    const double k = 1.0 / 20e3, depth_m = 12e3;
    const Complex s(0.3 / kTau_s, 0.4 / kTau_s);
    const auto layer_at = [&](double z) -> const MaxwellLayer& {
        return *std::ranges::find_if(medium.layers,
                                     [&](const MaxwellLayer& layer) { return z < layer.bottom_m; });
    };
    const auto down = [&](Wave y, double from, double to) {
        const double middle = 0.5 * (from + to);
        const auto [lambda, mu] = moduli_at(layer_at(middle), s);
        const Complex P = lambda + 2.0 * mu;
        const auto slope = [&](const Wave& w) -> Wave {
            const Complex stretch = (w[3] - lambda * k * w[0]) / P;  // U'
            return {w[2] / mu + k * w[1], stretch, k * (P * k * w[0] + lambda * stretch),
                    -k * w[2]};
        };
        constexpr int kSteps = 400;
        const double h = (to - from) / kSteps;
        const auto along = [](const Wave& a, double t, const Wave& b) {
            return Wave{a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2], a[3] + t * b[3]};
        };
        for (int step = 0; step < kSteps; ++step) {
            const Wave k1 = slope(y), k2 = slope(along(y, 0.5 * h, k1)),
                       k3 = slope(along(y, 0.5 * h, k2)), k4 = slope(along(y, h, k3));
            y = along(along(along(along(y, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
        }
        return y;
    };
    const auto spring = [&](double above, double below, Wave y) {
        y[3] += (below - above) * medium.gravity_m_s2 * y[1];
        return y;
    };
    /// Carries a wave from the surface, or from the depth `from`, to below the last interface.
    const auto to_mantle = [&](Wave y, double from) {
        for (std::size_t at = 0; at + 1 < medium.layers.size(); ++at) {
            const MaxwellLayer& layer = medium.layers[at];
            if (layer.bottom_m > from) {
                y = spring(layer.density_kg_m3, medium.layers[at + 1].density_kg_m3,
                           down(y, from, layer.bottom_m));
                from = layer.bottom_m;
            }
        }
        return y;
    };
    const auto [lambda, mu] = moduli_at(medium.layers.back(), s);
    // V, U of decaying waves give their S, N: exp(-k z) (1, 1, -2 mu k, -2 mu k) and its companion.
    const Complex beta = mu / (lambda + mu);
    const auto growing = [&, mu = mu](const Wave& y) {
        const Complex second = (y[1] - y[0]) / (1.0 + 2.0 * beta);
        return std::array<Complex, 2>{y[2] + 2.0 * mu * k * (y[0] + beta * second),
                                      y[3] + 2.0 * mu * k * (y[0] + (1.0 + beta) * second)};
    };
    const double g = medium.gravity_m_s2;
    const auto from_v = growing(to_mantle({1.0, 0.0, 0.0, 0.0}, 0.0));
    const auto from_u =
        growing(to_mantle({0.0, 1.0, 0.0, medium.layers[0].density_kg_m3 * g}, 0.0));
    const auto [source_lambda, source_mu] = moduli_at(layer_at(depth_m), s);
    const Complex P = source_lambda + 2.0 * source_mu;
    const std::array<Wave, 3> jumps = {
        {{0.0, source_mu / P, k * source_mu * (source_lambda / P + 0.5), 0.0},
         {1.0, 0.0, 0.0, 0.0},
         {0.0, 0.0, -k * source_mu, 0.0}}};

    const SurfaceMotion motion = LayeredWaves(medium, k, s).surface_motion(depth_m);

    const std::array<std::array<SurfaceMotion::Part, 2>, 3> parts = {
        {{SurfaceMotion::V0, SurfaceMotion::U0},
         {SurfaceMotion::V1, SurfaceMotion::U1},
         {SurfaceMotion::V2, SurfaceMotion::U2}}};
    for (int order = 0; order < 3; ++order) {
        const auto of_jump = growing(to_mantle(jumps[order], depth_m));
        const Complex det = from_v[0] * from_u[1] - from_v[1] * from_u[0];
        const Complex v = -(of_jump[0] * from_u[1] - of_jump[1] * from_u[0]) / det;
        const Complex u = -(from_v[0] * of_jump[1] - from_v[1] * of_jump[0]) / det;
        EXPECT_LT(std::abs(motion.of[parts[order][0]] - v), 1e-8 * std::abs(v)) << order;
        EXPECT_LT(std::abs(motion.of[parts[order][1]] - u), 1e-8 * std::abs(u)) << order;
    }
}

TEST(LayeredWaves, ALoadSinksAsTheClosedFormOfDecision0042) {
    // u/p = 1/(1/C + rho g), C = (lambda + 2 mu)/(2 mu (lambda + mu) k).
    LayeredMedium medium{{mantle(20e3), mantle()}, 9.81};
    for (MaxwellLayer& layer : medium.layers) {
        layer.density_kg_m3 = 3300.0;
    }
    const double k = std::numbers::pi / 400e3;
    for (const double times_tau : {1e3, 1.0, 1e-3}) {
        const std::complex<double> s(times_tau / kTau_s, 0.7 * times_tau / kTau_s);
        const auto [lambda, mu] = moduli_at(medium.layers[0], s);
        const auto C = (lambda + 2.0 * mu) / (2.0 * mu * (lambda + mu) * k);
        const auto wanted = 1.0 / (1.0 / C + 3300.0 * 9.81);

        const auto found = LayeredWaves(medium, k, s).compliance();

        EXPECT_LT(std::abs(found - wanted), 1e-12 * std::abs(wanted)) << times_tau;
    }
}

TEST(LayeredHalfspace, ALidFarAboveTheFaultsReachIsAHalfSpace) {
    // Relaxation below 2,000 km is not felt here; with a lid of 40 km it is.
    const auto places = net();
    const auto change = [&](double lid_m) {
        const auto moved =
            LayeredHalfspace({{rock(lid_m), mantle()}}, {0.0, 2.0 * kTau_s}, kReach_m)
                .displacement(fault(50.0), kOblique, places);
        return difference(moved, 1, [&](std::size_t at) { return moved[at][0]; });
    };
    EXPECT_LT(change(2000e3), 1e-3);
    EXPECT_GT(change(40e3), 3e-2);
}

}  // namespace
}  // namespace kaname::test::layered_halfspace_test
