// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/comm/comm.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/halo.hpp"
#include "solvers/comm/mpi/mpi_comm.hpp"

namespace kaname::comm::comm_test {
namespace {

template <class Act>
std::string message_of(Act act) {
    try {
        act();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "nothing thrown";
}

TEST(SerialComm, OtherRanksAreRefused) {
    SerialComm comm;
    Bytes data(1);
    const std::vector<Message> to_other = {{1, data}};

    EXPECT_THROW(comm.broadcast(data, 1), Error);
    EXPECT_THROW((void)comm.all_to_all({data, data}), Error);
    EXPECT_THROW(comm.start_exchange(to_other, to_other), Error);
    EXPECT_THROW(comm.start_exchange(to_other, {}), Error);
}

TEST(Halo, DefaultOneOwnsEverythingAndSumsNothing) {
    Halo halo;
    std::vector<float> values = {1.0F, 2.0F};

    halo.sum(std::span<float>(values), 1);

    EXPECT_TRUE(halo.owned(1));
    EXPECT_EQ(values, (std::vector<float>{1.0F, 2.0F}));
}

#ifndef KANAME_HAVE_MPI
TEST(MpiSession, SaysUnavailableWhenBuiltWithoutMpi) {
    const std::string message = message_of([] { MpiSession session; });

    EXPECT_NE(message.find("KANAME_MPI"), std::string::npos) << message;
}
#endif

}  // namespace
}  // namespace kaname::comm::comm_test
