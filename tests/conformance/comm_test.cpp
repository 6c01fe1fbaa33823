// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/comm/comm.hpp"

#include <ostream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/conformance/comm_suite.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::conformance {

static void PrintTo(const CommCase& comm_case, std::ostream* out) {
    *out << comm_case.name;
}

namespace {

constexpr int kSerial = 0;  // in place of a number of thread ranks
using Param = std::tuple<int, CommCase>;

class CommConformance : public testing::TestWithParam<Param> {};

TEST_P(CommConformance, Holds) {
    const auto& [ranks, comm_case] = GetParam();

    if (ranks == kSerial) {
        comm::SerialComm serial;
        EXPECT_NO_THROW(comm_case.check(serial));
    } else {
        EXPECT_NO_THROW(comm::run_as_threads(ranks, comm_case.check));
    }
}

std::string name_of(const testing::TestParamInfo<Param>& info) {
    const auto& [ranks, comm_case] = info.param;
    const std::string where = ranks == kSerial ? "Serial" : "Threads" + std::to_string(ranks);
    return std::string(comm_case.name) + "On" + where;
}

const auto kRanks = testing::Values(kSerial, 1, 2, 3, 5);

INSTANTIATE_TEST_SUITE_P(Comm, CommConformance,
                         testing::Combine(kRanks, testing::ValuesIn(comm_cases())), name_of);
INSTANTIATE_TEST_SUITE_P(Halo, CommConformance,
                         testing::Combine(kRanks, testing::ValuesIn(halo_cases())), name_of);

}  // namespace
}  // namespace kaname::conformance
