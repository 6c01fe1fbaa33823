// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/checksums.hpp"

namespace kaname::crc32c_test {
namespace {

std::uint32_t crc_of(const std::string& text) {
    return crc32c(std::as_bytes(std::span(text)));
}

TEST(Crc32c, KnownValues) {
    // RFC 3720 appendix B.4.
    EXPECT_EQ(crc_of("123456789"), 0xe3069283U);
    EXPECT_EQ(crc_of(std::string(32, '\0')), 0x8a9136aaU);
    EXPECT_EQ(crc_of(std::string(32, '\xff')), 0x62a8ab43U);
    EXPECT_EQ(crc_of(""), 0U);
}

TEST(Crc32c, TheProcessorsInstructionAndTheTablesAgree) {
    std::string text;
    for (int k = 0; k < 300; ++k) {
        text += static_cast<char>(k * k + k / 7);
    }
    for (std::size_t first = 0; first < 9; ++first) {
        for (std::size_t n = 0; n + first <= text.size(); n += 1 + n / 9) {
            const auto bytes = std::as_bytes(std::span(text)).subspan(first, n);
            EXPECT_EQ(crc32c(bytes), crc32c_by_tables(bytes)) << first << ' ' << n;
        }
    }
}

TEST(Crc32c, StreamsThatAreHashedAtOnceArePutTogether) {
    std::string text;
    for (std::uint32_t k = 0; k < 40000; ++k) {
        text += static_cast<char>(k * 2654435761U >> 24);
    }
    for (const std::size_t n : {12287U, 12288U, 12289U, 24576U, 30000U, 40000U}) {
        const auto bytes = std::as_bytes(std::span(text)).first(n);
        EXPECT_EQ(crc32c(bytes), crc32c_by_tables(bytes)) << n;
    }
}

TEST(Crc32c, EveryBitMatters) {
    const std::string text = "seventeen bytes !";
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
        std::string other = text;
        other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
        EXPECT_NE(crc_of(other), crc_of(text)) << bit;
    }
}

}  // namespace
}  // namespace kaname::crc32c_test
