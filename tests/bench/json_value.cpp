// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "solvers/base/error.hpp"

namespace kaname::bench {
namespace {

constexpr int kDeepestNesting = 32;

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    JsonValue whole() {
        JsonValue value = any(0);
        skip_space();
        if (at_ != text_.size()) {
            fail("text after the end");
        }
        return value;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ErrorCode::InvalidArgument, "byte " + std::to_string(at_) + ": " + what);
    }
    void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    bool take(std::string_view word) {
        skip_space();
        const bool found = text_.substr(at_).starts_with(word);
        at_ += found ? word.size() : 0;
        return found;
    }
    void expect(std::string_view word) {
        if (!take(word)) {
            fail("expected '" + std::string(word) + "'");
        }
    }

    JsonValue any(int depth) {
        if (depth > kDeepestNesting) {
            fail("nested too deeply");
        }
        JsonValue value;
        if (take("{")) {
            value.kind = JsonValue::Kind::Object;
            if (take("}")) {
                return value;
            }
            do {
                expect("\"");
                value.keys.push_back(string());
                expect(":");
                value.items.push_back(any(depth + 1));
            } while (take(","));
            expect("}");
        } else if (take("[")) {
            value.kind = JsonValue::Kind::Array;
            if (take("]")) {
                return value;
            }
            do {
                value.items.push_back(any(depth + 1));
            } while (take(","));
            expect("]");
        } else if (take("\"")) {
            value.kind = JsonValue::Kind::Text;
            value.text = string();
        } else if (!take("null")) {
            value.kind = JsonValue::Kind::Number;
            const char* begin = text_.data() + at_;
            const auto [end, error] =
                std::from_chars(begin, text_.data() + text_.size(), value.number);
            if (error != std::errc{}) {
                fail("expected a value");
            }
            at_ += static_cast<std::size_t>(end - begin);
        }
        return value;
    }

    /// After the opening quote.
    std::string string() {
        std::string result;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] != '\\') {
                result += text_[at_];
                continue;
            }
            const char escape = ++at_ < text_.size() ? text_[at_] : '\0';
            constexpr std::string_view kLetters = "\"\\/bfnrt";
            constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
            if (const auto found = kLetters.find(escape); found != std::string_view::npos) {
                result += kMeanings[found];
            } else if (escape == 'u') {
                unsigned code = 0;
                const char* digits = text_.data() + at_ + 1;
                if (text_.size() - at_ <= 4 ||
                    std::from_chars(digits, digits + 4, code, 16).ptr != digits + 4 ||
                    code >= 0x80) {
                    fail("unknown escape");
                }
                result += static_cast<char>(code);
                at_ += 4;
            } else {
                fail("unknown escape");
            }
        }
        if (at_ >= text_.size()) {
            fail("a string without end");
        }
        ++at_;
        return result;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

[[noreturn]] void wrong_kind(const char* wanted) {
    throw Error(ErrorCode::InvalidArgument, std::string("expected ") + wanted);
}

}  // namespace

const JsonValue& JsonValue::at(std::string_view key) const {
    for (std::size_t k = 0; k < keys.size(); ++k) {
        if (keys[k] == key) {
            return items[k];
        }
    }
    throw Error(ErrorCode::InvalidArgument, "'" + std::string(key) + "' is missing");
}

const std::string& JsonValue::as_text() const {
    if (kind != Kind::Text) {
        wrong_kind("a text");
    }
    return text;
}

double JsonValue::as_number() const {
    if (kind == Kind::Null) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (kind != Kind::Number) {
        wrong_kind("a number");
    }
    return number;
}

const std::vector<JsonValue>& JsonValue::as_array() const {
    if (kind != Kind::Array) {
        wrong_kind("an array");
    }
    return items;
}

JsonValue parse_json(std::string_view text) {
    return Parser(text).whole();
}

}  // namespace kaname::bench
