// SPDX-License-Identifier: BSD-3-Clause
// The relaxation spectrum keeps its tolerance, and its estimate is no smaller than the error.
#include "tests/unit/solvers/viscoelastic/faulted_body.hpp"

namespace kaname::viscoelastic::spectrum_error_test {
namespace {

TEST(SpectrumError, IsKeptForSlipInALid) {
    expect_kept({Rock::Elastic, Rock::Slow, 1e3}, true);
}

TEST(SpectrumError, IsKeptForSlipInTheRockThatRelaxesFirst) {
    expect_kept({Rock::Fast, Rock::Slow, 1e2}, true);
}

TEST(SpectrumError, IsKeptForSlipInTheRockThatRelaxesLast) {
    expect_kept({Rock::Slow, Rock::Slow, 1e6}, true);
}

}  // namespace
}  // namespace kaname::viscoelastic::spectrum_error_test
