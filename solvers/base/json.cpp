// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "solvers/base/error.hpp"

namespace kaname {
namespace {

[[noreturn]] void misuse(const char* what) {
    throw Error(ErrorCode::Internal, std::string("JsonWriter: ") + what);
}

}  // namespace

void JsonWriter::before_value() {
    if (levels_.empty()) {
        if (!text_.empty()) {
            misuse("a second value after the end");
        }
        return;
    }
    Level& level = levels_.back();
    if (level.close == '}') {
        if (!has_key_) {
            misuse("a value without key in an object");
        }
        has_key_ = false;
        return;
    }
    if (!level.empty) {
        text_ += ", ";
    }
    level.empty = false;
}

JsonWriter& JsonWriter::open(char bracket, char close) {
    const bool in_array = !levels_.empty() && levels_.back().close == ']';
    before_value();
    if (in_array && bracket == '{') {
        if (text_.back() == ' ') {
            text_.pop_back();
        }
        text_ += "\n  ";
    }
    text_ += bracket;
    levels_.push_back({close, true});
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    if (levels_.empty() || levels_.back().close != bracket || has_key_) {
        misuse("an end that does not fit its beginning");
    }
    levels_.pop_back();
    text_ += bracket;
    return *this;
}

JsonWriter& JsonWriter::begin_object() {
    return open('{', '}');
}
JsonWriter& JsonWriter::end_object() {
    return close('}');
}
JsonWriter& JsonWriter::begin_array() {
    return open('[', ']');
}
JsonWriter& JsonWriter::end_array() {
    return close(']');
}

JsonWriter& JsonWriter::key(std::string_view name) {
    if (levels_.empty() || levels_.back().close != '}' || has_key_) {
        misuse("a key outside an object");
    }
    if (!levels_.back().empty) {
        text_ += ", ";
    }
    levels_.back().empty = false;
    quote(name);
    text_ += ": ";
    has_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    before_value();
    quote(text);
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    if (!std::isfinite(number)) {
        return null();
    }
    before_value();
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    text_.append(digits, end);
    return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
    before_value();
    text_ += truth ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
    before_value();
    text_ += std::to_string(number);
    return *this;
}

JsonWriter& JsonWriter::null() {
    before_value();
    text_ += "null";
    return *this;
}

const std::string& JsonWriter::text() const {
    if (!levels_.empty() || text_.empty()) {
        misuse("the text is not finished");
    }
    return text_;
}

void JsonWriter::quote(std::string_view text) {
    text_ += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += c;
        } else if (c == '\n') {
            text_ += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            text_ += escape;
        } else {
            text_ += c;
        }
    }
    text_ += '"';
}

}  // namespace kaname
