// SPDX-License-Identifier: BSD-3-Clause
// Surface displacement of faults in an elastic half-space against Okada's closed form: the sides
// and the bottom of the box move as the half-space does, so only the discretisation is left.
// Bounds are half as large again as what was measured.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/fault/fault_surface.hpp"
#include "tests/convergence/okada_cases.hpp"
#include "tests/support/lattice/lattices.hpp"

namespace kaname::convergence::okada_test {
namespace {

/// Every mesh is better than the one before, too: they differ by the size of their cells alone.
void expect_steady_convergence(const std::vector<LaneErrors>& errors, const Bounds& bounds) {
    expect_convergence(errors, bounds);
    for (std::size_t k = 1; k < errors.size(); ++k) {
        EXPECT_LT(errors[k].strike, errors[k - 1].strike);
        EXPECT_LT(errors[k].dip, errors[k - 1].dip);
    }
}

class Okada : public testing::Test {
protected:
    void SetUp() override { device::set_threads(1); }
};

const std::vector<double> kSizes_m = {4e3, 8e3 / 3.0, 2e3};

class OkadaTapered : public Okada, public testing::WithParamInterface<DipCase> {};

TEST_P(OkadaTapered, SurfaceErrorFallsWithOrderOver2_3) {
    expect_steady_convergence(tapered_errors(lattice, GetParam().dip_deg, kSizes_m),
                              GetParam().bounds);
}

INSTANTIATE_TEST_SUITE_P(Dips, OkadaTapered,
                         testing::Values(DipCase{30.0, {9.0e-3, 1.9e-2, 2.3, 2.3}}), dip_name);
// Lattices are of tests alone; OkadaCleavedTapered has the meshes of jobs.
INSTANTIATE_TEST_SUITE_P(LongDips, OkadaTapered,
                         testing::Values(DipCase{90.0, {4.6e-3, 1.0e-2, 2.3, 2.3}},
                                         DipCase{60.0, {5.7e-3, 1.3e-2, 2.3, 2.3}},
                                         DipCase{45.0, {5.0e-3, 1.05e-2, 2.3, 2.3}}),
                         dip_name);

using OkadaUniform = Okada;

TEST_F(OkadaUniform, RimMovedOutByASixthOfACellMakesARectangle) {
    Rectangle r;
    r.dip_deg = 60.0;
    std::vector<LaneErrors> errors;
    for (const double h : kSizes_m) {
        errors.push_back(uniform_errors(r, lattice(r, with_rim(r, h), h)));
    }
    const LaneErrors without_rim = uniform_errors(r, lattice(r, whole(r), kSizes_m[1]));

    // The slip's edge is a singular line: less than for smooth slip.
    expect_steady_convergence(errors, {1.05e-2, 1.9e-2, 2.2, 1.9});
    EXPECT_GT(without_rim.strike, 8.0 * errors[1].strike);
    EXPECT_GT(without_rim.dip, 6.0 * errors[1].dip);
}

using OkadaSurfaceBreakingLong = Okada;

TEST_F(OkadaSurfaceBreakingLong, VerticalFaultConvergesOnBothSidesOfItsTrace) {
    const std::vector<LaneErrors> errors = surface_breaking_errors(lattice, kSizes_m);

    // Not smooth at the trace, where slip along the strike meets the free surface.
    expect_steady_convergence(errors, {2.4e-2, 4.5e-2, 2.0, 1.7});
}

using OkadaInterfaceLong = Okada;

TEST_F(OkadaInterfaceLong, HatOnADippingColumnLatticeConverges) {
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
    const fault::PlaneFault plane(r.top_centre(), 0.0, r.dip());

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
        errors.push_back(varying_errors(make_column_lattice(params)->build({}),
                                        4.0 * kHalf_m * kHalf_m * kBottom_m, exact));
    }

    expect_steady_convergence(errors, {3.5e-3, 3.8e-3, 2.3, 2.3});
}

}  // namespace
}  // namespace kaname::convergence::okada_test
