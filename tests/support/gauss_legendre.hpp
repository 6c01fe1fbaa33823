// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

namespace kaname::test {

struct GaussPoint {
    double x, weight;
};

/// Gauss and Legendre's rule on [a, b], by Newton on P_n.
inline std::vector<GaussPoint> gauss_legendre(int n, double a, double b) {
    std::vector<GaussPoint> rule(n);
    for (int i = 0; i < n; ++i) {
        double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
        double slope = 0.0;
        for (int pass = 0; pass < 8; ++pass) {
            double before = 1.0, p = x;
            for (int k = 2; k <= n; ++k) {
                const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = n * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        rule[i] = {0.5 * (a + b) + 0.5 * (b - a) * x, (b - a) / ((1.0 - x * x) * slope * slope)};
    }
    return rule;
}

}  // namespace kaname::test
