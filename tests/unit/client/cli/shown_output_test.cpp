// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <sstream>

#include <gtest/gtest.h>

#include "client/cli/common/progress.hpp"

namespace kaname::cli::shown_output_test {
namespace {

TEST(ShownOutput, LetsNoControlCharacterOfOthersThrough) {
    std::stringbuf terminal;
    ShownBuffer buffer(terminal);
    std::ostream out(&buffer);

    out << "title\x1b]0;owned\x07\n" << '\x9b' << 'x' << std::flush;

    EXPECT_EQ(terminal.str(), "title\\u001b]0;owned\\u0007\n\uFFFDx");
}

TEST(ShownOutput, JoinsCharactersThatComeInParts) {
    std::stringbuf terminal;
    ShownBuffer buffer(terminal);
    std::ostream out(&buffer);

    for (const char byte : std::string("\u5357\u202E\U0001F30B")) {
        out.put(byte).flush();
    }

    EXPECT_EQ(terminal.str(), "\u5357\\u202e\U0001F30B");
}

TEST(ShownOutput, PassesOnTheProgramsOwnSequences) {
    std::stringbuf terminal;
    ShownBuffer buffer(terminal);
    std::ostream out(&buffer);

    out << Control{"\r"} << "42 %" << Control{"\x1b[K"};

    EXPECT_EQ(terminal.str(), "\r42 %\x1b[K");
}

TEST(ShownOutput, IsBetweenTheStandardStreamsAndTheTerminalWhileItLives) {
    std::stringbuf out, err;
    std::streambuf* const out_before = std::cout.rdbuf(&out);
    std::streambuf* const err_before = std::cerr.rdbuf(&err);
    {
        const ShownOutput shown;
        std::cout << "a\x1b";
        std::cerr << "b\x1b";
    }
    EXPECT_EQ(std::cout.rdbuf(), &out);
    std::cout.rdbuf(out_before);
    std::cerr.rdbuf(err_before);

    EXPECT_EQ(out.str(), "a\\u001b");
    EXPECT_EQ(err.str(), "b\\u001b");
}

}  // namespace
}  // namespace kaname::cli::shown_output_test
