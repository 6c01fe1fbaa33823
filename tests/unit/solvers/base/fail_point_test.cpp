// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"

namespace kaname::fail_point_test {
namespace {

void pass(const char* name, int times) {
    for (int i = 0; i < times; ++i) {
        fail_point(name);
    }
}

// Each begins anew, as a process of its own, and reads the environment there.
TEST(FailPointDeathTest, EndsAtTheNamedPassOfTheNamedPoint) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto armed = [](const char* point, int passes, int code) {
        ::setenv("KANAME_FAIL_POINT", "store.committed:3", 1);
        pass(point, passes);
        std::_Exit(code);
    };
    EXPECT_EXIT(armed("store.committed", 2, 7), testing::ExitedWithCode(7), "");
    EXPECT_EXIT(armed("store.committed", 3, 7), testing::KilledBySignal(SIGKILL), "");
    EXPECT_EXIT(armed("store.committing", 9, 7), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace kaname::fail_point_test
