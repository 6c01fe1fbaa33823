// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kaname {

/// Writes one JSON value (RFC 8259) piece by piece:
///
///   JsonWriter json;
///   json.begin_object().member("dof", 81).key("rows").begin_array().end_array().end_object();
///   file << json.text();
///
/// Strings are UTF-8. Numbers read back as the same double; NaN and infinities, which JSON lacks,
/// become null. Objects inside an array start a new line, so that rows can be compared by line.
/// Pieces in an order that is no JSON throw Internal.
class JsonWriter {
public:
    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(double number);
    JsonWriter& value(bool truth);
    template <std::integral Integer>
    JsonWriter& value(Integer number) {
        return integer(static_cast<std::int64_t>(number));
    }
    JsonWriter& null();

    template <class Value>
    JsonWriter& member(std::string_view name, const Value& v) {
        return key(name).value(v);
    }

    /// The finished text, without a line end.
    [[nodiscard]] const std::string& text() const;

private:
    struct Level {
        char close;  ///< '}' or ']'
        bool empty;
    };
    void before_value();
    JsonWriter& open(char bracket, char close);
    JsonWriter& close(char bracket);
    JsonWriter& integer(std::int64_t number);
    void quote(std::string_view text);

    std::string text_;
    std::vector<Level> levels_;
    bool has_key_ = false;  ///< a key waits for its value
};

}  // namespace kaname
