// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::sha256_test {
namespace {

// Messages and digests of the FIPS 180-4 examples.
TEST(Sha256, MatchesFipsVectorOfNothing) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, MatchesFipsVectorOfOneBlock) {
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, MatchesFipsVectorOfTwoBlocks) {
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, MatchesFipsVectorOfAMillionLetters) {
    EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnTheSizeOfThePieces) {
    const std::string text(1000, 'k');
    for (const std::size_t piece : {1UL, 55UL, 63UL, 64UL, 65UL, 129UL}) {
        Sha256 hash;

        for (std::size_t at = 0; at < text.size(); at += piece) {
            hash.update(std::string_view(text).substr(at, piece));
        }

        EXPECT_EQ(hash.hex(), sha256_hex(text)) << "pieces of " << piece;
    }
}

TEST(Sha256, HexLeavesTheHashOpenForMore) {
    Sha256 hash;
    hash.update("ab");

    EXPECT_EQ(hash.hex(), sha256_hex("ab"));
    hash.update("c");

    EXPECT_EQ(hash.hex(), sha256_hex("abc"));
}

TEST(Sha256, HashesTheBytesOfAFile) {
    const support::TemporaryFolder folder;
    const std::string path = folder.path("bytes");
    const std::string bytes = std::string(100000, 'x') + '\0' + "\r\n";
    std::ofstream(path, std::ios::binary) << bytes;

    EXPECT_EQ(sha256_file(path), sha256_hex(bytes));
}

TEST(Sha256, NamesAFileThatIsNotThere) {
    try {
        (void)sha256_file(support::absent("slab.csv"));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NotFound);
        EXPECT_NE(std::string(error.what()).find(support::absent("slab.csv")), std::string::npos);
    }
}

TEST(Sha256, RefusesAFolder) {
    EXPECT_THROW((void)sha256_file(support::TemporaryFolder().path().string()), Error);
}

}  // namespace
}  // namespace kaname::sha256_test
