// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/text.hpp"

namespace kaname::utf8_test {
namespace {

const std::string kMark = "\uFFFD";

TEST(Utf8, IsKnown) {
    EXPECT_TRUE(is_utf8("plain, \u00e9\u5357\u6d77 \U0001F30F"));
    for (const char* bad :
         {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe3\x81z"}) {
        EXPECT_FALSE(is_utf8(bad));
        EXPECT_TRUE(is_utf8(to_utf8(bad)));
    }
}

TEST(Utf8, WhatIsValidStaysAndEveryOtherByteBecomesAMark) {
    const std::string valid = "plain, \u00e9\u5357\u6d77 \U0001F30F\n";

    EXPECT_EQ(to_utf8(valid), valid);
    EXPECT_EQ(to_utf8("a\xff\xfe"
                      "b"),
              "a" + kMark + kMark + "b");
    EXPECT_EQ(to_utf8("cut \xe5\x8d"), "cut " + kMark + kMark);
    EXPECT_EQ(to_utf8(std::string("a\0b", 3)), "a" + kMark + "b");
    EXPECT_EQ(to_utf8(""), "");
}

TEST(Utf8, IsCutBeforeTheCharacterThatDoesNotFit) {
    EXPECT_EQ(to_utf8("ab\u5357", 5), "ab\u5357");
    EXPECT_EQ(to_utf8("ab\u5357", 4), "ab");
    EXPECT_EQ(to_utf8("ab\u5357", 3), "ab");
    EXPECT_EQ(to_utf8("\xff\xff", 4), kMark);  // the mark counts, not the byte it stands for
}

}  // namespace
}  // namespace kaname::utf8_test
