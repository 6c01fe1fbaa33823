// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/quadrature.hpp"

#include <cmath>
#include <stdexcept>
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

namespace {

/// Points that symmetry makes of one: 1 the middle, 3 with two coordinates `a`, 6 with `a` and `b`.
struct Orbit {
    int size;
    double weight, a, b;
};

// D. A. Dunavant, High degree efficient symmetrical Gaussian quadrature rules for the triangle,
// Int. J. Numer. Meth. Engng. 21 (1985), by Newton's steps to all digits of a double.
const std::vector<Orbit> kDegree2 = {{3, 0.33333333333333331, 0.16666666666666666, 0}};
const std::vector<Orbit> kDegree4 = {{3, 0.22338158967801158, 0.44594849091596489, 0},
                                     {3, 0.10995174365532177, 0.09157621350977066, 0}};
const std::vector<Orbit> kDegree6 = {
    {3, 0.11678627572637967, 0.24928674517091023, 0},
    {3, 0.050844906370206916, 0.063089014491502324, 0},
    {6, 0.082851075618373377, 0.053145049844816827, 0.31035245103378462}};
const std::vector<Orbit> kDegree8 = {
    {1, 0.1443156076777872, 1.0 / 3.0, 0},
    {3, 0.095091634267284425, 0.45929258829272324, 0},
    {3, 0.10321737053471818, 0.17056930775176046, 0},
    {3, 0.032458497623198176, 0.050547228317031068, 0},
    {6, 0.027230314174435114, 0.0083947774099578341, 0.263112829634638}};
const std::vector<Orbit> kDegree10 = {
    {1, 0.090817990382753441, 1.0 / 3.0, 0},
    {3, 0.036725957756466886, 0.48557763338365723, 0},
    {3, 0.045321059435528076, 0.10948157548503711, 0},
    {6, 0.07275791684541992, 0.14170721941488024, 0.3079398387641209},
    {6, 0.028327242531057516, 0.025003534762686439, 0.24667256063990303},
    {6, 0.0094216669637328318, 0.0095408154002992688, 0.066803251012200457}};
const std::vector<Orbit> kDegree12 = {
    {3, 0.025731066440455485, 0.48821738977380474, 0},
    {3, 0.04369254453803989, 0.43972439229446014, 0},
    {3, 0.062858224217886061, 0.2712103850121152, 0},
    {3, 0.034796112930707342, 0.12757614554158531, 0},
    {3, 0.00616626105155876, 0.021317350453209684, 0},
    {6, 0.040371557766380885, 0.11534349453469613, 0.27571326968551041},
    {6, 0.022356773202302917, 0.022838332222256286, 0.28132558098993993},
    {6, 0.01731623110865909, 0.025734050548330487, 0.11625191590759643}};

const std::vector<Orbit>& orbits_of(int degree) {
    switch (degree) {
        case 2:
            return kDegree2;
        case 4:
            return kDegree4;
        case 6:
            return kDegree6;
        case 8:
            return kDegree8;
        case 10:
            return kDegree10;
        case 12:
            return kDegree12;
        default:
            throw std::out_of_range("triangle_points: degree 2, 4 .. 12");
    }
}

}  // namespace

std::vector<TrianglePoint> triangle_points(int degree) {
    std::vector<TrianglePoint> points;
    for (const Orbit& o : orbits_of(degree)) {
        const double b = o.size == 6 ? o.b : o.a, c = 1.0 - o.a - b;
        const auto add = [&](double x, double y, double z) {
            points.push_back({{x, y, z}, o.weight});
        };
        if (o.size == 1) {
            add(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0);
            continue;
        }
        add(o.a, b, c);
        add(b, c, o.a);
        add(c, o.a, b);
        if (o.size == 6) {
            add(b, o.a, c);
            add(o.a, c, b);
            add(c, b, o.a);
        }
    }
    return points;
}

}  // namespace kaname::aderdg
