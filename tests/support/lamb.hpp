// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace kaname::test {

/// Lamb's problem for Poisson's ratio 1/4 (Pekeris 1955, PNAS 41, 469): displacement of the surface
/// along a force that begins to push on it at t = 0 and then stays the same, times 32 pi G r/F, at
/// tau = c_s t/r. From P at 1/sqrt(3) and S at 1 to Rayleigh's pole at gamma:
///   6 - sqrt(3)/sqrt(tau^2 - 1/4) - a/sqrt(gamma^2 - tau^2) + b/sqrt(tau^2 - delta^2),
///   12 - 2 a/sqrt(gamma^2 - tau^2),
///   12,
/// a, b = sqrt(3 sqrt(3) +- 5), gamma, delta = sqrt(3 +- sqrt(3))/2.
class PekerisStep {
public:
    static double at(double tau) {
        if (tau < kP) {
            return 0.0;
        }
        if (tau >= kGamma) {
            return 12.0;
        }
        const double pole = kA / std::sqrt(kGamma * kGamma - tau * tau);
        if (tau > 1.0) {
            return 12.0 - 2.0 * pole;
        }
        return 6.0 - std::sqrt(3.0 / (tau * tau - 0.25)) - pole +
               kB / std::sqrt(tau * tau - kDelta * kDelta);
    }
    /// Its integral from 0 to tau, in which the pole is an arcsine.
    static double integral(double tau) {
        const auto from_p = [](double to) {
            const auto until = [](double x) {
                return 6.0 * x - std::sqrt(3.0) * std::acosh(2.0 * x) - kA * std::asin(x / kGamma) +
                       kB * std::acosh(x / kDelta);
            };
            return until(to) - until(kP);
        };
        const auto from_s = [](double to) {
            return 12.0 * (to - 1.0) -
                   2.0 * kA * (std::asin(to / kGamma) - std::asin(1.0 / kGamma));
        };
        if (tau < 1.0) {
            return tau < kP ? 0.0 : from_p(tau);
        }
        return from_p(1.0) + from_s(std::min(tau, kGamma)) + 12.0 * std::max(0.0, tau - kGamma);
    }

    static inline const double kP = 1.0 / std::sqrt(3.0);
    static inline const double kGamma = std::sqrt(3.0 + std::sqrt(3.0)) / 2.0;

private:
    static inline const double kDelta = std::sqrt(3.0 - std::sqrt(3.0)) / 2.0;
    static inline const double kA = std::sqrt(3.0 * std::sqrt(3.0) + 5.0);
    static inline const double kB = std::sqrt(3.0 * std::sqrt(3.0) - 5.0);
};

/// Displacement [m] along a force of s(t) newtons on the surface of a solid of Poisson's ratio 1/4,
/// r_m away on it: int s'(t - t') u_step(t') dt' as a sum over short times of the change of s by
/// the mean of u_step, which is exact at the pole.
inline double lamb(double shear_modulus_pa, double vs_m_per_s, double r_m,
                   const std::function<double(double)>& s, double t_s) {
    constexpr int kPerUnit = 400;  // of tau
    const double unit_s = r_m / vs_m_per_s;
    const int n = static_cast<int>(std::ceil(t_s / unit_s * kPerUnit));
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        const double from = double(k) / kPerUnit, to = double(k + 1) / kPerUnit;
        const double mean = kPerUnit * (PekerisStep::integral(to) - PekerisStep::integral(from));
        sum += mean * (s(t_s - from * unit_s) - s(t_s - to * unit_s));
    }
    return sum / (32.0 * std::numbers::pi * shear_modulus_pa * r_m);
}

}  // namespace kaname::test
