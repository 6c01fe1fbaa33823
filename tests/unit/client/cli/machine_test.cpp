// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/machine.hpp"

#include <string>

#include <gtest/gtest.h>

#include "client/cli/local/run_folder.hpp"

namespace kaname::cli::machine_test {
namespace {

std::string warning_of(long long threads) {
    testing::internal::CaptureStderr();
    warn_of_more_threads_than_cores("--ranks x --threads", threads);
    return testing::internal::GetCapturedStderr();
}

TEST(Machine, MoreThreadsThanCoresAreTold) {
    const int cores = this_machine().cores;

    EXPECT_EQ(warning_of(cores), "");
    const std::string warning = warning_of(cores + 1);
    EXPECT_TRUE(warning.starts_with("warning: --ranks x --threads: should be at most the " +
                                    std::to_string(cores) + " cores"))
        << warning;
    EXPECT_NE(warning.find("got " + std::to_string(cores + 1)), std::string::npos) << warning;
}

}  // namespace
}  // namespace kaname::cli::machine_test
