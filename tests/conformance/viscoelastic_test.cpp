// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "solvers/device/threads.hpp"
#include "tests/conformance/viscoelastic_suite.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::conformance::viscoelastic_test {
namespace {

using Param = std::tuple<int, CommCase>;

class ViscoelasticConformance : public testing::TestWithParam<Param> {};

TEST_P(ViscoelasticConformance, Holds) {
    const auto& [ranks, comm_case] = GetParam();
    const auto check = [&check_case = comm_case](comm::Comm& comm) {
        device::set_threads(1);  // OpenMP counts threads per rank
        check_case.check(comm);
    };

    EXPECT_NO_THROW(comm::run_as_threads(ranks, check));
}

std::string name_of(const testing::TestParamInfo<Param>& info) {
    const auto& [ranks, comm_case] = info.param;
    return std::string(comm_case.name) + "OnThreads" + std::to_string(ranks);
}

// One rank, and three, of which one has neighbours on both sides. MPI has two (KanameTest.cmake);
// --full has all numbers with both, so that it would find what depends on the number and on how
// ranks speak at once.
INSTANTIATE_TEST_SUITE_P(Ranks, ViscoelasticConformance,
                         testing::Combine(testing::Values(1, 3),
                                          testing::ValuesIn(viscoelastic_cases())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(LongRanks, ViscoelasticConformance,
                         testing::Combine(testing::Values(2),
                                          testing::ValuesIn(viscoelastic_cases())),
                         name_of);

}  // namespace
}  // namespace kaname::conformance::viscoelastic_test
