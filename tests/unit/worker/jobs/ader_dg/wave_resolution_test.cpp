// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/wave_resolution.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::jobs::wave_resolution_test {
namespace {

TEST(WantedElements, AreFewerForHigherOrders) {
    EXPECT_NEAR(wanted_elements_per_wavelength(5), 2.0, 1e-3);
    for (int order = 3; order <= aderdg::kMostOrder; ++order) {
        EXPECT_LT(wanted_elements_per_wavelength(order), wanted_elements_per_wavelength(order - 1));
    }
    EXPECT_GT(wanted_elements_per_wavelength(aderdg::kMostOrder), 1.0);
}

TEST(WantedElements, LoseTheSameAmplitudeWithLinearElements) {
    // u' = -u_x in cells of length 1, u = a + b s with s from -1 to 1, upwind fluxes, in waves
    // that gain a factor e = exp(-i k) from a cell to its left neighbour:
    //   a' = -(a + b) + e (a + b),   b' / 3 = 2 a - (a + b) - e (a + b)
    // The mode near -i k of this system loses this much while the wave goes 30 wavelengths:
    using Complex = std::complex<double>;
    const double elements = wanted_elements_per_wavelength(2);
    const double k = 2.0 * std::numbers::pi / elements;
    const Complex e = std::exp(Complex(0.0, -k));
    const Complex aa = e - 1.0, ab = e - 1.0, ba = 3.0 * (1.0 - e), bb = -3.0 * (1.0 + e);
    const Complex half = 0.5 * (aa + bb);
    const Complex root = std::sqrt(half * half - (aa * bb - ab * ba));
    Complex mode = half + root;
    if (std::abs(mode + Complex(0.0, k)) > std::abs(half - root + Complex(0.0, k))) {
        mode = half - root;
    }
    EXPECT_NEAR(mode.imag(), -k, 1e-3 * k);
    EXPECT_NEAR(std::exp(mode.real() * 30.0 * elements), 1.0 - 0.0123, 5e-4);
}

/// Two cells of 100 x 100 x 100 m, six tets each, on top of each other.
aderdg::WaveModel two_cells() {
    test::BoxMesh box;
    box.cells = {1, 1, 2};
    box.low = {0.0, 0.0, -200.0};
    box.high = {100.0, 100.0, 0.0};
    box.material = [](const Vec3& x) { return x.z > -100.0 ? 0 : 1; };
    aderdg::WaveModel model;
    model.mesh = box.build();
    const double mu = 2000.0 * 800.0 * 800.0;
    model.solids = {{2000.0, 2.0 * mu, mu, {}}, {1000.0, 1000.0 * 1500.0 * 1500.0, 0.0, {}}};
    return model;
}

TEST(WaveResolution, IsTheLongestEdgesAgainstTheSlowestWave) {
    const WaveResolution result = measure_resolution(two_cells(), 2.0, 3.0);

    const double diagonal = 100.0 * std::sqrt(3.0);
    EXPECT_NEAR(result.worst.per_wavelength, 400.0 / diagonal, 1e-9);
    EXPECT_NEAR(result.worst.edge_m, diagonal, 1e-9);
    EXPECT_GT(result.worst.centroid.z, -100.0);
    // Below, a liquid: 750 m of P waves.
    EXPECT_NEAR(result.mean, 0.5 * (400.0 + 750.0) / diagonal, 1e-9);
    EXPECT_NEAR(result.share_coarse, 0.5, 1e-12);
    EXPECT_NEAR(result.resolved_hz(), 800.0 / (3.0 * diagonal), 1e-9);
}

TEST(WaveResolution, IsNotedBelowThreeQuartersAndRefusedBelowAHalf) {
    const aderdg::WaveModel model = two_cells();  // 4.62 / Hz elements
    const auto at = [&](double hz) { return measure_resolution(model, hz, 2.0); };

    EXPECT_FALSE(resolution_note(at(2.5)));
    EXPECT_TRUE(resolution_note(at(3.2)));
    EXPECT_NO_THROW(require_resolution(at(4.6), "f"));
    EXPECT_THROW(require_resolution(at(4.7), "f"), ValidationError);
}

}  // namespace
}  // namespace kaname::jobs::wave_resolution_test
