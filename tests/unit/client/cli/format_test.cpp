// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "client/cli/common/text.hpp"

namespace kaname::cli::format_test {
namespace {

TEST(Format, BytesUseBinaryUnits) {
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(1023), "1023 B");
    EXPECT_EQ(format_bytes(1536), "1.5 KiB");
    EXPECT_EQ(format_bytes(3.5 * 1024 * 1024 * 1024), "3.5 GiB");
}

TEST(Format, SecondsBecomeMinutesAndHours) {
    EXPECT_EQ(format_seconds(1.25), "1.2 s");
    EXPECT_EQ(format_seconds(60), "1:00");
    EXPECT_EQ(format_seconds(3599.6), "1:00:00");
    EXPECT_EQ(format_seconds(7384), "2:03:04");
}

TEST(Format, CountsAreGroupedByThree) {
    EXPECT_EQ(format_count(0), "0");
    EXPECT_EQ(format_count(999), "999");
    EXPECT_EQ(format_count(1000), "1,000");
    EXPECT_EQ(format_count(-1234567), "-1,234,567");
}

TEST(Format, TableAlignsItsValues) {
    EXPECT_EQ(format_table({{"a", "1"}, {"long", "2"}}), "a     1\nlong  2\n");
}

}  // namespace
}  // namespace kaname::cli::format_test
