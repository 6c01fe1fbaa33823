// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/non_negative_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace kaname::aderdg {
namespace {

using Column = std::vector<double>;

double scalar_product(const Column& a, const Column& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(Column& a, double factor, const Column& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] -= factor * b[i];
    }
}

/// Least squares in the columns that are free, 0 in the others: Q R by Gram and Schmidt, twice.
Column least_squares(const std::vector<Column>& columns, const std::vector<bool>& free,
                     const Column& values) {
    std::vector<std::size_t> which;
    std::vector<Column> q, r;  // r[j]: column j of R
    Column rest = values, right;
    for (std::size_t l = 0; l < columns.size(); ++l) {
        if (!free[l]) {
            continue;
        }
        Column column = columns[l];
        Column part(which.size(), 0.0);
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t j = 0; j < q.size(); ++j) {
                const double along = scalar_product(q[j], column);
                part[j] += along;
                subtract(column, along, q[j]);
            }
        }
        const double length = std::sqrt(scalar_product(column, column));
        for (double& value : column) {
            value /= length;
        }
        part.push_back(length);
        right.push_back(scalar_product(column, rest));
        subtract(rest, right.back(), column);
        which.push_back(l);
        q.push_back(column);
        r.push_back(part);
    }
    Column x(columns.size(), 0.0);
    for (std::size_t j = which.size(); j-- > 0;) {
        double value = right[j];
        for (std::size_t k = j + 1; k < which.size(); ++k) {
            value -= r[k][j] * x[which[k]];
        }
        x[which[j]] = value / r[j][j];
    }
    return x;
}

}  // namespace

std::vector<double> non_negative_fit(const std::vector<std::vector<double>>& columns,
                                     const std::vector<double>& values) {
    const std::size_t n = columns.size();
    Column x(n, 0.0);
    std::vector<bool> free(n, false);
    // Each turn frees the column along which the misfit falls fastest; a bound on the turns, as
    // rounding may free and fix one column again and again.
    constexpr std::size_t kTurns = 10;
    for (std::size_t turn = 0; turn < kTurns * n; ++turn) {
        Column rest = values;
        for (std::size_t l = 0; l < n; ++l) {
            subtract(rest, x[l], columns[l]);
        }
        constexpr double kLeast = 1e-12;
        double steepest = kLeast;
        std::size_t next = n;
        for (std::size_t l = 0; l < n; ++l) {
            const double slope =
                scalar_product(columns[l], rest) / scalar_product(columns[l], columns[l]);
            if (!free[l] && slope > steepest) {
                steepest = slope;
                next = l;
            }
        }
        if (next == n) {
            break;
        }
        free[next] = true;
        Column wanted = least_squares(columns, free, values);
        // Walks towards it until a share would be negative, which is then fixed at 0.
        while (std::ranges::any_of(wanted, [](double value) { return value < 0.0; })) {
            double step = 1.0;
            for (std::size_t l = 0; l < n; ++l) {
                if (wanted[l] < 0.0) {
                    step = std::min(step, x[l] / (x[l] - wanted[l]));
                }
            }
            for (std::size_t l = 0; l < n; ++l) {
                const bool bound = wanted[l] < 0.0 && x[l] / (x[l] - wanted[l]) <= step;
                x[l] += step * (wanted[l] - x[l]);
                if (bound) {
                    x[l] = 0.0;
                    free[l] = false;
                }
            }
            wanted = least_squares(columns, free, values);
        }
        x = wanted;
    }
    return x;
}

}  // namespace kaname::aderdg
