// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/watch.hpp"

#include <gtest/gtest.h>

namespace kaname::agent::watch_test {
namespace {

TEST(HangWatch, SilenceBeyondThePatienceIsAHang) {
    HangWatch patient(std::chrono::seconds(600));
    EXPECT_NO_THROW(patient.check());

    HangWatch impatient(std::chrono::seconds(0));
    try {
        while (true) {
            impatient.check();
        }
    } catch (const RunFailed& broken) {
        EXPECT_EQ(broken.error_class, "hung");
    }
}

}  // namespace
}  // namespace kaname::agent::watch_test
