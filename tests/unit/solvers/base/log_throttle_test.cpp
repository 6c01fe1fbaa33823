// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/log_line.hpp"

namespace kaname::log_throttle_test {
namespace {

using namespace std::chrono_literals;

TEST(LogThrottle, OneLineOfAKindPerIntervalAndTheOthersAreCounted) {
    std::vector<std::string> lines;
    LogThrottle log([&](const std::string& line) { lines.push_back(line); }, 60s);
    const auto start = LogThrottle::Clock::now();

    log("full", "no room", start);
    log("full", "no room", start + 1s);
    log("full", "no room", start + 59s);
    log("lost", "no file", start + 59s);
    log("full", "no room", start + 61s);
    log("full", "no room", start + 122s);

    EXPECT_EQ(lines, (std::vector<std::string>{"no room", "no file",
                                               "no room (and 2 more like it before)", "no room"}));
}

}  // namespace
}  // namespace kaname::log_throttle_test
