// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/base/error.hpp"

namespace kaname::linalg {
namespace {

constexpr int kMaxSweeps = 60;  // it takes about ten

/// Rows p and q of a row-major matrix, turned by (c, s).
void rotate_rows(std::vector<double>& M, int n, int p, int q, double c, double s) {
    double* a = M.data() + std::size_t(p) * n;
    double* b = M.data() + std::size_t(q) * n;
    for (int k = 0; k < n; ++k) {
        const double x = a[k];
        const double y = b[k];
        a[k] = c * x - s * y;
        b[k] = s * x + c * y;
    }
}

void rotate_columns(std::vector<double>& M, int n, int p, int q, double c, double s) {
    for (int k = 0; k < n; ++k) {
        double* row = M.data() + std::size_t(k) * n;
        const double x = row[p];
        const double y = row[q];
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
}

}  // namespace

SymmetricEigen symmetric_eigen(std::span<const double> A, int n) {
    std::vector<double> M(std::size_t(n) * n);
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double value = A[std::size_t(i) * n + j];
            if (!std::isfinite(value)) {
                throw Error(ErrorCode::InvalidArgument,
                            "a symmetric matrix must be finite, entry (" + std::to_string(i) +
                                ", " + std::to_string(j) + ") is " + std::to_string(value));
            }
            M[std::size_t(i) * n + j] = M[std::size_t(j) * n + i] = value;
            size = std::max(size, std::abs(value));
        }
    }
    std::vector<double> V(M.size(), 0.0);
    for (int i = 0; i < n; ++i) {
        V[std::size_t(i) * n + i] = 1.0;
    }
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        double off = 0.0;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                const double apq = M[std::size_t(p) * n + q];
                off = std::max(off, std::abs(apq));
                if (std::abs(apq) <= 1e-18 * size) {
                    continue;
                }
                // tan of the angle that makes entry (p, q) vanish, the smaller of two.
                const double app = M[std::size_t(p) * n + p];
                const double aqq = M[std::size_t(q) * n + q];
                const double ratio = (aqq - app) / (2.0 * apq);
                const double t =
                    std::copysign(1.0, ratio) / (std::abs(ratio) + std::hypot(1.0, ratio));
                const double c = 1.0 / std::hypot(1.0, t);
                rotate_rows(M, n, p, q, c, t * c);
                rotate_columns(M, n, p, q, c, t * c);
                rotate_rows(V, n, p, q, c, t * c);
            }
        }
        if (off <= 1e-17 * size) {
            break;
        }
    }
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    const auto value = [&](int k) { return M[std::size_t(k) * n + k]; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value(a) < value(b); });
    SymmetricEigen result;
    for (const int k : order) {
        result.value.push_back(value(k));
        result.vector.insert(result.vector.end(), V.begin() + std::ptrdiff_t(k) * n,
                             V.begin() + std::ptrdiff_t(k + 1) * n);
    }
    return result;
}

}  // namespace kaname::linalg
