// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/logs.hpp"

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"

namespace kaname::service::logs_test {
namespace {

constexpr std::size_t kCap = Logs::kCapBytes;

std::size_t size_of(const Logs& logs) {
    return logs.read("key", 0, 10 * kCap).size();
}

TEST(Logs, EachAttemptMayWriteUpToTheCapWhateverThoseBeforeItWrote) {
    const TemporaryFolder folder;
    Logs logs(folder.path());
    logs.begin("key");
    logs.append("key", std::string(2 * kCap, 'a'));
    const std::size_t first = size_of(logs);
    EXPECT_GE(first, kCap);
    EXPECT_LT(first, kCap + 100) << "cut, and a line that says so";
    logs.append("key", "more of the first");
    EXPECT_EQ(size_of(logs), first);

    logs.begin("key");
    logs.append("key", "the second attempt\n");
    EXPECT_NE(logs.read("key", first, 100).find("the second attempt"), std::string::npos);
    logs.append("key", std::string(2 * kCap, 'b'));
    EXPECT_LT(size_of(logs), 2 * kCap + 200);
}

}  // namespace
}  // namespace kaname::service::logs_test
