// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/http/ranges.hpp"

#include <gtest/gtest.h>

namespace kaname::http::ranges_test {
namespace {

using Kind = Selection::Kind;

const Selection kWhole{Kind::Whole, 0, 1000}, kNone{Kind::None, 0, 0};

Selection part(std::uint64_t offset, std::uint64_t bytes) {
    return {Kind::Part, offset, bytes};
}

TEST(Ranges, OneRangeIsAPart) {
    EXPECT_EQ(select_range("bytes=0-499", 1000), part(0, 500));
    EXPECT_EQ(select_range("bytes=999-999", 1000), part(999, 1));
    EXPECT_EQ(select_range("bytes=500-", 1000), part(500, 500));
    EXPECT_EQ(select_range("bytes=-1", 1000), part(999, 1));
    EXPECT_EQ(select_range("Bytes = 1-2 ,,", 1000),
              part(1, 2));  // the list may have empty elements
}

TEST(Ranges, WhatLeavesTheFileIsCutOff) {
    EXPECT_EQ(select_range("bytes=900-5000", 1000), part(900, 100));
    EXPECT_EQ(select_range("bytes=-5000", 1000), part(0, 1000));
    EXPECT_EQ(select_range("bytes=0-99999999999999999999999999", 1000), part(0, 1000));
    EXPECT_EQ(select_range("bytes=-18446744073709551616", 1000), part(0, 1000));
}

TEST(Ranges, WhatLiesBehindTheFileIsNone) {
    EXPECT_EQ(select_range("bytes=1000-", 1000), kNone);
    EXPECT_EQ(select_range("bytes=1000-1001", 1000), kNone);
    EXPECT_EQ(select_range("bytes=18446744073709551616-", 1000), kNone);
    EXPECT_EQ(select_range("bytes=99999999999999999999-99999999999999999999", 1000), kNone);
    EXPECT_EQ(select_range("bytes=-0", 1000), kNone);
    EXPECT_EQ(select_range("bytes=0-", 0), kNone);
}

TEST(Ranges, AnEmptyFileHasAnEmptyEnd) {
    EXPECT_EQ(select_range("bytes=-5", 0), (Selection{Kind::Whole, 0, 0}));
}

TEST(Ranges, WhatIsNoSingleRangeIsIgnored) {
    std::string many = "bytes=0-0";
    for (int k = 0; k < 1000; ++k) {
        many += ",0-";
    }
    for (const std::string text :
         {"", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=--1", "bytes=5-3", "bytes=0-1,3-4",
          "bytes=a-b", "bytes=0x1-2", "bytes=+1-2", "bytes=1 - 2", "bytes=1-2-3", "bytes=1-2;",
          "items=0-1", "byte=0-1", "bytes:0-1", "=0-1", "bytes=\xff-1"}) {
        EXPECT_EQ(select_range(text, 1000), kWhole) << text;
    }
    EXPECT_EQ(select_range(many, 1000), kWhole);
    EXPECT_EQ(select_range(std::string("bytes=0\0-1", 10), 1000), kWhole);
}

TEST(Ranges, TagsAreComparedAsTheirHeaderSays) {
    EXPECT_TRUE(has_tag("\"abc\"", "abc", false));
    EXPECT_TRUE(has_tag(" \"x\" , \"abc\"", "abc", false));
    EXPECT_TRUE(has_tag("*", "abc", false));
    EXPECT_TRUE(has_tag("W/\"abc\"", "abc", true));
    EXPECT_FALSE(has_tag("W/\"abc\"", "abc", false));
    for (const char* text : {"", "abc", "\"abc", "\"ab\"", "\"x\" \"abc\"", "w/\"abc\"",
                             "Tue, 15 Nov 1994 12:45:26 GMT", ",", "W/", "\""}) {
        EXPECT_FALSE(has_tag(text, "abc", true)) << text;
    }
}

TEST(Ranges, NamesOfFilesStayWithinTheirQuotes) {
    EXPECT_EQ(attachment("greens.h5"), "attachment; filename=\"greens.h5\"");
    EXPECT_EQ(attachment("a\"; filename=\"b\r\nSet-Cookie: c/..\\"),
              "attachment; filename=\"a__ filename__b__Set-Cookie_ c_.._\"; "
              "filename*=UTF-8''a%22%3B%20filename%3D%22b%0D%0ASet-Cookie%3A%20c%2F..%5C");
    EXPECT_EQ(attachment("断層"),
              "attachment; filename=\"______\"; filename*=UTF-8''%E6%96%AD%E5%B1%A4");
}

}  // namespace
}  // namespace kaname::http::ranges_test
