// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include <gtest/gtest.h>

#include "worker/run/process_id.hpp"

namespace kaname::run::hidden_password_test {
namespace {

std::string hidden(std::string text) {
    const std::string before = text;
    const bool any = hide_password(text.data());
    EXPECT_EQ(any, text != before) << before;
    return text;
}

TEST(HiddenPassword, IsCoveredInWhateverFormLibpqTakesIt) {
    EXPECT_EQ(hidden("host=db password=secret user=ann"), "host=db password=xxxxxx user=ann");
    EXPECT_EQ(hidden("password = 'se cr\\'et' host=db"), "password = 'xxxxxxxxx' host=db");
    EXPECT_EQ(hidden("host=db password=se\\ cret"), "host=db password=xxxxxxxx");
    EXPECT_EQ(hidden("postgresql://ann:s:e@cret@db:5432/kaname?sslmode=require"),
              "postgresql://ann:xxxxxxxx@db:5432/kaname?sslmode=require");
    EXPECT_EQ(hidden("postgres://db/kaname?user=ann&password=secret&port=1"),
              "postgres://db/kaname?user=ann&password=xxxxxx&port=1");
}

TEST(HiddenPassword, NothingElseIs) {
    for (const char* text : {"host=db user=ann dbname=kaname", "postgres://ann@db:5432/kaname",
                             "postgres://db:5432/kaname", "passfile=/home/ann/password", ""}) {
        EXPECT_EQ(hidden(text), text);
    }
}

TEST(HiddenPassword, IsFoundBehindItsOption) {
    std::string program = "kaname-server", option = "--database", apart = "password=secret",
                joined = "--database=password=secret", other = "--state=password=secret";
    std::array<char*, 5> argv{program.data(), option.data(), apart.data(), joined.data(),
                              other.data()};

    EXPECT_TRUE(hide_password(5, argv.data(), "--database"));

    EXPECT_EQ(apart, "password=xxxxxx");
    EXPECT_EQ(joined, "--database=password=xxxxxx");
    EXPECT_EQ(other, "--state=password=secret");
    EXPECT_FALSE(hide_password(1, argv.data(), "--database"));
}

}  // namespace
}  // namespace kaname::run::hidden_password_test
