// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/parallel/pack.hpp"
#include "solvers/rupture/kernels/friction_body.hpp"

namespace kaname::rupture::kernels::rate_solve_test {
namespace {

/// Root of A y + V0 (e^(y - p) - e^(-y - p)) = R by halving, in long double.
long double halved(double direct, double limit, double p, double v0) {
    const auto rate = [&](long double y) {
        return v0 * 2.0L * std::exp(-(long double)p) * std::sinh(y);
    };
    long double low = 0.0L, high = 1000.0L;
    for (int k = 0; k < 200; ++k) {
        const long double mid = 0.5L * (low + high);
        (direct * mid + rate(mid) < limit ? low : high) = mid;
    }
    return rate(low);
}

TEST(RateSolve, AgreesWithHalvingFromAnyGuess) {
    constexpr double kV0 = 1e-6;
    double worst = 0.0;
    int solved = 0;
    for (const double direct : {1e-3, 0.02, 0.2, 5.0}) {
        for (const double limit : {1e-6, 0.01, 1.0, 20.0, 200.0, 5000.0}) {
            for (const double p : {-5.0, 0.5, 20.0, 75.0, 110.0, 400.0}) {
                const double wanted = static_cast<double>(halved(direct, limit, p, kV0));
                if (wanted < 1e-200) {
                    continue;  // of which 1e-12 is asked from no one
                }
                for (const double guess : {1e-30, 1e-9, 1.0, 1e3}) {
                    RateSolve<double> solve(kV0, p, guess);
                    const double got = solve(direct, limit, p, true, 0.0);
                    worst = std::max(worst, std::abs(got / wanted - 1.0));
                    ++solved;
                }
            }
        }
    }
    EXPECT_GT(solved, 300);
    EXPECT_LT(worst, 1e-11);
}

TEST(RateSolve, NothingIsNeverDividedByNothing) {
    for (const double v0 : {1e-20, 1e-6, 1.0}) {
        for (const double direct : {0.0, 1e-300, 1e-3, 1e10}) {
            for (const double limit : {0.0, 1e-300, 1e-10, 1.0, 1e6}) {
                for (const double p : {-1e5, -300.0, 0.0, 80.0, 700.0, 1e5}) {
                    for (const double guess : {0.0, 1e-30, 1e3}) {
                        RateSolve<double> solve(v0, p, guess);
                        const double rate = solve(direct, limit, p, true, -1.0);
                        EXPECT_GE(rate, 0.0) << v0 << " " << direct << " " << limit << " " << p;
                        EXPECT_LE(rate, limit * (1.0 + 1e-12) + 1e-300)
                            << v0 << " " << direct << " " << limit << " " << p;
                    }
                }
            }
        }
    }
}

TEST(RateSolve, WithoutFrictionDampingAloneHolds) {
    RateSolve<double> solve(1e-6, 80.0, 1e-12);
    EXPECT_NEAR(solve(0.0, 3.5, 80.0, true, 0.0), 3.5, 1e-11);
}

TEST(RateSolve, LanesDoNotKnowOfEachOther) {
    Pack<double> v0, p, guess, direct, limit;
    for (int k = 0; k < kPack<double>; ++k) {
        v0.set(k, 1e-6);
        p.set(k, 60.0 + 5.0 * k);
        guess.set(k, std::pow(10.0, -12.0 + 2 * k));
        direct.set(k, 0.01 * (k + 1));
        limit.set(k, k == 3 ? 0.0 : 16.0);
    }
    RateSolve<Pack<double>> solve(v0, p, guess);

    const Pack<double> together = solve(direct, limit, p, Pack<double>{} < v0, v0);

    for (int k = 0; k < kPack<double>; ++k) {
        RateSolve<double> alone(v0[k], p[k], guess[k]);
        const double rate = alone(direct[k], limit[k], p[k], true, 0.0);
        EXPECT_NEAR(together[k], rate, 1e-13 * rate) << k;
    }
}

}  // namespace
}  // namespace kaname::rupture::kernels::rate_solve_test
