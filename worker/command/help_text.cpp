// SPDX-License-Identifier: BSD-3-Clause
// Texts of the command line that need no parser: rules that words break, and lines of the help.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "worker/command/command.hpp"

namespace kaname::command {
namespace {

constexpr std::size_t kTextColumn = 30;  ///< where the help has the texts of options

std::vector<std::string> words_of(const std::string& words) {
    std::vector<std::string> parts;
    std::istringstream in(words);
    for (std::string part; std::getline(in, part, '|');) {
        parts.push_back(part);
    }
    return parts;
}

template <class Number>
bool is_number(const std::string& word, Number& value) {
    const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(begin, end, value);
    return read.ec == std::errc() && read.ptr == end;
}

std::string short_number(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

/// Where a line is broken: at the last blank, else behind the last comma, that leaves `columns` at
/// most and something on the line; at its end where there is none.
std::size_t break_of(const std::string& line, std::size_t indent, std::size_t columns) {
    const std::size_t begin = line.find_first_not_of(' ', indent);
    const std::size_t blank = line.rfind(' ', columns);
    if (blank != std::string::npos && blank > begin) {
        return blank;
    }
    const std::size_t comma = line.rfind(',', columns - 1);
    if (comma != std::string::npos && comma > begin) {
        return comma + 1;
    }
    const std::size_t later = line.find_first_of(" ,", begin);
    return later == std::string::npos ? line.size() : later + (line[later] == ',' ? 1 : 0);
}

/// The column below which a line of the help goes on.
std::size_t hanging_indent(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || begin == 0) {
        return begin == 0 && line.starts_with("Usage") ? 4 : 0;
    }
    if (begin >= kTextColumn) {
        return begin;
    }
    const bool has_text =
        line.size() > kTextColumn && line[kTextColumn - 1] == ' ' && line[kTextColumn] != ' ';
    return has_text ? kTextColumn : begin + 4;
}

}  // namespace

std::string broken_rule(const Check& check, const std::string& word) {
    double number = 0;
    std::int64_t whole = 0;
    const bool is_real = is_number(word, number) && !std::isnan(number);
    switch (check.kind) {
        case Check::Kind::OneOf: {
            const auto known = words_of(check.words);
            if (std::ranges::find(known, word) != known.end()) {
                return "";
            }
            std::string list;
            for (const std::string& one : known) {
                list += (list.empty() ? "" : ", ") + one;
            }
            return "must be one of " + list;
        }
        case Check::Kind::Number:
            return is_real ? "" : "must be a number";
        case Check::Kind::Positive:
            return is_real && number > 0 ? "" : "must be a number > 0";
        case Check::Kind::NotNegative:
            return is_real && number >= 0 ? "" : "must be a number >= 0";
        case Check::Kind::Integers:
            return is_number(word, whole) && whole >= check.least && whole <= check.most
                       ? ""
                       : "must be a whole number from " + short_number(check.least) + " to " +
                             short_number(check.most);
        case Check::Kind::Reals:
            return is_real && number >= check.least && number <= check.most
                       ? ""
                       : "must be a number from " + short_number(check.least) + " to " +
                             short_number(check.most);
        case Check::Kind::None:
            break;
    }
    return "";
}

std::string wrapped_help(const std::string& help, std::size_t columns) {
    std::istringstream in(help);
    std::string out;
    for (std::string line; std::getline(in, line);) {
        const std::size_t indent = hanging_indent(line);
        std::size_t done = 0;
        while (line.size() > columns) {
            const std::size_t end = break_of(line, done, columns);
            if (end >= line.size()) {
                break;
            }
            out += line.substr(0, end) + "\n";
            line = std::string(indent, ' ') + line.substr(line.find_first_not_of(' ', end));
            done = indent;
        }
        out += line + "\n";
    }
    return out;
}

}  // namespace kaname::command
