// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/unit/worker/agent/stages/fake_holder.hpp"
#include "worker/agent/stages/pack.hpp"

namespace kaname::agent::attempt_log_test {
namespace {

TEST(AttemptLog, KeepsABoundOfWhatAProgramWritesWithoutEnd) {
    FakeHolder holder;
    AttemptLog log({}, "w1", holder);
    const std::string line(999, 'x');

    for (int n = 0; n < 20000; ++n) {
        log.add(line);
    }
    log.end("failed");

    EXPECT_LT(holder.log.size(), (std::size_t{4} << 20) + 1000);
    EXPECT_GT(holder.log.size(), std::size_t{2} << 20);
    EXPECT_NE(holder.log.find(" lines left out\n== failed after "), std::string::npos);
}

}  // namespace
}  // namespace kaname::agent::attempt_log_test
