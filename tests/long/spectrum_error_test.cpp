// SPDX-License-Identifier: BSD-3-Clause
// The relaxation spectrum keeps its tolerance, and its estimate is no smaller than the error: all
// contrasts and places of the slip.
#include "tests/unit/solvers/viscoelastic/faulted_body.hpp"

namespace kaname::viscoelastic::spectrum_error_test {
namespace {

class SpectrumErrorBodies
    : public testing::TestWithParam<std::tuple<Rock, Rock, double, bool, double>> {};

TEST_P(SpectrumErrorBodies, IsKept) {
    const auto& [at_fault, below, contrast, late, tolerance] = GetParam();
    expect_kept({at_fault, below, contrast}, late, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Bodies, SpectrumErrorBodies,
                         testing::Combine(testing::Values(Rock::Elastic, Rock::Slow, Rock::Fast),
                                          testing::Values(Rock::Slow, Rock::Elastic),
                                          testing::Values(1e1, 1e2, 1e3, 1e4, 1e5, 1e6),
                                          testing::Bool(), testing::Values(1e-5)));
INSTANTIATE_TEST_SUITE_P(OtherTolerances, SpectrumErrorBodies,
                         testing::Combine(testing::Values(Rock::Elastic, Rock::Slow, Rock::Fast),
                                          testing::Values(Rock::Slow), testing::Values(1e3),
                                          testing::Values(true), testing::Values(1e-3, 1e-7)));

TEST(SpectrumErrorLong, IsKeptWithoutElasticRockAroundALongerFault) {
    for (const Rock at_fault : {Rock::Fast, Rock::Slow}) {
        for (const double contrast : {1e1, 1e2}) {
            expect_kept({at_fault, Rock::Slow, contrast, true}, true);
        }
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::spectrum_error_test
