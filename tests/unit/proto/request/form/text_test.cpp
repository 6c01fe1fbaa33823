// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/text.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace kaname::request::text_test {
namespace {

TEST(Text, ParsesWholeNumbersOnly) {
    EXPECT_EQ(parse_number("1e18"), 1e18);
    EXPECT_EQ(parse_number("+.5"), 0.5);
    EXPECT_EQ(parse_number("-3."), -3.0);
    for (const char* bad : {"", "-", "+", "5 km", "0x10", "nan", "inf", "1e", "1,5", "--1"}) {
        EXPECT_FALSE(parse_number(bad)) << bad;
    }
    EXPECT_TRUE(std::isinf(*parse_number("1e400")));
}

TEST(Text, ShowsNumbersWithFewestDigits) {
    EXPECT_EQ(show(100000.0), "100000");
    EXPECT_EQ(show(0.1), "0.1");
    EXPECT_EQ(show(0.0), "0");
    EXPECT_EQ(show(-1e19), "-1e+19");
    EXPECT_EQ(show(1234567.891), "1234567.891");
    EXPECT_EQ(show(1e-12), "1e-12");
}

TEST(Text, SuggestsOnlyNearWords) {
    const std::vector<std::string> words = {"strike_slip", "dip_slip"};

    EXPECT_EQ(nearest("strikeslip", words), "strike_slip");
    EXPECT_EQ(nearest("dip-slip", words), "dip_slip");
    EXPECT_EQ(nearest("tensile_opening", words), "");
    EXPECT_EQ(nearest("x", std::vector<std::string>{"p2"}), "");
    EXPECT_EQ(nearest("mw", std::vector<std::string>{"slip_m", "magnitude"}), "magnitude");
    EXPECT_EQ(nearest("mw", words), "");
}

TEST(Text, QuotesLongTextsShortWithoutCuttingALetter) {
    const std::string text = std::string(59, 'x') + "\u00e9 and more";

    EXPECT_EQ(quote(text), "'" + std::string(59, 'x') + "...'");
    EXPECT_EQ(quote("short"), "'short'");
}

TEST(Text, ComponentsInTheAxesOfCmtSolutionsAreNamed) {
    for (const char* key : {"rr_n_m", "mrr_n_m", "Mtp", "pp"}) {
        EXPECT_NE(cmt_axes(key).find("zz = Mrr"), std::string::npos) << key;
    }
    for (const char* key : {"xx_n_m", "pressure", "r", "tr4", ""}) {
        EXPECT_EQ(cmt_axes(key), "") << key;
    }
}

}  // namespace
}  // namespace kaname::request::text_test
