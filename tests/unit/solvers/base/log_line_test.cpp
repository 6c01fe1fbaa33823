// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/log_line.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace kaname::log_line_test {
namespace {

const std::string kTraceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::string behind_time(const std::string& line) {
    return line.substr(line.find("\"program\""));
}

TEST(LogLine, AsTextItIsTimeAndLine) {
    const LogScope about({.job = "j", .task = "7", .traceparent = kTraceparent});

    const std::string line = log_line(LogFormat::Text, "kaname-agent", "working on p1");

    EXPECT_EQ(line.substr(19), "Z working on p1");
}

TEST(LogLine, AsJsonItNamesWhatItIsAbout) {
    const LogScope job({.job = "j", .traceparent = kTraceparent});
    {
        const LogScope task({.task = "7"});
        EXPECT_EQ(
            behind_time(log_line(LogFormat::Json, "p", "a \"b\"\n")),
            "\"program\": \"p\", \"message\": \"a \\\"b\\\"\\n\", \"job\": \"j\", \"task\": \"7\", "
            "\"trace_id\": \"0af7651916cd43dd8448eb211c80319c\", "
            "\"span_id\": \"b7ad6b7169203331\"}");
    }
    EXPECT_EQ(log_line(LogFormat::Json, "p", "b").find("\"task\""), std::string::npos);
}

TEST(LogLine, NoTextOfOthersMakesALineOfItsOwn) {
    const char* const forged = "w\x1b[31m failed\n2026-01-31T23:59:59Z all is well \u202E";

    EXPECT_EQ(log_line(LogFormat::Text, "p", forged).substr(19),
              "Z w\\u001b[31m failed\\n2026-01-31T23:59:59Z all is well \\u202e");
    EXPECT_EQ(behind_time(log_line(LogFormat::Json, "p", "\x7f\u202E")),
              "\"program\": \"p\", \"message\": \"\\u007f\\u202e\"}");
}

TEST(LogLine, WhatIsNoUtf8IsReplaced) {
    EXPECT_EQ(behind_time(log_line(LogFormat::Json, "p", "a\xff")),
              "\"program\": \"p\", \"message\": \"a\xEF\xBF\xBD\"}");
}

TEST(LogLine, OtherThreadsAreAboutSomethingElse) {
    const LogScope job({.job = "j"});
    std::string line;
    std::thread([&] { line = log_line(LogFormat::Json, "p", "b"); }).join();

    EXPECT_EQ(behind_time(line), "\"program\": \"p\", \"message\": \"b\"}");
}

}  // namespace
}  // namespace kaname::log_line_test
