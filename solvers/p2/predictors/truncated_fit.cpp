// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/truncated_fit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kaname::predictors {
namespace {

double dot(const double* x, const double* y, std::size_t n) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// y -= c x
void subtract(double c, const double* x, double* y, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
        y[i] -= c * x[i];
    }
}

}  // namespace

int truncated_fit(std::span<double> X, std::span<double> b, double drop, std::span<double> a) {
    const std::size_t rows = b.size();
    const std::size_t n_columns = a.size();
    std::fill(a.begin(), a.end(), 0.0);
    std::vector<std::size_t> kept;
    std::vector<double> R(n_columns * n_columns, 0.0);  // [kept][column]
    std::vector<double> c;
    for (std::size_t j = 0; j < n_columns; ++j) {
        double* x = X.data() + j * rows;
        const double original = std::sqrt(dot(x, x, rows));
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const double* q = X.data() + kept[k] * rows;
            R[k * n_columns + j] = dot(q, x, rows);
            subtract(R[k * n_columns + j], q, x, rows);
        }
        const double norm = std::sqrt(dot(x, x, rows));
        if (!(norm > drop * original)) {
            continue;
        }
        std::transform(x, x + rows, x, [norm](double v) { return v / norm; });
        R[kept.size() * n_columns + j] = norm;
        kept.push_back(j);
        c.push_back(dot(x, b.data(), rows));
        subtract(c.back(), x, b.data(), rows);
    }
    for (std::size_t k = kept.size(); k-- > 0;) {
        double value = c[k];
        for (std::size_t l = k + 1; l < kept.size(); ++l) {
            value -= R[k * n_columns + kept[l]] * a[kept[l]];
        }
        a[kept[k]] = value / R[k * n_columns + kept[k]];
    }
    return static_cast<int>(kept.size());
}

}  // namespace kaname::predictors
