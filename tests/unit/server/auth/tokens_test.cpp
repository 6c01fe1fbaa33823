// SPDX-License-Identifier: BSD-3-Clause
#include "server/auth/tokens.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/token_list.hpp"

namespace kaname::auth::tokens_test {
namespace {

namespace fs = std::filesystem;

class TokensTest : public testing::Test {
protected:
    support::TemporaryFolder folder_;
    fs::path file_ = folder_.path("tokens");
};

TEST_F(TokensTest, FileOfAnEarlierVersionIsRead) {
    const std::string ann(64, 'a'), agent(64, 'b');
    std::ofstream(file_) << "user ann " << ann << "\n\nworker agent " << agent << "\n";

    const std::vector<ListedToken> tokens = read_token_file(file_);

    ASSERT_EQ(tokens.size(), 2U);
    EXPECT_EQ(tokens[0].name, "ann");
    EXPECT_EQ(tokens[0].role, Role::User);
    EXPECT_EQ(tokens[0].sha256, ann);
    EXPECT_EQ(tokens[1].name, "agent");
    EXPECT_EQ(tokens[1].role, Role::Worker);
    EXPECT_EQ(tokens[1].sha256, agent);
}

TEST_F(TokensTest, ListedTokensAreTheIssuedOnesAndOnlyTheirHashes) {
    TokenList tokens;
    const std::string token = tokens.issue("ann", Role::User);
    tokens.write(file_);
    std::ifstream in(file_);

    const std::string text((std::istreambuf_iterator<char>(in)), {});

    EXPECT_EQ(text.find(token), std::string::npos);
    EXPECT_EQ(read_token_file(file_).at(0).sha256, sha256_hex(token));
    EXPECT_EQ(tokens.find(token)->name, "ann");
    EXPECT_EQ(tokens.find(token)->role, Role::User);
    EXPECT_FALSE(tokens.find(token + "0"));
    EXPECT_FALSE(tokens.find(""));
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
        (void)read_token_file(file_);
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
