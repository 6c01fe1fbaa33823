// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kaname::bench {

/// A JSON value that was read. The accessors throw InvalidArgument when it is of another kind;
/// a null number is NaN, as JsonWriter writes it.
struct JsonValue {
    enum class Kind { Null, Number, Text, Array, Object };
    Kind kind = Kind::Null;
    double number = 0.0;
    std::string text;
    std::vector<std::string> keys;  ///< keys of an Object, one per item
    std::vector<JsonValue> items;   ///< items of an Array or Object

    [[nodiscard]] const JsonValue& at(std::string_view key) const;
    [[nodiscard]] const std::string& as_text() const;
    [[nodiscard]] double as_number() const;
    [[nodiscard]] const std::vector<JsonValue>& as_array() const;
};

/// Reads the files of kaname-bench: no true and false, of \u escapes only those below 0x80.
/// Throws InvalidArgument with the place (byte) of the fault.
[[nodiscard]] JsonValue parse_json(std::string_view text);

}  // namespace kaname::bench
