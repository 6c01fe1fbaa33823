// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>
#include <vector>

#include "solvers/device/threads.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/linalg/pcg.hpp"

namespace kaname::linalg {

/// The problems here are so small that threads would only wait for each other.
inline const bool kOneThread = [] {
    device::set_threads(1);
    return true;
}();

/// Dense matrix [n][n] applied to four lanes by the definition.
template <class T>
class DenseOperator final : public Operator<T> {
public:
    DenseOperator(std::vector<double> A, int n) : A_(std::move(A)), n_(n) {}
    void apply(device::View<const T> x, device::View<T> y, device::Queue& /*queue*/) override {
        ++applications;
        for (int i = 0; i < n_; ++i) {
            for (int lane = 0; lane < lanes::kLanes; ++lane) {
                double sum = 0.0;
                for (int j = 0; j < n_; ++j) {
                    sum += A_[i * n_ + j] * x[j * lanes::kLanes + lane];
                }
                y[i * lanes::kLanes + lane] = static_cast<T>(sum);
            }
        }
    }
    int applications = 0;

private:
    std::vector<double> A_;
    int n_;
};

/// z = D^-1 r for a diagonal [n].
class Jacobi final : public Preconditioner {
public:
    explicit Jacobi(std::vector<double> diagonal) : diagonal_(std::move(diagonal)) {}
    void apply(device::View<const float> r, device::View<float> z,
               device::Queue& /*queue*/) override {
        for (std::size_t i = 0; i < r.size(); ++i) {
            z[i] = static_cast<float>(r[i] / diagonal_[i / lanes::kLanes]);
        }
    }

private:
    std::vector<double> diagonal_;
};

inline std::vector<double> random_numbers(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<double> x(size);
    for (double& value : x) {
        value = uniform(random);
    }
    return x;
}

/// B^T B + I/10 of a random B.
inline std::vector<double> random_spd(int n, unsigned seed) {
    const std::vector<double> B = random_numbers(std::size_t(n) * n, seed);
    std::vector<double> A(B.size(), 0.0);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < n; ++k) {
                A[i * n + j] += B[k * n + i] * B[k * n + j];
            }
        }
        A[i * n + i] += 0.1;
    }
    return A;
}

/// tridiag(-1, 2, -1) between `items` items, the same for each of `block` components.
inline std::vector<double> laplacian(int items, int block) {
    const int n = items * block;
    std::vector<double> A(std::size_t(n) * n, 0.0);
    for (int i = 0; i < n; ++i) {
        A[i * n + i] = 2.0;
        if (i >= block) {
            A[i * n + i - block] = A[(i - block) * n + i] = -1.0;
        }
    }
    return A;
}

}  // namespace kaname::linalg
