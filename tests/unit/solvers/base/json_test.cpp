// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/json.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::json_test {
namespace {

TEST(JsonWriter, WritesNestedObjectsAndArrays) {
    JsonWriter json;

    json.begin_object().member("a", 1).key("b").begin_array().value(2).value("x").end_array();
    json.key("c").begin_object().end_object().key("d").null().member("e", true).end_object();

    EXPECT_EQ(json.text(), R"({"a": 1, "b": [2, "x"], "c": {}, "d": null, "e": true})");
}

TEST(JsonWriter, StartsALineForEachObjectOfAnArray) {
    JsonWriter json;

    json.begin_array();
    json.begin_object().member("n", 1).end_object();
    json.begin_object().member("n", 2).end_object();
    json.end_array();

    EXPECT_EQ(json.text(), "[\n  {\"n\": 1},\n  {\"n\": 2}]");
}

TEST(JsonWriter, EscapesWhatStringsMustNotHold) {
    JsonWriter json;

    json.value("a\"b\\c\nd\x01é");

    EXPECT_EQ(json.text(), "\"a\\\"b\\\\c\\nd\\u0001é\"");
}

TEST(JsonWriter, WritesTheShortestNumberThatReadsBackTheSame) {
    JsonWriter json;

    json.begin_array().value(0.1).value(1e-8).value(2.0 / 3.0).end_array();

    EXPECT_EQ(json.text(), "[0.1, 1e-08, 0.6666666666666666]");
}

TEST(JsonWriter, KeepsAllDigitsOfLargeIntegers) {
    JsonWriter json;

    json.value(std::int64_t{9007199254740993});

    EXPECT_EQ(json.text(), "9007199254740993");
}

TEST(JsonWriter, WritesNumbersThatJsonLacksAsNull) {
    JsonWriter json;

    json.begin_array();
    json.value(std::numeric_limits<double>::quiet_NaN());
    json.value(-std::numeric_limits<double>::infinity());
    json.end_array();

    EXPECT_EQ(json.text(), "[null, null]");
}

TEST(JsonWriter, RefusesAValueWithoutKey) {
    JsonWriter json;

    json.begin_object();

    EXPECT_THROW(json.value(1), Error);
}

TEST(JsonWriter, RefusesAnEndOfTheOtherKind) {
    JsonWriter json;

    json.begin_object();

    EXPECT_THROW(json.end_array(), Error);
}

TEST(JsonWriter, RefusesAKeyWithoutValueAtTheEnd) {
    JsonWriter json;

    json.begin_object().key("a");

    EXPECT_THROW(json.end_object(), Error);
}

TEST(JsonWriter, HasNoTextBeforeTheEnd) {
    JsonWriter json;

    json.begin_array();

    EXPECT_THROW(static_cast<void>(json.text()), Error);
}

TEST(JsonWriter, RefusesASecondValue) {
    JsonWriter json;

    json.value(1);

    EXPECT_THROW(json.value(2), Error);
}

}  // namespace
}  // namespace kaname::json_test
