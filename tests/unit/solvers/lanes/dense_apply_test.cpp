// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/blas1_body.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::lanes::dense_apply_test {
namespace {

TEST(DenseApply, IsTheProductOnBothBackends) {
    constexpr int kRows = 7;
    for (const int columns : {1, 8, 9, 41}) {
        device::Queue queue;
        device::Buffer<float> A(std::size_t(kRows) * columns);
        device::Buffer<float> x(std::size_t(columns) * kLanes);
        device::Buffer<float> y(std::size_t(kRows) * kLanes);
        for (std::size_t i = 0; i < A.size(); ++i) {
            A[i] = static_cast<float>(std::sin(1.0 + 0.7 * static_cast<double>(i)));
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = static_cast<float>(std::cos(0.3 * static_cast<double>(i)));
        }

        dense_apply(A, x, y, queue);

        const body::DenseRow<> body{A.data(), columns, x.data()};
        for (int row = 0; row < kRows; ++row) {
            for (int lane = 0; lane < kLanes; ++lane) {
                double exact = 0.0;
                for (int k = 0; k < columns; ++k) {
                    exact += double(A[row * columns + k]) * x[k * kLanes + lane];
                }
                const float gpu = row_of_warp(body, row, lane)[0];
                EXPECT_NEAR(y[row * kLanes + lane], exact, 1e-5);
                EXPECT_NEAR(gpu, exact, 1e-5);
            }
        }
    }
}

TEST(DenseApply, RefusesSizesThatDisagree) {
    device::Queue queue;
    device::Buffer<float> A(12);
    device::Buffer<float> x(4 * kLanes);
    device::Buffer<float> y(4 * kLanes);
    EXPECT_THROW(dense_apply(A, x, y, queue), Error);
}

}  // namespace
}  // namespace kaname::lanes::dense_apply_test
