// SPDX-License-Identifier: BSD-3-Clause
#include <regex>

#include <gtest/gtest.h>

#include "solvers/base/text.hpp"

namespace kaname::utc_now_test {
namespace {

TEST(UtcNow, IsIso8601) {
    EXPECT_TRUE(std::regex_match(utc_now(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
}

}  // namespace
}  // namespace kaname::utc_now_test
