// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/viscoelastic/model/model.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::material_step_test {
namespace {

constexpr double kDt_s = 7e7;
constexpr double kAlpha = 0.6;

TEST(MaterialStep, NothingRelaxesInElasticRock) {
    const MaterialStep step = material_step(rock(3e10, 3e10), kDt_s, kAlpha);

    EXPECT_EQ(step.share, 1.0);
    EXPECT_EQ(step.relax, 0.0);
}

TEST(MaterialStep, MaxwellHasOneBranch) {
    const MaterialStep step = material_step(rock(3e10, 3e10, 1e19), kDt_s, kAlpha);

    const double z = kDt_s * 3e10 / 1e19;
    EXPECT_DOUBLE_EQ(step.share, 1.0 / (1.0 + kAlpha * z));
    EXPECT_DOUBLE_EQ(step.relax, z / (1.0 + kAlpha * z));
    EXPECT_EQ(step.second_share, 0.0);
}

TEST(MaterialStep, TwoBranchesShareTheModulus) {
    for (const int index : {1, 2}) {
        const earth::Material material = four_rheologies()[index];
        const Relaxation relaxation = relaxation_of(material);

        const MaterialStep step = material_step(material, kDt_s, kAlpha);

        double share = 0.0;
        double drop = 0.0;
        for (const Relaxation::Branch& branch : relaxation.branches) {
            const double g = 1.0 / (1.0 + kAlpha * kDt_s * branch.rate_per_s);
            share += branch.share * g;
            drop += branch.share * branch.rate_per_s * g * kDt_s;
        }
        EXPECT_NEAR(step.share, share, 1e-15);
        // Stress held over the step: what relaxes of an elastic stress shared by the branches.
        const double second = relaxation.branches[1].share;
        EXPECT_NEAR((1.0 - second) * step.relax + second * step.second_relax, drop, 1e-15);
        EXPECT_LT(step.second_share, second + 1e-15);
    }
}

TEST(MaterialStep, WithoutTimeNothingRelaxesAndTheSecondBranchHasItsShare) {
    for (const int index : {1, 2}) {
        const earth::Material material = four_rheologies()[index];

        const MaterialStep step = material_step(material, 0.0, kAlpha);

        EXPECT_NEAR(step.share, 1.0, 1e-15);
        EXPECT_EQ(step.relax, 0.0);
        EXPECT_EQ(step.second_relax, 0.0);
        EXPECT_EQ(step.second_share, relaxation_of(material).branches[1].share);
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::material_step_test
