// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include "server/run/embedded/binaries.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::embedded::db_user_test {
namespace {

ErrorCode code_of(const std::string& wanted) {
    try {
        [[maybe_unused]] const run::User user = choose_db_user(wanted, support::absent("folder"));
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode::Internal;
}

class DbUserOfRoot : public ::testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "only root runs the database as another user";
        }
    }
};

TEST_F(DbUserOfRoot, IsPostgresUnlessNamed) {
    EXPECT_EQ(choose_db_user("", support::absent("folder")).name, "postgres");
    EXPECT_EQ(choose_db_user("daemon", support::absent("folder")).name, "daemon");
}

TEST_F(DbUserOfRoot, IsNeverNobodyNorRoot) {
    EXPECT_EQ(code_of("nobody"), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of("root"), ErrorCode::InvalidArgument);
}

TEST_F(DbUserOfRoot, MustExist) {
    EXPECT_EQ(code_of("no-such-user"), ErrorCode::NotFound);
}

TEST_F(DbUserOfRoot, MustOwnTheDataThatIsThere) {
    EXPECT_THROW((void)choose_db_user("postgres", "/usr"), Error);  // root's
}

TEST(DbUser, OfAnybodyElseIsThatUser) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may choose";
    }

    EXPECT_EQ(choose_db_user("", support::absent("folder")).uid, ::geteuid());
    EXPECT_EQ(code_of("somebody-else"), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace kaname::embedded::db_user_test
