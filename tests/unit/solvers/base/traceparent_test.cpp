// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/log_line.hpp"

namespace kaname::traceparent_test {
namespace {

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kParent = "b7ad6b7169203331";
const std::string kGood = "00-" + kTrace + "-" + kParent + "-01";

TEST(Traceparent, AGoodOneStaysAsItIs) {
    EXPECT_EQ(parse_traceparent(kGood), kGood);
    EXPECT_EQ(trace_id_of(kGood), kTrace);
    EXPECT_EQ(span_id_of(kGood), kParent);
}

TEST(Traceparent, WhatTheStandardCallsMalformedIsIgnored) {
    for (const std::string& bad :
         {std::string(), kGood.substr(0, 54), kGood + "0", kGood + "-00",  // version 00 ends there
          "ff" + kGood.substr(2), "00-" + std::string(32, '0') + "-" + kParent + "-01",
          "00-" + kTrace + "-" + std::string(16, '0') + "-01",
          "00-" + std::string("0AF7651916CD43DD8448EB211C80319C") + "-" + kParent + "-01",
          "00_" + kGood.substr(3), "00-" + kTrace + "x" + kParent + "-01",
          "00-" + kTrace + "-" + kParent + "-0g", " " + kGood, "zz" + kGood.substr(2)}) {
        EXPECT_EQ(parse_traceparent(bad), "") << bad;
        EXPECT_EQ(trace_id_of(bad), "") << bad;
    }
}

TEST(Traceparent, OfALaterVersionItsKnownPartCounts) {
    EXPECT_EQ(parse_traceparent("cc" + kGood.substr(2)), kGood);
    EXPECT_EQ(parse_traceparent("cc" + kGood.substr(2) + "-what-the-future-will-be-like"), kGood);
    EXPECT_EQ(parse_traceparent("cc" + kGood.substr(2) + ".what"), "");
}

TEST(Traceparent, NewOnesAreGoodAndDiffer) {
    const std::string one = new_traceparent(), other = new_traceparent();

    EXPECT_EQ(parse_traceparent(one), one);
    EXPECT_NE(trace_id_of(one), trace_id_of(other));
    EXPECT_TRUE(one.ends_with("-00")) << one;  // nobody records it
}

}  // namespace
}  // namespace kaname::traceparent_test
