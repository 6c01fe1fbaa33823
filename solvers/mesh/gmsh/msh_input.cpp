// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/gmsh/msh_input.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::mesh {
namespace {

constexpr std::size_t kShown = 40;        // bytes of a word in a message
constexpr std::size_t kShortestWord = 2;  // a digit and a blank

bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

std::string quote(std::string_view word) {
    std::string text = "'";
    for (const char c : word.substr(0, kShown)) {
        text += c >= ' ' && c <= '~' ? c : '?';
    }
    return text + (word.size() > kShown ? "...'" : "'");
}

template <class T>
bool parse(std::string_view word, T& value) {
    if (word.starts_with('+')) {
        word.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

MshInput::MshInput(std::string_view bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {}

void MshInput::fail(const std::string& message) const {
    std::string where = name_;
    if (!section_.empty()) {
        where += ": $" + section_;
    }
    if (binary_) {
        where += ", byte " + std::to_string(at_);
    } else {
        const std::string_view before = bytes_.substr(0, at_);
        where += ", line " + std::to_string(1 + std::ranges::count(before, '\n'));
    }
    throw Error(ErrorCode::InvalidArgument, where + ": " + message);
}

void MshInput::skip_blanks() {
    while (at_ < bytes_.size() && is_blank(bytes_[at_])) {
        ++at_;
    }
}

std::string_view MshInput::line() {
    const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    std::string_view text = bytes_.substr(at_, end - at_);
    at_ = std::min(end + 1, bytes_.size());
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::string MshInput::next_section() {
    skip_blanks();
    section_.clear();
    if (at_ == bytes_.size()) {
        return "";
    }
    const std::size_t start = at_;
    const std::string_view text = line();
    if (text.size() < 2 || text[0] != '$') {
        at_ = start;
        fail("must be the name of a section ($Nodes, ...), got " + quote(text));
    }
    section_ = text.substr(1);
    return section_;
}

void MshInput::close_section() {
    skip_blanks();
    const std::size_t start = at_;
    if (const std::string_view text = line(); text != "$End" + section_) {
        at_ = start;
        fail("must end here with $End" + section_ + ", got " + quote(text));
    }
}

void MshInput::skip_section() {
    const std::size_t end = bytes_.find("$End" + section_, at_);
    if (end == std::string_view::npos) {
        fail("has no $End" + section_);
    }
    at_ = end;
    close_section();
}

std::string_view MshInput::word(const char* what) {
    skip_blanks();
    std::size_t end = at_;
    while (end < bytes_.size() && !is_blank(bytes_[end])) {
        ++end;
    }
    if (end == at_) {
        fail(std::string(what) + " is missing: the file ends");
    }
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end;
    return text;
}

std::int64_t MshInput::text_integer(const char* what) {
    const std::string_view text = word(what);
    std::int64_t value = 0;
    if (!parse(text, value)) {
        at_ -= text.size();
        fail(std::string(what) + " must be a whole number, got " + quote(text));
    }
    return value;
}

double MshInput::text_number(const char* what) {
    const std::string_view text = word(what);
    double value = 0.0;
    if (!parse(text, value) || !std::isfinite(value)) {
        at_ -= text.size();
        fail(std::string(what) + " must be a finite number, got " + quote(text));
    }
    return value;
}

std::string MshInput::quoted(const char* what) {
    skip_blanks();
    const std::string_view text = line();
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') {
        fail(std::string(what) + " must stand between double quotes, got " + quote(text));
    }
    return std::string(text.substr(1, text.size() - 2));
}

template <class T>
T MshInput::raw(const char* what) {
    char bytes[sizeof(T)];
    if (bytes_.size() - at_ < sizeof(T)) {
        fail(std::string(what) + " is missing: the file ends");
    }
    std::memcpy(bytes, bytes_.data() + at_, sizeof(T));
    if (swapped_) {
        std::reverse(std::begin(bytes), std::end(bytes));
    }
    at_ += sizeof(T);
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

std::int32_t MshInput::int32(const char* what) {
    if (binary_) {
        return raw<std::int32_t>(what);
    }
    const std::int64_t value = text_integer(what);
    if (value < std::numeric_limits<std::int32_t>::min() ||
        value > std::numeric_limits<std::int32_t>::max()) {
        fail(std::string(what) + " must fit in 32 bits, got " + std::to_string(value));
    }
    return static_cast<std::int32_t>(value);
}

std::int64_t MshInput::size(const char* what) {
    const std::int64_t value = binary_ ? raw<std::int64_t>(what) : text_integer(what);
    if (value < 0) {
        fail(std::string(what) + " must not be negative, got " + std::to_string(value));
    }
    return value;
}

double MshInput::number(const char* what) {
    if (!binary_) {
        return text_number(what);
    }
    const double value = raw<double>(what);
    if (!std::isfinite(value)) {
        fail(std::string(what) + " must be finite");
    }
    return value;
}

std::int64_t MshInput::check_count(std::int64_t count, const char* what,
                                   std::size_t bytes_each) const {
    const std::size_t left = bytes_.size() - at_;
    const std::size_t each = binary_ ? bytes_each : kShortestWord;
    // In text the last word may end with the file.
    if (count < 0 || static_cast<std::size_t>(count) > left / each + 1) {
        fail(std::string(what) + " is " + std::to_string(count) + ", but only " +
             std::to_string(left) + " bytes are left of the file");
    }
    return count;
}

std::int64_t MshInput::count(const char* what, std::size_t bytes_each) {
    return check_count(size(what), what, bytes_each);
}

void MshInput::set_binary(bool swapped) {
    binary_ = true;
    swapped_ = swapped;
}

}  // namespace kaname::mesh
