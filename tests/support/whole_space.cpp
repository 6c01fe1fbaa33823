// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/whole_space.hpp"

#include <cmath>
#include <numbers>

namespace kaname::test {

double WholeSpace::near(double r_m, const std::function<double(double)>& s, double t_s) const {
    constexpr int kPoints = 400;
    const double from = r_m / vp_m_per_s, step = (r_m / vs_m_per_s - from) / kPoints;
    double sum = 0.0;
    for (int k = 0; k < kPoints; ++k) {
        const double tau = from + (k + 0.5) * step;
        sum += step * tau * s(t_s - tau);
    }
    return sum;
}

std::array<double, 3> WholeSpace::force(const std::array<double, 3>& x_m,
                                        const std::array<double, 3>& direction,
                                        const std::function<double(double)>& s, double t_s) const {
    const double r = std::hypot(x_m[0], x_m[1], x_m[2]);
    const double a = vp_m_per_s, b = vs_m_per_s;
    const double near_field = near(r, s, t_s) / (r * r * r);
    const double p = s(t_s - r / a) / (a * a * r), q = s(t_s - r / b) / (b * b * r);
    double along = 0.0;
    for (int j = 0; j < 3; ++j) {
        along += x_m[j] / r * direction[j];
    }
    std::array<double, 3> u{};
    for (int i = 0; i < 3; ++i) {
        const double g = x_m[i] / r;
        u[i] = (near_field * (3.0 * g * along - direction[i]) + p * g * along -
                q * (g * along - direction[i])) /
               (4.0 * std::numbers::pi * density_kg_m3);
    }
    return u;
}

std::array<double, 3> WholeSpace::moment(const std::array<double, 3>& x_m,
                                         const std::array<double, 6>& m,
                                         const std::function<double(double)>& s,
                                         const std::function<double(double)>& rate,
                                         double t_s) const {
    const double r = std::hypot(x_m[0], x_m[1], x_m[2]);
    const double a = vp_m_per_s, b = vs_m_per_s;
    const double full[3][3] = {{m[0], m[5], m[4]}, {m[5], m[1], m[3]}, {m[4], m[3], m[2]}};
    const double near_field = near(r, s, t_s) / std::pow(r, 4);
    const double p = s(t_s - r / a) / (a * a * r * r), q = s(t_s - r / b) / (b * b * r * r);
    const double far_p = rate(t_s - r / a) / (a * a * a * r);
    const double far_s = rate(t_s - r / b) / (b * b * b * r);
    // g M g, M g and tr M, in which the sums over p and q are
    //   g_n g_p g_q M_pq = g_n gmg,   g_n d_pq M_pq = g_n trace,   g_p d_nq M_pq = (M g)_n.
    double gmg = 0.0;
    std::array<double, 3> mg{};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            mg[i] += full[i][j] * x_m[j] / r;
        }
        gmg += x_m[i] / r * mg[i];
    }
    const double trace = m[0] + m[1] + m[2];
    std::array<double, 3> u{};
    for (int n = 0; n < 3; ++n) {
        const double g = x_m[n] / r;
        u[n] = (near_field * (15.0 * g * gmg - 3.0 * g * trace - 6.0 * mg[n]) +
                p * (6.0 * g * gmg - g * trace - 2.0 * mg[n]) -
                q * (6.0 * g * gmg - g * trace - 3.0 * mg[n]) + far_p * g * gmg -
                far_s * (g * gmg - mg[n])) /
               (4.0 * std::numbers::pi * density_kg_m3);
    }
    return u;
}

}  // namespace kaname::test
