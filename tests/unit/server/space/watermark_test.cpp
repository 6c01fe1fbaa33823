// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/space/disk_space.hpp"
#include "solvers/base/error.hpp"

namespace kaname::space::watermark_test {
namespace {

constexpr std::uint64_t kGB = 1000000000;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

TEST(Watermark, PartsAndSizesAreUnderstood) {
    EXPECT_EQ(low_bytes(parse_watermark("--min-free", "5%"), 200 * kGB), 10 * kGB);
    EXPECT_EQ(low_bytes(parse_watermark("--min-free", "20GB"), 200 * kGB), 20 * kGB);
    EXPECT_EQ(low_bytes(parse_watermark("--min-free", "1.5GiB"), 1), kGiB * 3 / 2);
    EXPECT_EQ(low_bytes(parse_watermark("--min-free", "0MB"), 200 * kGB), 0U);
}

TEST(Watermark, ByItselfItIsTwoPercentAndAGigabyteButATenthOfSmallDisks) {
    const Watermark mark = parse_watermark("--min-free", "auto");
    EXPECT_EQ(low_bytes(mark, 1000 * kGB), 20 * kGB);
    EXPECT_EQ(low_bytes(mark, 20 * kGB), kGiB);
    EXPECT_EQ(low_bytes(mark, kGB), kGB / 10);
}

TEST(Watermark, WorkGoesOnWellAboveIt) {
    EXPECT_EQ(high_bytes(parse_watermark("--min-free", "4GB"), 100 * kGB), 5 * kGB);
}

TEST(Watermark, OtherTextsAreRefusedWithTheOptionAndTheValue) {
    for (const char* text :
         {"", "5", "%", "100%", "-1GB", "5 GB", "GB", "1e30TB", "nanGB", "5gb"}) {
        try {
            (void)parse_watermark("--min-free", text);
            ADD_FAILURE() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
            EXPECT_NE(std::string(error.what()).find("--min-free"), std::string::npos);
            EXPECT_NE(std::string(error.what()).find('"' + std::string(text) + '"'),
                      std::string::npos);
        }
    }
}

}  // namespace
}  // namespace kaname::space::watermark_test
