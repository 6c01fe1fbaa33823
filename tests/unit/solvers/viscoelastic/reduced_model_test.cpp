// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/reduced_model.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic::reduced_model_test {
namespace {

using lanes::kLanes;

/// n springs between a base and a chain of groups: matrices B B^T of random B, b in their range.
ReducedModel random_model(int n, int groups, int rank) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    ReducedModel model;
    model.n_basis = n;
    const auto square = [&](int columns) {
        std::vector<double> B(std::size_t(n) * columns);
        std::generate(B.begin(), B.end(), [&] { return normal(random); });
        std::vector<double> A(std::size_t(n) * n, 0.0);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                for (int k = 0; k < columns; ++k) {
                    A[i * n + j] += B[i * columns + k] * B[j * columns + k];
                }
            }
        }
        return A;
    };
    model.A_el = square(n);
    for (int group = 0; group < groups; ++group) {
        model.A.push_back(square(rank));
        ReducedModel::LaneRows b(n);
        std::vector<double> x(n);
        for (int lane = 0; lane < kLanes; ++lane) {
            std::generate(x.begin(), x.end(), [&] { return normal(random); });
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                    b[i][lane] += model.A.back()[i * n + j] * x[j];
                }
            }
        }
        model.b.push_back(b);
    }
    return model;
}

/// s L[c] of the modes: s/s - s/(s + rate) over the rate is 1/(s + rate).
std::vector<std::array<double, kLanes>> laplace(const RelaxationModes& modes, double s) {
    std::vector<std::array<double, kLanes>> c(modes.n_basis);
    for (std::size_t mode = 0; mode < modes.rate_per_s.size(); ++mode) {
        for (int i = 0; i < modes.n_basis; ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                c[i][lane] +=
                    modes.amplitude[mode * modes.n_basis + i][lane] / (s + modes.rate_per_s[mode]);
            }
        }
    }
    return c;
}

void expect_transform_of_itself(const ReducedModel& model,
                                const std::vector<Relaxation>& relaxation) {
    const RelaxationModes modes = model.modes(relaxation);
    for (const double s : {1e-12, 1e-10, 1e-9, 4e-9, 1e-7}) {
        std::vector<double> g;
        for (const Relaxation& each : relaxation) {
            g.push_back(each.at(s));
        }
        const auto expected = model.at(g);
        const auto c = laplace(modes, s);
        double size = 0.0;
        double apart = 0.0;
        for (int i = 0; i < model.n_basis; ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                size = std::max(size, std::abs(expected[i][lane]));
                apart = std::max(apart, std::abs(c[i][lane] - expected[i][lane]));
            }
        }
        EXPECT_LT(apart, 1e-9 * size) << s;
    }
}

TEST(ReducedModel, OneSpringAndOneMaxwellElement) {
    constexpr double k0 = 2.0;
    constexpr double k1 = 3.0;
    constexpr double r = 1e-9;
    ReducedModel model;
    model.n_basis = 1;
    model.A_el = {k0};
    model.A = {{k1}};
    model.b = {{{1.0, -2.0, 0.0, 4.0}}};

    const RelaxationModes modes = model.modes(std::vector<Relaxation>{{{{1.0, r}}}});

    for (const double t : {0.0, 1e8, 1e9, 1e10}) {
        const double exact = (1.0 - std::exp(-r * k0 / (k0 + k1) * t)) / k0;
        const auto c = modes.at(t);
        EXPECT_NEAR(c[0][0], exact, 1e-14);
        EXPECT_NEAR(c[0][1], -2.0 * exact, 1e-14);
        EXPECT_EQ(c[0][2], 0.0);
    }
}

TEST(ReducedModel, NothingButAMaxwellElementFlowsForever) {
    ReducedModel model;
    model.n_basis = 1;
    model.A_el = {0.0};
    model.A = {{5.0}};
    model.b = {{{1.0, 0.0, 0.0, 0.0}}};

    const RelaxationModes modes = model.modes(std::vector<Relaxation>{{{{1.0, 1e-9}}}});

    // Stress stays at b, so the strain grows with rate b/k r.
    EXPECT_NEAR(modes.at(1e12)[0][0], 1e12 * 1e-9 / 5.0, 1e-9);
}

TEST(ReducedModel, MaxwellModesHaveTheTransformOfTheModel) {
    expect_transform_of_itself(random_model(7, 3, 7),
                               {maxwell(3e10, 1e19), maxwell(3e10, 1e20), maxwell(6e10, 1e18)});
}

TEST(ReducedModel, GroupsThatDoNotReachEveryDirection) {
    expect_transform_of_itself(random_model(7, 2, 3), {maxwell(3e10, 1e19), maxwell(3e10, 1e18)});
}

TEST(ReducedModel, OtherRheologiesAnswerFromTheSameMatrices) {
    const ReducedModel model = random_model(6, 3, 6);
    expect_transform_of_itself(model, {standard_linear_solid(4e10, 1e10, 1e19),
                                       burgers(4e10, 1e19, 2e10, 5e17), maxwell(4e10, 3e18)});
}

TEST(ReducedModel, OrthonormalBasisGivesTheSameMotion) {
    // Columns of very different lengths, as corrections at later and later shifts have.
    ReducedModel model = random_model(6, 2, 6);
    for (int i = 0; i < 6; ++i) {
        const double length = std::pow(10.0, -i);
        for (auto* A : {&model.A_el, &model.A[0], &model.A[1]}) {
            for (int j = 0; j < 6; ++j) {
                (*A)[6 * i + j] *= length;
                (*A)[6 * j + i] *= length;
            }
        }
        for (auto& b : model.b) {
            for (double& value : b[i]) {
                value *= length;
            }
        }
    }
    const std::vector<Relaxation> rheology = {maxwell(3e10, 1e19), maxwell(3e10, 1e18)};

    const OrthonormalModel v = orthonormal(model);

    ASSERT_EQ(v.model.n_basis, 6);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            double K = v.model.A_el[6 * i + j];
            for (const auto& A : v.model.A) {
                K += A[6 * i + j];
            }
            EXPECT_NEAR(K, i == j ? 1.0 : 0.0, 1e-9);
        }
    }
    const auto expected = model.modes(rheology).at(3e8);
    const auto c = v.model.modes(rheology).at(3e8);
    for (int i = 0; i < 6; ++i) {
        for (int lane = 0; lane < kLanes; ++lane) {
            double value = 0.0;
            for (int k = 0; k < 6; ++k) {
                value += c[k][lane] * v.T[6 * k + i];
            }
            EXPECT_NEAR(value, expected[i][lane], 1e-8 * (1.0 + std::abs(expected[i][lane])));
        }
    }
}

TEST(ReducedModel, ElasticGroupsStayWhereTheyAre) {
    const ReducedModel model = random_model(5, 1, 5);

    const RelaxationModes modes = model.modes(std::vector<Relaxation>{{{{1.0, 0.0}}}});

    for (const auto& row : modes.at(1e12)) {
        EXPECT_EQ(row[0], 0.0);
    }
}

TEST(ReducedModel, EndsAtTheAnswerWithoutShearStiffness) {
    const ReducedModel model = random_model(5, 2, 5);
    const RelaxationModes modes =
        model.modes(std::vector<Relaxation>{maxwell(3e10, 1e18), maxwell(3e10, 3e18)});
    const auto end = model.at(std::vector<double>{0.0, 0.0});

    const auto c = modes.at(1e14);

    for (int i = 0; i < model.n_basis; ++i) {
        EXPECT_NEAR(c[i][3], end[i][3], 1e-9 * std::abs(end[i][3]));
    }
}

TEST(ReducedModel, OneRelaxationPerGroupIsNeeded) {
    EXPECT_THROW((void)random_model(3, 2, 3).modes(std::vector<Relaxation>{maxwell(1.0, 1.0)}),
                 Error);
}

TEST(ReducedModel, AnEmptyBasisHasNoModes) {
    ReducedModel model;
    model.A = {{}};
    model.b = {{}};
    EXPECT_TRUE(model.modes(std::vector<Relaxation>{maxwell(1.0, 1.0)}).at(3.0).empty());
}

}  // namespace
}  // namespace kaname::viscoelastic::reduced_model_test
