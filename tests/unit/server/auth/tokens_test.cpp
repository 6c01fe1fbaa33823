// SPDX-License-Identifier: BSD-3-Clause
#include "server/auth/tokens.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "solvers/base/error.hpp"

namespace kaname::auth::tokens_test {
namespace {

namespace fs = std::filesystem;

class TokensTest : public testing::Test {
protected:
    void SetUp() override {
        std::string folder = testing::TempDir() + "kaname_tokens_XXXXXX";
        ASSERT_NE(::mkdtemp(folder.data()), nullptr);
        file_ = fs::path(folder) / "tokens";
    }
    void TearDown() override { fs::remove_all(file_.parent_path()); }

    fs::path file_;
};

TEST_F(TokensTest, IssuedTokenIsFoundAfterReadingBack) {
    TokenList tokens;
    const std::string token = tokens.issue("ann", Role::User);
    (void)tokens.issue("agent", Role::Worker);
    tokens.write(file_);

    const auto found = TokenList::read(file_).find(token);

    ASSERT_TRUE(found);
    EXPECT_EQ(found->name, "ann");
    EXPECT_EQ(found->role, Role::User);
    EXPECT_FALSE(TokenList::read(file_).find(token + "0"));
    EXPECT_FALSE(TokenList::read(file_).find(""));
}

TEST_F(TokensTest, FileHoldsNoTokenAndIsPrivate) {
    TokenList tokens;
    const std::string token = tokens.issue("ann", Role::User);
    tokens.write(file_);
    std::ifstream in(file_);

    const std::string text((std::istreambuf_iterator<char>(in)), {});

    EXPECT_EQ(text.find(token), std::string::npos);
    EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(TokensTest, NewTokenReplacesTheOldOne) {
    TokenList tokens;
    const std::string old = tokens.issue("ann", Role::User);
    const std::string fresh = tokens.issue("ann", Role::Viewer);

    EXPECT_FALSE(tokens.find(old));
    EXPECT_EQ(tokens.find(fresh)->role, Role::Viewer);
}

TEST_F(TokensTest, BadLineIsNamed) {
    std::ofstream(file_) << "\nboss ann 00\n";

    try {
        (void)TokenList::read(file_);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("tokens:2: must be"), std::string::npos);
    }
}

TEST_F(TokensTest, RolesOfPeopleContainEachOtherAndWorkersStandApart) {
    EXPECT_TRUE(allows(Role::Admin, Role::Viewer));
    EXPECT_TRUE(allows(Role::User, Role::User));
    EXPECT_FALSE(allows(Role::Viewer, Role::User));
    EXPECT_FALSE(allows(Role::Admin, Role::Worker));
    EXPECT_FALSE(allows(Role::Worker, Role::Viewer));
    EXPECT_TRUE(allows(Role::Worker, Role::Worker));
}

}  // namespace
}  // namespace kaname::auth::tokens_test
