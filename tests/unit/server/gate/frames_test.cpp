// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/frames.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::gate::frames_test {
namespace {

const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::optional<ErrorCode> code_of(FrameReader& reader, const std::string& bytes) {
    try {
        reader.add(bytes);
        while (reader.next()) {
        }
    } catch (const Error& error) {
        return error.code();
    }
    return std::nullopt;
}

TEST(Frames, ArePassedAsTheyCameHoweverTheyAreCut) {
    const std::string block = "\x82\x86\x84\x41\x01x";
    const std::string bytes =
        kPreface + frame(kSettings, 0, 0, "") + frame(kHeaders, 0, 1, block.substr(0, 2)) +
        frame(kContinuation, kEndHeaders, 1, block.substr(2)) +
        frame(kData, 0, 1, std::string(40000, 'd')) + frame(kData, kEndStream, 1, "") +
        frame(kHeaders, kEndHeaders | kPadded | kPriority, 3,
              "\x02"
              "prio!" +
                  block + "pp") +
        frame(kPing, 0, 0, "12345678");
    for (const std::size_t step :
         {std::size_t{1}, std::size_t{7}, std::size_t{4096}, bytes.size()}) {
        FrameReader reader;
        std::string passed;
        std::vector<Piece::Kind> kinds;
        std::size_t data = 0;
        for (std::size_t at = 0; at < bytes.size(); at += step) {
            reader.add(std::string_view(bytes).substr(at, step));
            while (const auto piece = reader.next()) {
                passed += piece->bytes;
                data += piece->kind == Piece::Kind::Data ? piece->payload.size() : 0;
                if (piece->kind != Piece::Kind::Data) {
                    kinds.push_back(piece->kind);
                }
                if (piece->kind == Piece::Kind::Head) {
                    EXPECT_EQ(piece->field(":path"), "/");
                    EXPECT_EQ(piece->field(":authority"), "x");
                    EXPECT_EQ(piece->field("authorization"), std::nullopt);
                }
            }
        }
        EXPECT_EQ(passed, bytes);
        EXPECT_EQ(data, 40000U);
        using Kind = Piece::Kind;
        EXPECT_EQ(kinds, (std::vector<Kind>{Kind::Preface, Kind::Other, Kind::Head, Kind::Head,
                                            Kind::Other}));
    }
}

TEST(Frames, AHeadHasALimitHoweverItIsCut) {
    const std::string part(4000, '\x82');
    FrameReader many, large, endless;
    std::string small = kPreface + frame(kHeaders, 0, 1, "");
    for (int k = 0; k < 5; ++k) {
        small += frame(kContinuation, 0, 1, "");
    }

    EXPECT_EQ(code_of(many, small), ErrorCode::Exhausted);
    EXPECT_EQ(
        code_of(large, kPreface + frame(kHeaders, 0, 1, std::string(17000, 'x')).substr(0, 9)),
        ErrorCode::Exhausted);
    EXPECT_EQ(code_of(endless, kPreface + frame(kHeaders, 0, 1, part)), std::nullopt);
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(code_of(endless, frame(kContinuation, 0, 1, part)), std::nullopt);
    }
    EXPECT_EQ(code_of(endless, frame(kContinuation, 0, 1, part)), ErrorCode::Exhausted);
}

TEST(Frames, WhatIsNotHttp2IsRefused) {
    for (const std::string& bytes :
         {std::string("GET / HTTP/1.1\r\n"), std::string("\x16\x03\x01"),
          kPreface + frame(kContinuation, kEndHeaders, 1, ""),
          kPreface + frame(kPushPromise, kEndHeaders, 1, "0000"),
          kPreface + frame(kHeaders, 0, 1, "") + frame(kData, 0, 1, ""),
          kPreface + frame(kHeaders, 0, 1, "") + frame(kContinuation, kEndHeaders, 3, ""),
          kPreface + frame(kHeaders, kEndHeaders | kPadded, 1, ""),
          kPreface + frame(kHeaders, kEndHeaders | kPadded, 1, "\x09x"),
          kPreface + frame(kHeaders, kEndHeaders | kPriority, 1, "1234")}) {
        FrameReader reader;
        EXPECT_EQ(code_of(reader, bytes), ErrorCode::InvalidArgument)
            << ::testing::PrintToString(bytes);
    }
    FrameReader reader;
    EXPECT_EQ(code_of(reader, kPreface + frame(kSettings, 0, 0, std::string(20000, 'x'))),
              ErrorCode::Exhausted);
}

}  // namespace
}  // namespace kaname::gate::frames_test
