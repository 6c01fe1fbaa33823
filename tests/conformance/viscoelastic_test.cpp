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

INSTANTIATE_TEST_SUITE_P(Ranks, ViscoelasticConformance,
                         testing::Combine(testing::Values(1, 2, 3),
                                          testing::ValuesIn(viscoelastic_cases())),
                         name_of);

}  // namespace
}  // namespace kaname::conformance::viscoelastic_test
