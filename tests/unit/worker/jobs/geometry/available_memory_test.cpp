// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/available_memory.hpp"

#include <gtest/gtest.h>

namespace kaname::jobs::available_memory_test {
namespace {

TEST(AvailableMemory, IsWarnedOfOnceWhereMoreIsNeeded) {
    std::vector<std::string> warnings = {"another"};
    warn_of_memory(2e9, 2e9, warnings);
    warn_of_memory(2e9, 0.0, warnings);  // not known
    EXPECT_EQ(warnings.size(), 1U);

    warn_of_memory(2.1e9, 2e9, warnings);
    warn_of_memory(3.0e9, 2e9, warnings);

    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_NE(warnings[1].find("more memory than is free"), std::string::npos);
}

}  // namespace
}  // namespace kaname::jobs::available_memory_test
