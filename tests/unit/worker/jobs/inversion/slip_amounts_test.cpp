// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/slip_amounts.hpp"

#include <gtest/gtest.h>

#include "solvers/inversion/normal_equations.hpp"
#include "tests/unit/worker/jobs/inversion/small_greens.hpp"

namespace kaname::jobs::slip_amounts_test {
namespace {

/// sum over components of |L m|^2, m the slip of the components' patches.
double roughness(const io::GreensDataset& greens, const std::vector<double>& slip, bool edges) {
    std::vector<inversion::PatchNode> patches(12);
    for (int p = 0; p < 12; ++p) {
        const io::GreensDataset::Source& source = greens.sources[2 * p];
        patches[p].centre = {source.x_m, source.y_m, -source.depth_m};
        for (const std::int32_t beside : source.neighbours) {
            if (beside >= 0) {
                patches[p].neighbours.push_back(beside / 2);
            } else {
                patches[p].edges += edges;
            }
        }
    }
    const Eigen::MatrixXd l = inversion::laplacian(patches);
    double sum = 0.0;
    for (int component = 0; component < 2; ++component) {
        Eigen::VectorXd m(12);
        for (int p = 0; p < 12; ++p) {
            m[p] = slip[2 * p + component];
        }
        sum += (l * m).squaredNorm();
    }
    return sum;
}

class SlipSmoothness : public ::testing::TestWithParam<bool> {};

TEST_P(SlipSmoothness, IsThatOfTheComponentsWhateverTheAmounts) {
    const io::GreensDataset greens = test::small_greens(2);
    InversionJob job;
    job.regularisation.edges =
        GetParam() ? Regularisation::Edges::Zero : Regularisation::Edges::Free;
    inversion::Draws draws(2);
    for (const bool rakes : {false, true}) {
        if (rakes) {
            job.slip.rake_from_deg = 40.0;
            job.slip.rake_to_deg = 110.0;
        }
        const SlipAmounts amounts = slip_amounts(job.slip, greens);
        const inversion::Regulariser regulariser = slip_regulariser(job, amounts, greens, 2);
        Eigen::VectorXd x = Eigen::VectorXd::Zero(26);
        for (double& amount : x.head(24)) {
            amount = draws.normal();
        }
        const double wanted = roughness(greens, amounts.slip_of_sources(x.head(24)), GetParam());

        EXPECT_NEAR(x.dot(regulariser.r * x) / wanted, 1.0, 1e-12);
        EXPECT_EQ(regulariser.r.bottomRows(2).cwiseAbs().sum(), 0.0);
        EXPECT_EQ(regulariser.w.tail(2).sum(), 0.0);
        EXPECT_EQ(regulariser.w.sum(), 24.0);
    }
}

INSTANTIATE_TEST_SUITE_P(Edges, SlipSmoothness, ::testing::Bool());

TEST(SlipAmounts, WeightsOfMomentAreRelativeToTheMean) {
    const io::GreensDataset greens = test::small_greens(2);
    InversionJob job;
    job.regularisation.weight = Regularisation::Weight::Moment;
    const SlipAmounts amounts = slip_amounts(job.slip, greens);

    const inversion::Regulariser regulariser = slip_regulariser(job, amounts, greens, 0);

    EXPECT_NEAR(regulariser.w[0], 0.5, 1e-12);  // potencies are 1, 2, 3 in turn
    EXPECT_NEAR(regulariser.w[4], 1.5, 1e-12);
}

TEST(SlipAmounts, WindowsAreNotTiedToEachOther) {
    const io::GreensDataset greens = test::small_greens(2);
    InversionJob job;
    job.slip.windows.push_back({"later", SlipWindow::Kind::Step, 1e7, 1e7});
    const SlipAmounts amounts = slip_amounts(job.slip, greens);

    const inversion::Regulariser regulariser = slip_regulariser(job, amounts, greens, 0);

    EXPECT_EQ(regulariser.r.topRightCorner(24, 24).cwiseAbs().sum(), 0.0);
    EXPECT_GT(regulariser.r.bottomRightCorner(24, 24).trace(), 0.0);
}

}  // namespace
}  // namespace kaname::jobs::slip_amounts_test
