// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/dense.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "solvers/base/error.hpp"

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

/// Numbers of a small matrix on the stack: blocks of a diagonal are inverted by the million.
class Scratch {
public:
    explicit Scratch(std::size_t size) : many_(size > kFew ? size : 0, 0.0), size_(size) {}
    std::span<double> numbers() { return {many_.empty() ? few_ : many_.data(), size_}; }

private:
    static constexpr std::size_t kFew = 36;
    double few_[kFew] = {};
    std::vector<double> many_;
    std::size_t size_;
};

double* row_of(std::span<double> M, int n, int i) {
    return M.data() + std::size_t(i) * n;
}

/// A = L L^T in panels of columns; a dead pivot gets 1/L_ii = 0, which removes its row and column.
/// Each number is the same sum whatever the panels.
void factor(std::span<double> A, int n, double floor, std::span<double> inverse_pivot) {
    constexpr int kPanel = 32;
    const auto eliminate = [&](int i, int from, int to) {
        double* row = row_of(A, n, i);
        for (int j = from; j < to; ++j) {
            row[j] = (row[j] - dot_rows(row, row_of(A, n, j), j)) * inverse_pivot[j];
        }
    };
    for (int from = 0; from < n; from += kPanel) {
        const int to = std::min(from + kPanel, n);
        for (int i = from; i < to; ++i) {
            eliminate(i, from, i);
            double* row = row_of(A, n, i);
            const double pivot = row[i] - dot_rows(row, row, i);
            const bool alive = pivot > kPivotFloor * row[i] && pivot > floor;
            inverse_pivot[i] = alive ? 1.0 / std::sqrt(pivot) : 0.0;
        }
        for_each_row(n - to, [&](int k) { eliminate(to + k, from, to); });
    }
}

}  // namespace

void invert_semidefinite(std::span<double> A, int n, double floor) {
    const auto at = [n](std::span<double> M, int i) { return row_of(M, n, i); };
    Scratch pivots(n);
    const std::span<double> inverse_pivot = pivots.numbers();
    factor(A, n, floor, inverse_pivot);
    // Rows of W: column j of L^-1, so that (A^-1)_ij = sum_k W_ik W_jk.
    Scratch inverse(std::size_t(n) * n);
    const std::span<double> W = inverse.numbers();
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
                double* const row_p = M.data() + std::size_t(p) * n;
                double* const row_q = M.data() + std::size_t(q) * n;
                const double app = row_p[p];
                const double aqq = row_q[q];
                const double ratio = (aqq - app) / (2.0 * apq);
                const double t =
                    std::copysign(1.0, ratio) / (std::abs(ratio) + std::sqrt(1.0 + ratio * ratio));
                const double c = 1.0 / std::sqrt(1.0 + t * t);
                // Rows, then columns: the latter are the former's numbers but where the two cross
                // (Rutishauser 1966).
                rotate_rows(M, n, p, q, c, t * c);
                row_p[p] = app - t * apq;
                row_q[q] = aqq + t * apq;
                row_p[q] = row_q[p] = 0.0;
                for (int k = 0; k < n; ++k) {
                    M[std::size_t(k) * n + p] = row_p[k];
                    M[std::size_t(k) * n + q] = row_q[k];
                }
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
