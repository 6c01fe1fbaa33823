// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include "proto/request/form/yaml_document.hpp"

namespace kaname::request::yaml_fault_test {
namespace {

/// The message for a text that is no YAML.
std::string told(const std::string& text) {
    try {
        (void)only_document(text, "a.yaml");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

const std::string kHead = "file 'a.yaml' is not YAML: ";

TEST(YamlFault, NamesTheLineThatBeginsWithATab) {
    EXPECT_EQ(told("a: 1\nb:\n\tc: 2\n"),
              kHead + "line 3 begins with a tab; YAML is indented with spaces only");
}

TEST(YamlFault, NamesTheBracketThatIsNotClosed) {
    EXPECT_EQ(told("a: 1\nb: {c: 2, d: '}'  # }\ne:\n  - {f: 3}\n"),
              kHead + "the '{' in line 2 is not closed");
    EXPECT_EQ(told("a: [1, 2\nb: }\n"), kHead + "line 2: '}' closes the '[' in line 1");
    EXPECT_EQ(told("a: {b: 1}}\n"), kHead + "line 1: '}' closes nothing");
}

TEST(YamlFault, NamesTheEntryThatIsIndentedOtherwise) {
    EXPECT_EQ(told("a:\n  b:\n    - {c: 1}\n   - {c: 2}\nd: 3\n"),
              kHead + "line 4 is indented by 3 spaces, the list above (line 3) by 4");
    EXPECT_EQ(told("a:\n  - {c: 1}\n   - {c: 2}\n"),
              kHead + "line 3 is indented by 3 spaces, the list above (line 2) by 2");
}

TEST(YamlFault, NamesTheQuoteThatIsNotClosed) {
    EXPECT_EQ(told("a: \"b\nc: 1\n"), kHead + "the quote in line 1 is not closed");
    EXPECT_EQ(told("a: {b: 'c, d: 1}\ne: 2\n"), kHead + "the quote in line 1 is not closed");
    EXPECT_EQ(told("a: 'b\nc: 'd'\ne: 2\n"), kHead + "the quote in line 1 is not closed");
    EXPECT_EQ(told("a: it's \"fine\", 'here\nb: \"a \\\" b\"\nc: |\n  d 'e\nf: 1\n"), "");
}

TEST(YamlFault, NamesCommasColonsAndBlanksThatAreMissing) {
    EXPECT_EQ(told("a:\n  b: {c: 1 dip_deg: 45, e: 2}\n"),
              kHead + "line 2: a comma is missing before 'dip_deg'");
    EXPECT_EQ(told("a: {b: 1\n    c: 2}\n"), kHead + "line 2: a comma is missing before 'c'");
    EXPECT_EQ(told("a: {b: {c: 1}, d: [1, 2], e: {f: 3}}\n"), "");
    EXPECT_EQ(told("a: 1\nb\n  c: 2\n"), kHead + "line 2: a colon is missing after 'b'");
    EXPECT_EQ(told("a:b\nc: 1\n"), kHead + "line 1: a blank is missing after 'a:'");
    EXPECT_EQ(told("a = 3\nb: 1\n"),
              kHead + "line 1: a key and its value are parted by a colon and a blank, not by '='");
    EXPECT_EQ(told("a:\n  - {b: 1}\n  -{b: 2}\n"), kHead + "line 3: a blank is missing after '-'");
}

TEST(YamlFault, NamesTextsThatStandInQuotes) {
    EXPECT_EQ(told("a: 1\nb: see: this\n"),
              kHead + "line 2: a text with a colon and a blank in it stands in quotes");
    EXPECT_EQ(told("a: @b\n"), kHead + "line 1: a text that begins with '@' stands in quotes");
    EXPECT_EQ(told("a: *b\n"), kHead + "line 1: a text that begins with '*' stands in quotes");
}

TEST(YamlFault, NamesTheKeyThatIsIndentedOtherwise) {
    EXPECT_EQ(told("a:\n  b:\n    - {c: 1}\n    - {c: 2}\n   d: 3\n"),
              kHead + "line 5 is indented by 3 spaces, the key above (line 2) by 2");
    EXPECT_EQ(told("a: 1\n b: 2\n"),
              kHead + "line 2 is indented by 1 space, the key above (line 1) by 0");
}

TEST(YamlFault, LeavesTheParsersWordsWhereItKnowsNoBetter) {
    EXPECT_EQ(told("a: 'it''s [fine]'\nb: [1]\nc: *nowhere\n").find(kHead + "line 3: "), 0u);
    EXPECT_EQ(yaml_fault("a:\n  - b:\n      - 1\n      - 2\n  - c\n", 5), "");
}

}  // namespace
}  // namespace kaname::request::yaml_fault_test
