// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "server/run/daemon/state_folder.hpp"
#include "solvers/base/files.hpp"

namespace kaname::daemon::self_signed_test {
namespace {

TEST(SelfSigned, IsKeptForItsUserAloneAndMadeAgainForAnotherHost) {
    const TemporaryFolder state;

    const KeyPair first = self_signed(state.path(), "node7");

    EXPECT_TRUE(first.certificate.starts_with("-----BEGIN CERTIFICATE-----"));
    EXPECT_TRUE(first.key.starts_with("-----BEGIN PRIVATE KEY-----"));
    for (const char* name : {"key.pem", "certificate.pem"}) {
        struct stat info {};
        ASSERT_EQ(::stat((state.path() / "tls" / name).c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777, 0600U) << name;
    }
    EXPECT_EQ(self_signed(state.path(), "node7").certificate, first.certificate);
    const std::time_t later = std::time(nullptr) + 3653L * 86400;
    EXPECT_NE(self_signed(state.path(), "node7", later).certificate, first.certificate)
        << "one that has ended is made anew";
    EXPECT_NE(self_signed(state.path(), "node8").certificate, first.certificate);
}

}  // namespace
}  // namespace kaname::daemon::self_signed_test
