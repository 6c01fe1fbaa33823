// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/gate/frames.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gate::hpack_test {
namespace {

constexpr std::size_t kPlenty = 8192;

std::string bytes_of(std::string_view hex) {
    std::string bytes;
    for (std::size_t k = 0; k + 1 < hex.size(); k += 2) {
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(k, 2)), nullptr, 16));
    }
    return bytes;
}

std::string text_of(const std::vector<Field>& fields) {
    std::string text;
    for (const Field& field : fields) {
        text += field.name + "=" + field.value + "\n";
    }
    return text;
}

ErrorCode code_of(HeaderDecoder& decoder, const std::string& block, std::size_t most = kPlenty) {
    try {
        (void)decoder.decode(block, most);
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode::Internal;
}

// RFC 7541, C.3 and C.4: three requests, plain and with Huffman codes.
TEST(Hpack, DecodesTheRequestsOfTheStandard) {
    const std::vector<std::vector<const char*>> requests = {
        {"828684410f7777772e6578616d706c652e636f6d", "828684be58086e6f2d6361636865",
         "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565"},
        {"828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf",
         "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf"}};
    for (const auto& blocks : requests) {
        HeaderDecoder decoder;
        EXPECT_EQ(text_of(decoder.decode(bytes_of(blocks[0]), kPlenty)),
                  ":method=GET\n:scheme=http\n:path=/\n:authority=www.example.com\n");
        EXPECT_EQ(text_of(decoder.decode(bytes_of(blocks[1]), kPlenty)),
                  ":method=GET\n:scheme=http\n:path=/\n:authority=www.example.com\n"
                  "cache-control=no-cache\n");
        EXPECT_EQ(text_of(decoder.decode(bytes_of(blocks[2]), kPlenty)),
                  ":method=GET\n:scheme=https\n:path=/index.html\n:authority=www.example.com\n"
                  "custom-key=custom-value\n");
    }
}

// RFC 7541, C.6: texts of many symbols, and a table of 256 bytes that drops what is old.
TEST(Hpack, DecodesTheAnswersOfTheStandardInASmallTable) {
    HeaderDecoder decoder;
    EXPECT_EQ(
        text_of(decoder.decode(
            bytes_of("3fe101488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1"
                     "bff6e919d29ad171863c78f0b97c8e9ae82ae43d3"),
            kPlenty)),
        ":status=302\ncache-control=private\ndate=Mon, 21 Oct 2013 20:13:21 GMT\n"
        "location=https://www.example.com\n");
    EXPECT_EQ(text_of(decoder.decode(bytes_of("4883640effc1c0bf"), kPlenty)),
              ":status=307\ncache-control=private\ndate=Mon, 21 Oct 2013 20:13:21 GMT\n"
              "location=https://www.example.com\n");
    EXPECT_EQ(
        text_of(decoder.decode(
            bytes_of("88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7"
                     "821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4e"
                     "e5b1063d5007"),
            kPlenty)),
        ":status=200\ncache-control=private\ndate=Mon, 21 Oct 2013 20:13:22 GMT\n"
        "location=https://www.example.com\ncontent-encoding=gzip\n"
        "set-cookie=foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1\n");
}

TEST(Hpack, OneLargeFieldNamedOftenIsTooMuch) {
    HeaderDecoder decoder;
    const std::string value(1000, 'x');
    const std::string added = "\x40\x01z\x7f" + std::string("\xe9\x06") + value;

    EXPECT_EQ(decoder.decode(added, kPlenty).front().value, value);
    EXPECT_EQ(decoder.decode(std::string(7, '\xbe'), kPlenty).size(), 7U);
    EXPECT_EQ(code_of(decoder, std::string(8, '\xbe')), ErrorCode::Exhausted);
}

TEST(Hpack, WhatIsNoBlockIsRefused) {
    for (const std::string& block :
         {std::string("\x80"), std::string("\xbe"), std::string("\x40"),
          std::string("\x00\x05"
                      "ab",
                      4),
          bytes_of("ffffffffffffffffff"), bytes_of("7fffffffff"), bytes_of("3fe21f"),
          bytes_of("8220"), bytes_of("00017a8400000000"), bytes_of("00017a84ffffffff"),
          bytes_of("00017a81fe")}) {
        HeaderDecoder decoder;
        EXPECT_EQ(code_of(decoder, block), ErrorCode::InvalidArgument)
            << ::testing::PrintToString(block);
    }
}

}  // namespace
}  // namespace kaname::gate::hpack_test
