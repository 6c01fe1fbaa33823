// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/dense.hpp"

#include <cmath>
#include <vector>

namespace kaname::linalg {
namespace {

constexpr double kPivotFloor = 1e-6;

// Enough independent sums to hide the latency of the additions.
constexpr int kSums = 32;
// Smaller matrices are not worth waking the threads.
constexpr int kManyRows = 64;

double dot_rows(const double* a, const double* b, int n) {
    int k = 0;
    double sum = 0.0;
    if (n >= kSums) {
        double sums[kSums] = {};
        for (; k + kSums <= n; k += kSums) {
            for (int l = 0; l < kSums; ++l) {
                sums[l] += a[k + l] * b[k + l];
            }
        }
        for (const double part : sums) {
            sum += part;
        }
    }
    for (; k < n; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

template <class Body>
void for_each_row(int n, const Body& body) {
    if (n < kManyRows) {
        for (int i = 0; i < n; ++i) {
            body(i);
        }
        return;
    }
#pragma omp parallel for schedule(dynamic, 8)
    for (int i = 0; i < n; ++i) {
        body(i);
    }
}

}  // namespace

void invert_semidefinite(std::span<double> A, int n, double floor) {
    const auto at = [n](std::span<double> M, int i) { return M.data() + std::size_t(i) * n; };
    // A = L L^T, row by row; a dead pivot gets 1/L_ii = 0, which removes its row and column.
    std::vector<double> inverse_pivot(n);
    for (int i = 0; i < n; ++i) {
        double* row = at(A, i);
        for (int j = 0; j < i; ++j) {
            row[j] = (row[j] - dot_rows(row, at(A, j), j)) * inverse_pivot[j];
        }
        const double pivot = row[i] - dot_rows(row, row, i);
        const bool alive = pivot > kPivotFloor * row[i] && pivot > floor;
        inverse_pivot[i] = alive ? 1.0 / std::sqrt(pivot) : 0.0;
    }
    // Rows of W: column j of L^-1, so that (A^-1)_ij = sum_k W_ik W_jk.
    std::vector<double> inverse(std::size_t(n) * n, 0.0);
    const std::span<double> W(inverse);
    for_each_row(n, [&](int j) {
        double* w = at(W, j);
        w[j] = inverse_pivot[j];
        for (int i = j + 1; i < n; ++i) {
            w[i] = -dot_rows(at(A, i) + j, w + j, i - j) * inverse_pivot[i];
        }
    });
    for_each_row(n, [&](int i) {
        for (int j = 0; j <= i; ++j) {
            const double value = dot_rows(at(W, i) + i, at(W, j) + i, n - i);
            at(A, i)[j] = value;
            at(A, j)[i] = value;
        }
    });
}

}  // namespace kaname::linalg
