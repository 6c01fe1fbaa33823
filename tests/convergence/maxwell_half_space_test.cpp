// SPDX-License-Identifier: BSD-3-Clause
// A fault inside a homogeneous Maxwell half-space. Okada's solution is affine in zeta and a, each
// relaxing with one time constant (tests/support/okada.hpp); with exp(-t/T) replaced by the time
// scheme's own r^n the comparison leaves the error in space only.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/convergence/half_space.hpp"

namespace kaname::convergence::maxwell_half_space_test {
namespace {

constexpr double kZeta = 0.5;     // mu / (lambda + mu)
constexpr double kB = 1.0 / 3.0;  // mu / (lambda + 2 mu)
constexpr double kKappa_pa = kModulus_pa * 5.0 / 3.0;
constexpr double kT1_s = kMaxwellTime_s * 2.0 * kModulus_pa / kKappa_pa;
constexpr double kT2_s = kMaxwellTime_s * 3.0 * kModulus_pa / kKappa_pa;

/// The medium after `steps` trapezoidal steps.
test::OkadaMedium discrete_medium(const viscoelastic::TimeGrid& grid, int steps) {
    const auto left = [&](double T) {
        double product = 1.0;
        for (int step = 1; step <= steps; ++step) {
            const double half = 0.5 * grid.step_s(step) / T;
            product *= (1.0 - half) / (1.0 + half);
        }
        return product;
    };
    return {kZeta * left(kT1_s), 1.0 - kB * left(kT2_s)};
}

struct Errors {
    double h;          ///< edge of a cube of six mean tetrahedra [m]
    double total[2];   ///< relative error of u(2 tau), strike and dip
    double change[2];  ///< relative error of u(2 tau) - u(0), strike and dip
};

/// The exact displacement of the two lanes at many times: affine in the medium's two numbers, so
/// three evaluations per place serve all of them.
class AffineDisplacement {
public:
    explicit AffineDisplacement(const VaryingSlip& slip) : slip_(slip) {}

    Vec3 operator()(const Vec3& x, const test::OkadaMedium& medium, int lane) {
        const auto [place, fresh] = known_.try_emplace({x.x, x.y, x.z});
        auto& parts = place->second;
        if (fresh) {
            const auto base = slip_.displacement(x, {0.0, 0.0});
            const auto zeta = slip_.displacement(x, {1.0, 0.0});
            const auto a = slip_.displacement(x, {0.0, 1.0});
            for (int each = 0; each < 2; ++each) {
                parts[each] = {base[each], zeta[each] - base[each], a[each] - base[each]};
            }
        }
        const auto& part = parts[lane];
        return part[0] + medium.zeta * part[1] + medium.a * part[2];
    }

private:
    const VaryingSlip& slip_;
    std::map<std::array<double, 3>, std::array<std::array<Vec3, 3>, 2>> known_;
};

/// With `medium_at(t)` the half-space's medium at time t.
Errors errors_after_two_maxwell_times(const Rectangle& r, double h, int n_steps,
                                      const std::function<test::OkadaMedium(double)>& medium_at) {
    const mesh::TetMesh mesh = lattice(r, whole(r), h);
    const auto surface = test::surface_quadrature(mesh);
    const VaryingSlip tapered(r, taper(r), 16, 8);
    AffineDisplacement displacement(tapered);
    const auto exact = [&](const Vec3& x, double t_s, int lane) -> Vec3 {
        return lane < 2 ? displacement(x, medium_at(t_s), lane) : Vec3{};
    };
    test::PackRun run;
    run.mesh = &mesh;
    run.materials = {maxwell_rock()};
    run.prescribed_sides = test::buried_sides();
    run.field = exact;
    for (int lane = 0; lane < 2; ++lane) {
        run.slip[lane] = [&tapered, lane](const Vec3& x) { return tapered.slip(x, lane); };
    }
    run.grid = {2.0 * kMaxwellTime_s / n_steps, n_steps, 0.5};
    run.places = surface.places;
    run.params.cg.tolerance = kResidual;

    const auto history = test::run_pack(run);

    EXPECT_LT(history.worst_residual(), 1.01 * kResidual);
    auto change = history;
    for (std::size_t k = 0; k < change.values[n_steps].size(); ++k) {
        change.values[n_steps][k] -= history.values[0][k];
    }
    Errors errors{std::cbrt(6.0 * kVolume_m3 / static_cast<double>(mesh.tets.size())), {}, {}};
    const double end_s = history.steps.back().time_s;
    for (int lane = 0; lane < 2; ++lane) {
        errors.total[lane] = test::surface_error(
            surface, history, n_steps, lane, [&](const Vec3& x) { return exact(x, end_s, lane); });
        errors.change[lane] = test::surface_error(
            surface, change, n_steps, lane,
            [&](const Vec3& x) { return exact(x, end_s, lane) - exact(x, 0.0, lane); });
        const std::string at = std::to_string(lane) + "_h" + std::to_string(std::lround(h));
        testing::Test::RecordProperty("total" + at, std::to_string(errors.total[lane]));
        testing::Test::RecordProperty("change" + at, std::to_string(errors.change[lane]));
    }
    return errors;
}

TEST(MaxwellHalfSpace, FaultInsideRelaxesByTheClosedForm) {
    device::set_threads(1);
    Rectangle r;
    r.dip_deg = 60.0;
    constexpr int kSteps = 10;
    const double dt_s = 2.0 * kMaxwellTime_s / kSteps;
    const auto discrete = [&](double t_s) {
        return discrete_medium({dt_s, kSteps, 0.5}, static_cast<int>(std::lround(t_s / dt_s)));
    };

    const Errors coarse = errors_after_two_maxwell_times(r, 4e3, kSteps, discrete);
    const Errors fine = errors_after_two_maxwell_times(r, 2e3, kSteps, discrete);

    // Larger than the elastic errors: relaxed rock is nearly incompressible (kappa/mu 12 at the
    // end), which quadratic tetrahedra resist.
    constexpr double kTotal[2] = {8.8e-3, 2.1e-2};
    constexpr double kChange[2] = {2.4e-2, 6.4e-2};
    constexpr double kOrder[2] = {2.2, 1.6};
    for (int lane = 0; lane < 2; ++lane) {
        EXPECT_LT(fine.total[lane], kTotal[lane]) << lane;
        EXPECT_LT(fine.change[lane], kChange[lane]) << lane;
        EXPECT_GT(observed_order(coarse.h, coarse.change[lane], fine.h, fine.change[lane]),
                  kOrder[lane])
            << lane;
    }

    // Steps of a fifth of the Maxwell time are invisible beside the mesh.
    const Errors in_both = errors_after_two_maxwell_times(
        r, 4e3, kSteps, [](double t_s) { return test::maxwell_medium_at(kMaxwell, t_s); });
    for (int lane = 0; lane < 2; ++lane) {
        EXPECT_NEAR(in_both.total[lane], coarse.total[lane], 0.01 * coarse.total[lane]);
        EXPECT_NEAR(in_both.change[lane], coarse.change[lane], 0.01 * coarse.change[lane]);
    }
}

class LateTimes : public testing::TestWithParam<viscoelastic::Element> {};

TEST_P(LateTimes, OfTheClosedForm) {
    // From half a Maxwell time to twenty, where the closed form is almost the incompressible one.
    // A homogeneous half-space is the worst case: what slips is itself relaxed.
    device::set_threads(1);
    Rectangle r;
    r.dip_deg = 90.0;
    constexpr double kTimes[] = {0.4, 1.0, 2.0, 5.0, 10.0, 20.0};
    constexpr double tau = kMaxwellTime_s;
    // The closed form has the same steps, so that they may grow.
    const viscoelastic::TimeGrid grid = {0.2 * tau, 10, 0.5, {{0.5 * tau, 6}, {1.0 * tau, 15}}};
    const std::vector<double> times_s = grid.times_s();
    const auto step_at = [&](double t_s) {
        const auto before = [](double time_s, double wanted_s) { return time_s < wanted_s; };
        return static_cast<int>(
            std::lower_bound(times_s.begin(), times_s.end(), t_s - 1e-3 * tau, before) -
            times_s.begin());
    };
    using Bounds = std::array<std::array<double, 6>, 2>;
    constexpr Bounds kPlain = {{{7.5e-3, 8.7e-3, 1.07e-2, 1.6e-2, 2.3e-2, 3.2e-2},
                                {1.5e-2, 1.7e-2, 2.1e-2, 3.1e-2, 4.3e-2, 5.7e-2}}};
    constexpr Bounds kNodal = {{{7.2e-3, 8.2e-3, 9.4e-3, 1.19e-2, 1.34e-2, 1.41e-2},
                                {1.35e-2, 1.49e-2, 1.72e-2, 2.2e-2, 2.5e-2, 2.6e-2}}};
    // Bounds for u(t) - u(0), strike-slip; a vertical dip slip does not move the surface as it
    // relaxes.
    constexpr double kPlainChange[] = {1.6e-2, 1.9e-2, 2.4e-2, 4.1e-2, 6.5e-2, 9.8e-2};
    constexpr double kNodalChange[] = {1.58e-2, 1.77e-2, 2.1e-2, 2.8e-2, 3.4e-2, 3.6e-2};
    const bool plain = GetParam() == viscoelastic::Element::P2;
    const Bounds& largest = plain ? kPlain : kNodal;
    const mesh::TetMesh mesh = lattice(r, whole(r), 2.67e3);
    const auto surface = test::surface_quadrature(mesh);
    const VaryingSlip tapered(r, taper(r), 16, 8);
    AffineDisplacement displacement(tapered);
    const auto exact = [&](const Vec3& x, double t_s, int lane) -> Vec3 {
        return lane < 2 ? displacement(x, discrete_medium(grid, step_at(t_s)), lane) : Vec3{};
    };
    test::PackRun run;
    run.mesh = &mesh;
    run.element = GetParam();
    run.materials = {maxwell_rock()};
    run.prescribed_sides = test::buried_sides();
    run.field = exact;
    for (int lane = 0; lane < 2; ++lane) {
        run.slip[lane] = [&tapered, lane](const Vec3& x) { return tapered.slip(x, lane); };
    }
    run.grid = grid;
    run.places = surface.places;
    run.params.cg.tolerance = kResidual;

    auto history = test::run_pack(run);

    for (std::size_t at = 0; at < std::size(kTimes); ++at) {
        const int step = step_at(kTimes[at] * tau);
        auto change = history;
        for (std::size_t k = 0; k < change.values[step].size(); ++k) {
            change.values[step][k] -= history.values[0][k];
        }
        const double t_s = history.steps[step].time_s;
        for (int lane = 0; lane < 2; ++lane) {
            const double error = test::surface_error(
                surface, history, step, lane, [&](const Vec3& x) { return exact(x, t_s, lane); });
            RecordProperty("lane" + std::to_string(lane) + "_" + std::to_string(step),
                           std::to_string(error));
            EXPECT_LT(error, largest[lane][at]) << kTimes[at] << ' ' << lane;
        }
        const double of_change = test::surface_error(surface, change, step, 0, [&](const Vec3& x) {
            return exact(x, t_s, 0) - exact(x, 0.0, 0);
        });
        RecordProperty("change_" + std::to_string(step), std::to_string(of_change));
        EXPECT_LT(of_change, (plain ? kPlainChange : kNodalChange)[at]) << kTimes[at];
    }
}

INSTANTIATE_TEST_SUITE_P(MaxwellHalfSpace, LateTimes,
                         testing::Values(viscoelastic::Element::P2,
                                         viscoelastic::Element::NodalDilatation),
                         [](const auto& info) {
                             return info.param == viscoelastic::Element::P2 ? "p2"
                                                                            : "nodal_dilatation";
                         });

}  // namespace
}  // namespace kaname::convergence::maxwell_half_space_test
