// SPDX-License-Identifier: BSD-3-Clause
// Surface displacement of faults in an elastic half-space against Okada's closed form: the sides
// and the bottom of the box move as the half-space does, so only the discretisation is left.
// Bounds are half as large again as what was measured; --gtest_output=xml:FILE keeps the figures.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/sources/fault_surface.hpp"
#include "tests/convergence/half_space.hpp"

namespace kaname::convergence {
namespace {

void record(const LaneErrors& errors) {
    const std::string at = "_h" + std::to_string(std::lround(errors.h));
    testing::Test::RecordProperty("strike_error" + at, std::to_string(errors.strike));
    testing::Test::RecordProperty("dip_error" + at, std::to_string(errors.dip));
}

struct Bounds {
    double strike, dip;              ///< of the relative L2 error on the finest mesh
    double strike_order, dip_order;  ///< least, from the coarsest to the finest mesh
};

void expect_convergence(const std::vector<LaneErrors>& errors, const Bounds& bounds) {
    std::for_each(errors.begin(), errors.end(), record);
    const LaneErrors& coarse = errors.front();
    const LaneErrors& fine = errors.back();
    EXPECT_LT(fine.strike, bounds.strike);
    EXPECT_LT(fine.dip, bounds.dip);
    EXPECT_GT(observed_order(coarse.h, coarse.strike, fine.h, fine.strike), bounds.strike_order);
    EXPECT_GT(observed_order(coarse.h, coarse.dip, fine.h, fine.dip), bounds.dip_order);
    for (std::size_t k = 1; k < errors.size(); ++k) {
        EXPECT_LT(errors[k].strike, errors[k - 1].strike);
        EXPECT_LT(errors[k].dip, errors[k - 1].dip);
    }
}

class Okada : public testing::Test {
protected:
    void SetUp() override { device::set_threads(1); }
};

struct DipCase {
    double dip_deg;
    Bounds bounds;
};
class OkadaTapered : public Okada, public testing::WithParamInterface<DipCase> {};

TEST_P(OkadaTapered, SurfaceErrorFallsWithOrderOver2_3) {
    Rectangle r;
    r.dip_deg = GetParam().dip_deg;
    const VaryingSlip exact(r, taper(r), 16, 8);

    std::vector<LaneErrors> errors;
    for (const double h : {4e3, 8e3 / 3.0, 2e3}) {
        errors.push_back(coseismic_errors(
            lattice(r, whole(r), h), kVolume_m3,
            [&](const Vec3& x, int lane) { return exact.slip(x, lane); },
            [&](const Vec3& x, int lane) { return exact.displacement(x, lane); }));
    }

    expect_convergence(errors, GetParam().bounds);
}

INSTANTIATE_TEST_SUITE_P(Dips, OkadaTapered,
                         testing::Values(DipCase{90.0, {4.6e-3, 1.0e-2, 2.3, 2.3}},
                                         DipCase{60.0, {5.7e-3, 1.3e-2, 2.3, 2.3}},
                                         DipCase{45.0, {5.0e-3, 1.05e-2, 2.3, 2.3}},
                                         DipCase{30.0, {9.0e-3, 1.9e-2, 2.3, 2.3}}),
                         [](const auto& info) {
                             return "Dip" + std::to_string(std::lround(info.param.dip_deg));
                         });

using OkadaUniform = Okada;

TEST_F(OkadaUniform, RimMovedOutByASixthOfACellMakesARectangle) {
    Rectangle r;
    r.dip_deg = 60.0;
    const auto exact = [&](const Vec3& x, int lane) {
        const test::OkadaSlip slip{lane == 0 ? 1.0 : 0.0, lane == 1 ? 1.0 : 0.0, 0.0};
        return test::okada_displacement(r.okada(), slip, {}, x);
    };
    const auto errors_of = [&](const meshing::FaultWindow& window, double h) {
        return coseismic_errors(
            lattice(r, window, h), kVolume_m3,
            [&](const Vec3& /*x*/, int lane) { return lane == 0 ? r.along_strike() : r.up_dip(); },
            exact);
    };

    std::vector<LaneErrors> errors;
    for (const double h : {4e3, 8e3 / 3.0, 2e3}) {
        errors.push_back(errors_of(with_rim(r, h), h));
    }
    const LaneErrors without_rim = errors_of(whole(r), 8e3 / 3.0);

    // The slip's edge is a singular line: less than for smooth slip.
    expect_convergence(errors, {1.05e-2, 1.9e-2, 2.2, 1.9});
    EXPECT_GT(without_rim.strike, 8.0 * errors[1].strike);
    EXPECT_GT(without_rim.dip, 6.0 * errors[1].dip);
}

using OkadaSurfaceBreaking = Okada;

TEST_F(OkadaSurfaceBreaking, VerticalFaultConvergesOnBothSidesOfItsTrace) {
    Rectangle r;
    r.top_m = 0.0;
    // Beside the trace the rectangles of the exact solution must be small.
    const VaryingSlip far(r, taper(r), 16, 8);
    const VaryingSlip near(r, taper(r), 320, 24);
    const auto exact = [&](const Vec3& x, int lane) {
        constexpr double kNear_m = 3e3;
        const bool is_near =
            x.z == 0.0 && std::abs(x.x) < kNear_m && std::abs(x.y) < 0.5 * r.length_m + kNear_m;
        return (is_near ? near : far).displacement(x, lane);
    };

    std::vector<LaneErrors> errors;
    for (const double h : {4e3, 8e3 / 3.0, 2e3}) {
        errors.push_back(coseismic_errors(
            lattice(r, whole(r), h), kVolume_m3,
            [&](const Vec3& x, int lane) { return near.slip(x, lane); }, exact));
    }

    // Not smooth at the trace, where slip along the strike meets the free surface.
    expect_convergence(errors, {2.4e-2, 4.5e-2, 2.0, 1.7});
}

using OkadaInterface = Okada;

TEST_F(OkadaInterface, HatOnADippingColumnLatticeConverges) {
    constexpr double kHalf_m = 48e3;
    constexpr double kBottom_m = 48e3;
    constexpr double kHat_m = 12e3;
    constexpr double kMiddle_m = 14e3;
    Rectangle r{2.0 * kHat_m, 2.0 * kHat_m, 0.0, 20.0};
    r.top_m = kMiddle_m - kHat_m * std::sin(r.dip());
    const auto hat = [](double s, double d) {
        return std::max(0.0, 1.0 - std::abs(s) / kHat_m) *
               std::max(0.0, 1.0 - std::abs(d - kHat_m) / kHat_m);
    };
    const VaryingSlip exact(r, hat, 24, 24);
    const sources::PlaneFault plane(r.top_centre(), 0.0, r.dip());

    std::vector<LaneErrors> errors;
    for (const double h : {5e3, 3.75e3, 3e3}) {
        meshing::ColumnLatticeParams params;
        params.box = {2.0 * kHalf_m, 2.0 * kHalf_m, kBottom_m, 0.0};
        params.sizes = {h, 3.0 * h, 0.3, static_cast<int>(15e3 / h), static_cast<int>(24e3 / h)};
        params.structure.materials = {rock()};
        params.structure.layers = {{0, std::nullopt}};
        params.interface_depth_m = [&](double x, double /*y*/) {
            return std::clamp(kMiddle_m + std::tan(r.dip()) * x, 5e3, 26e3);
        };
        params.fault = &plane;
        const double spare = 2.0 * h;  // the lattice's rim is a staircase up to a cell inside
        params.window = {-kHat_m - spare, kHat_m + spare, -spare, 2.0 * kHat_m + spare};
        errors.push_back(coseismic_errors(
            make_column_lattice(params)->build({}), 4.0 * kHalf_m * kHalf_m * kBottom_m,
            [&](const Vec3& x, int lane) { return exact.slip(x, lane); },
            [&](const Vec3& x, int lane) { return exact.displacement(x, lane); }));
    }

    expect_convergence(errors, {3.5e-3, 3.8e-3, 2.3, 2.3});
}

}  // namespace
}  // namespace kaname::convergence
