// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "solvers/viscoelastic/spectrum/reduced_transform.hpp"

namespace kaname::viscoelastic::inverse_laplace_test {
namespace {

using Complex = std::complex<double>;

std::vector<double> inverted(std::span<const double> times_s,
                             const std::function<Complex(Complex)>& F) {
    const LaplaceContour contour = laplace_contour(times_s);
    std::vector<double> f(times_s.size(), 0.0);
    for (const auto& window : contour.windows) {
        for (std::size_t row = 0; row < window.times.size(); ++row) {
            for (std::size_t k = 0; k < window.n_nodes; ++k) {
                f[window.times[row]] += std::real(window.weights[row * window.n_nodes + k] *
                                                  F(contour.s[window.first_node + k]));
            }
        }
    }
    return f;
}

// Times over five decades, out of order.
std::vector<double> some_times() {
    std::vector<double> times_s;
    for (int k = 0; k < 60; ++k) {
        times_s.push_back(1e5 * std::pow(10.0, (k * 17 % 60) / 12.0));
    }
    return times_s;
}

TEST(InverseLaplace, ExponentialsOfEightDecades) {
    const std::vector<double> times_s = some_times();
    for (int decade = -14; decade <= -2; ++decade) {
        const double rate = std::pow(10.0, decade);
        const auto f = inverted(times_s, [&](Complex s) { return 1.0 / (s + rate); });
        for (std::size_t k = 0; k < times_s.size(); ++k) {
            EXPECT_NEAR(f[k], std::exp(-rate * times_s[k]), 2e-9) << rate << " " << times_s[k];
        }
    }
}

TEST(InverseLaplace, RelaxationModulusOfABurgersBody) {
    const Relaxation body = burgers(6e10, 1e19, 3e10, 3e17);
    const std::vector<double> times_s = some_times();
    const auto f = inverted(times_s, [&](Complex s) { return body.at(s) / s; });
    for (std::size_t k = 0; k < times_s.size(); ++k) {
        EXPECT_NEAR(f[k], body.at_time(times_s[k]), 2e-9) << times_s[k];
    }
}

TEST(InverseLaplace, OneTimeAndNone) {
    const std::vector<double> one = {3e7};
    EXPECT_NEAR(inverted(one, [](Complex s) { return 1.0 / (s * (s + 1e-8)); })[0],
                -std::expm1(-0.3) / 1e-8, 1.0);
    EXPECT_TRUE(laplace_contour({}).windows.empty());
    const std::vector<double> zero = {0.0};
    EXPECT_TRUE(laplace_contour(zero).windows.empty());
    const std::vector<double> negative = {1.0, -1.0};
    EXPECT_THROW((void)laplace_contour(negative), Error);
}

TEST(InverseLaplace, ModulusAtRealShiftsIsThatOfBefore) {
    const Relaxation solid = standard_linear_solid(6e10, 2e10, 1e19);
    EXPECT_EQ(solid.at(Complex(1e-9)).real(), solid.at(1e-9));
    EXPECT_EQ(solid.at(Complex(1e-9)).imag(), 0.0);
}

}  // namespace
}  // namespace kaname::viscoelastic::inverse_laplace_test
