// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/gauss.hpp"

#include <cmath>
#include <utility>

namespace kaname::aderdg {
namespace {

constexpr int kMost = 12;

std::vector<double> make_legendre(int n) {
    // sum_k (-1)^(n+k) binom(n, k) binom(n + k, k) x^k
    std::vector<double> c(n + 1);
    for (int k = 0; k <= n; ++k) {
        const double size =
            std::round(std::tgamma(n + k + 1) /
                       (std::tgamma(k + 1) * std::tgamma(k + 1) * std::tgamma(n - k + 1)));
        c[k] = (n + k) % 2 == 0 ? size : -size;
    }
    return c;
}

/// Legendre's polynomial of degree n on [-1, 1] and its derivative, by recurrence: powers would
/// lose digits.
std::array<double, 2> legendre_at(int n, double x) {
    double last = 0.0, now = 1.0;
    for (int k = 1; k <= n; ++k) {
        last = std::exchange(now, ((2 * k - 1) * x * now - (k - 1) * last) / k);
    }
    return {now, n * (last - x * now) / (1.0 - x * x)};
}

GaussRule make_rule(int n) {
    GaussRule rule;
    for (int i = 0; i < n; ++i) {
        double at = -std::cos(M_PI * (i + 0.75) / (n + 0.5));
        for (int turn = 0; turn < 10; ++turn) {
            const auto [value, slope] = legendre_at(n, at);
            at -= value / slope;
        }
        const double slope = legendre_at(n, at)[1];
        rule.x.push_back(0.5 + 0.5 * at);
        rule.w.push_back(1.0 / ((1.0 - at * at) * slope * slope));
    }
    return rule;
}

template <class Value, class Make>
std::vector<Value> table(const Make& make) {
    std::vector<Value> all;
    for (int n = 0; n <= kMost; ++n) {
        all.push_back(make(n));
    }
    return all;
}

}  // namespace

double polynomial(const std::vector<double>& c, double x) {
    double sum = 0.0;
    for (std::size_t k = c.size(); k-- > 0;) {
        sum = sum * x + c[k];
    }
    return sum;
}

const std::vector<double>& legendre(int n) {
    static const auto all = table<std::vector<double>>(make_legendre);
    return all[n];
}

const GaussRule& gauss_rule(int n) {
    static const auto all = table<GaussRule>(make_rule);
    return all[n];
}

TetRule::TetRule(int n) {
    const GaussRule& rule = gauss_rule(n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < n; ++k) {
                const double a = rule.x[i], b = rule.x[j], c = rule.x[k];
                const double l3 = c, l2 = b * (1 - c), l1 = a * (1 - b) * (1 - c);
                points.push_back(
                    {{1.0 - l1 - l2 - l3, l1, l2, l3},
                     6.0 * rule.w[i] * rule.w[j] * rule.w[k] * (1 - b) * (1 - c) * (1 - c)});
            }
        }
    }
}

/// x = A^-1 b of a positive definite matrix, by Cholesky's factors.
std::vector<double> solved(std::vector<double> a, std::vector<double> b) {
    const int n = static_cast<int>(b.size());
    const auto at = [&](int i, int j) -> double& { return a[static_cast<std::size_t>(i) * n + j]; };
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k) {
            at(j, j) -= at(j, k) * at(j, k);
        }
        at(j, j) = std::sqrt(at(j, j));
        for (int i = j + 1; i < n; ++i) {
            for (int k = 0; k < j; ++k) {
                at(i, j) -= at(i, k) * at(j, k);
            }
            at(i, j) /= at(j, j);
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            b[i] -= at(i, k) * b[k];
        }
        b[i] /= at(i, i);
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            b[i] -= at(k, i) * b[k];
        }
        b[i] /= at(i, i);
    }
    return b;
}

}  // namespace kaname::aderdg
