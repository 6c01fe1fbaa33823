// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/inversion/normal_equations.hpp"

namespace kaname::inversion::time_and_space_test {
namespace {

const std::vector<double> kEpochs = {0.0, 1e7, 3e7, 8e7};
const std::vector<double> kMotion = {1.0, 1.4, 1.7, 1.9};

double motion_by(const std::vector<double>& weights) {
    double sum = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        sum += weights[k] * kMotion[k];
    }
    return sum;
}

double interpolated(double age) {
    for (std::size_t k = 1; k < kEpochs.size(); ++k) {
        if (age <= kEpochs[k]) {
            const double part = (age - kEpochs[k - 1]) / (kEpochs[k] - kEpochs[k - 1]);
            return kMotion[k - 1] + part * (kMotion[k] - kMotion[k - 1]);
        }
    }
    return kMotion.back();
}

TEST(TimeResponse, StepIsTheInterpolatedMotionSinceIt) {
    EXPECT_DOUBLE_EQ(motion_by(response_weights(kEpochs, 0.0, 0.0, 0.0)), 1.0);
    EXPECT_DOUBLE_EQ(motion_by(response_weights(kEpochs, 5e6, 5e6, 2.5e7)), interpolated(2e7));
    EXPECT_EQ(motion_by(response_weights(kEpochs, 5e6, 5e6, 4e6)), 0.0);
}

TEST(TimeResponse, RampIsTheMeanOfItsSteps) {
    const double begin = 2e6, end = 2.6e7;
    for (const double t : {5e6, 2.6e7, 5.5e7}) {
        double sum = 0.0;
        constexpr int kSteps = 200000;
        for (int k = 0; k < kSteps; ++k) {
            const double at = begin + (end - begin) * (k + 0.5) / kSteps;
            sum += at <= t ? interpolated(t - at) / kSteps : 0.0;
        }
        EXPECT_NEAR(motion_by(response_weights(kEpochs, begin, end, t)), sum, 1e-5) << t;
    }
    EXPECT_EQ(motion_by(response_weights(kEpochs, begin, end, begin)), 0.0);
}

TEST(TimeResponse, AgesBeyondTheLastEpochAreRefused) {
    try {
        (void)response_weights(kEpochs, 0.0, 0.0, 1e8);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::OutOfRange);
        EXPECT_NE(std::string(error.what()).find("3.168"), std::string::npos);  // years asked for
        EXPECT_NE(std::string(error.what()).find("2.535"), std::string::npos);  // years there
    }
}

/// A square grid of n x n patches with spacing h.
std::vector<PatchNode> grid(int n, double h, bool zero_edges) {
    std::vector<PatchNode> patches;
    for (int row = 0; row < n; ++row) {
        for (int column = 0; column < n; ++column) {
            PatchNode patch;
            patch.centre = {h * column, 0.6 * h * row, -0.8 * h * row};
            int around = 0;
            for (const auto& [down, along] : {std::pair(0, 1), {0, -1}, {1, 0}, {-1, 0}}) {
                const int r = row + down, c = column + along;
                if (r >= 0 && r < n && c >= 0 && c < n) {
                    patch.neighbours.push_back(r * n + c);
                    ++around;
                }
            }
            patch.edges = zero_edges ? 4 - around : 0;
            patches.push_back(patch);
        }
    }
    return patches;
}

TEST(Smoothing, IsTheFivePointLaplacianOnASquareGrid) {
    const double h = 5000.0;
    const Eigen::MatrixXd l = laplacian(grid(3, h, true));

    EXPECT_NEAR(l(4, 4) * h * h, 2.0, 1e-12);
    EXPECT_NEAR(l(4, 1) * h * h, -0.5, 1e-12);
    EXPECT_NEAR(l(0, 0) * h * h, 2.0, 1e-12);  // two neighbours, two edges without slip
    EXPECT_NEAR(l(0, 1) * h * h, -0.5, 1e-12);
    EXPECT_EQ(l(0, 8), 0.0);
}

TEST(Smoothing, LinearSlipIsSmoothInside) {
    const std::vector<PatchNode> patches = grid(5, 3000.0, false);
    Eigen::VectorXd slip(25);
    for (int p = 0; p < 25; ++p) {
        slip[p] = 1.0 + 0.3 * (p % 5) - 0.2 * (p / 5);
    }
    const Eigen::VectorXd rough = laplacian(patches) * slip;

    EXPECT_NEAR(rough[12], 0.0, 1e-18);
    EXPECT_GT(std::abs(rough[0]), 1e-9);
    EXPECT_NEAR((laplacian(patches) * Eigen::VectorXd::Ones(25)).norm(), 0.0, 1e-18);
}

TEST(Smoothing, RowsHaveTheirPatchesWeight) {
    std::vector<PatchNode> patches = grid(3, 1000.0, true);
    const Eigen::MatrixXd plain = laplacian(patches);
    patches[4].weight = 3.0;
    const Eigen::MatrixXd weighted = laplacian(patches);

    EXPECT_LT((weighted.row(4) - 3.0 * plain.row(4)).norm(), 1e-18);
    EXPECT_LT((weighted.row(0) - plain.row(0)).norm(), 1e-30);
}

}  // namespace
}  // namespace kaname::inversion::time_and_space_test
