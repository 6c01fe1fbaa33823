// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/text.hpp"

namespace kaname::shown_test {
namespace {

using namespace std::string_literals;

TEST(Shown, LeavesLettersOfAllScripts) {
    for (const char* text :
         {"", "north 1.5\tm\n", "\u5357\u6D77\u30C8\u30E9\u30D5 \u03BC \U0001F30B"}) {
        EXPECT_EQ(shown(text), text);
    }
}

TEST(Shown, SpellsOutWhatATerminalObeys) {
    EXPECT_EQ(shown("\x1b]0;owned\x07"), "\\u001b]0;owned\\u0007");
    EXPECT_EQ(shown("a\rb\x7f\0c"s), "a\\u000db\\u007f\\u0000c");
    EXPECT_EQ(shown("\u009b31m"), "\\u009b31m");
    EXPECT_EQ(shown("gpj.\u202Eh5"), "gpj.\\u202eh5");
    EXPECT_EQ(shown("\u200B\uFEFF\u2028"), "\\u200b\\ufeff\\u2028");
    EXPECT_EQ(shown("\U000E0041"), "\\udb40\\udc41");
}

TEST(Shown, ReplacesBytesThatAreNoCharacter) {
    EXPECT_EQ(shown("\x9b"
                    "31m"),
              "\uFFFD"
              "31m");
    EXPECT_EQ(shown("\xe2\x80"), "\uFFFD\uFFFD");
}

TEST(Shown, OnALineIsOneLine) {
    EXPECT_EQ(shown_on_a_line("a\nkaname-server: all is well\t!"),
              "a\\nkaname-server: all is well\\t!");
}

TEST(Shown, KnowsWhereACharacterIsNotFinished) {
    EXPECT_EQ(unfinished_bytes("abc"), 0U);
    EXPECT_EQ(unfinished_bytes("a\xe2\x80"), 2U);
    EXPECT_EQ(unfinished_bytes("a\xf0\x9f\x8c"), 3U);
    EXPECT_EQ(unfinished_bytes("\u202E"), 0U);
    EXPECT_EQ(unfinished_bytes("a\x80\x80\x80\x80"), 0U);
}

TEST(FileName, IsTheNameWhereThatIsHarmless) {
    EXPECT_EQ(file_name_of("eta=1e19,slab=a", ".h5"), "eta=1e19,slab=a.h5");
    EXPECT_EQ(file_name_of("\u5357\u6D77 2", ".h5"), "\u5357\u6D77 2.h5");
}

TEST(FileName, IsNeverAPath) {
    for (const std::string name :
         {"../../home/ada/.profile", "/etc/cron.d/x", "..", ".", "", "a/b", "..\\a", "-rf", "~ada",
          "a\nb", "ok\x1b]0;pwn\x07name", "x\u202Egpj"}) {
        const std::string file = file_name_of(name, ".h5");
        EXPECT_EQ(file.find_first_of("/\\\n\x1b"), std::string::npos) << name;
        EXPECT_EQ(std::string(".-~").find(file.front()), std::string::npos) << file;
        EXPECT_EQ(shown(file), file);
        EXPECT_TRUE(file.ends_with(".h5"));
    }
}

TEST(FileName, OfDifferentNamesStaysDifferent) {
    const std::string one(300, 'a'), other = one + "b";
    EXPECT_LT(file_name_of(one, ".h5").size(), 200U);
    EXPECT_NE(file_name_of(one), file_name_of(other));
    EXPECT_EQ(file_name_of("a/b"), "a_b-c14cddc033f64b9d");  // as the Python package has it
    EXPECT_NE(file_name_of("a/b"), file_name_of("a\\b"));
}

}  // namespace
}  // namespace kaname::shown_test
