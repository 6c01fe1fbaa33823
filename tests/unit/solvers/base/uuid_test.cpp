// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include <gtest/gtest.h>

#include "solvers/base/log_line.hpp"

namespace kaname::uuid_test {
namespace {

TEST(Uuid, HasTheFormOfVersionFourAndDoesNotRepeat) {
    std::set<std::string> seen;
    for (int k = 0; k < 1000; ++k) {
        const std::string uuid = make_uuid();
        ASSERT_EQ(uuid.size(), 36U);
        EXPECT_EQ(uuid[14], '4');
        EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
        EXPECT_TRUE(seen.insert(uuid).second);
    }
}

}  // namespace
}  // namespace kaname::uuid_test
