// SPDX-License-Identifier: BSD-3-Clause

// Finds why a text is no YAML, in words (yaml_document.hpp).
#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"

namespace kaname::request {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::string number_of(std::size_t index) {
    return "line " + std::to_string(index + 1);
}

std::string tab_in(const std::vector<std::string_view>& lines) {
    for (std::size_t k = 0; k < lines.size(); ++k) {
        const std::size_t word = lines[k].find_first_not_of(" \t");
        if (word != std::string_view::npos &&
            lines[k].substr(0, word).find('\t') != std::string_view::npos) {
            return number_of(k) + " begins with a tab; YAML is indented with spaces only";
        }
    }
    return "";
}

/// Returns true where the lines that follow are a text in block style.
bool opens_block(std::string_view line) {
    line = trim(line);
    const std::string_view last = line.substr(line.find_last_of(' ') + 1);
    return last == "|" || last == ">" || last == "|-" || last == ">-" || last == "|+" ||
           last == ">+";
}

/// Bracket is one that is open, with the colons of its entry so far.
struct Bracket {
    char text;
    std::size_t line;
    int colons = 0;
    std::size_t colon_line = 0;
};

/// Scanner reads a text line by line and knows what quote and brackets are open, outside of
/// comments and of texts in block style (| and >).
class Scanner {
public:
    /// Returns what is wrong with the brackets of the line, or nothing.
    std::string read(std::string_view line, std::size_t index);
    /// Returns true where the next line goes on with a quote, a bracket or a block text.
    [[nodiscard]] bool is_inside() const { return quote_ != '\0' || !open_.empty() || block_; }
    /// Returns the quote that is open at the end, or nothing.
    [[nodiscard]] std::string open_quote() const {
        return quote_ == '\0' ? "" : quote_in(quote_line_);
    }
    /// Returns the first quote that went on to another line, closed there or not, or nothing.
    [[nodiscard]] std::string long_quote() const {
        return long_quote_ ? quote_in(*long_quote_) : open_quote();
    }
    [[nodiscard]] std::string open_bracket() const {
        return open_.empty() ? ""
                             : std::string("the '") + open_.front().text + "' in " +
                                   number_of(open_.front().line) + " is not closed";
    }

    /// Returns that a comma is missing between two lines, which looks as a bracket that is open.
    [[nodiscard]] const std::string& between_lines() const { return between_lines_; }

private:
    static std::string quote_in(std::size_t line) {
        return "the quote in " + number_of(line) + " is not closed";
    }
    [[nodiscard]] bool ends_block(std::string_view line) const {
        const std::size_t word = line.find_first_not_of(' ');
        return word != std::string_view::npos && word <= block_indent_;
    }
    /// Returns true where a quote begins a text; elsewhere it is one of its characters.
    [[nodiscard]] bool begins_text(char before) const {
        return std::string_view(open_.empty() ? " :-" : ":,[{").find(before) !=
               std::string_view::npos;
    }
    std::string close(char bracket, std::size_t index);
    std::string add_colon(std::string_view line, std::size_t at, std::size_t index);

    std::vector<Bracket> open_;
    char quote_ = '\0';
    std::size_t quote_line_ = 0;
    std::optional<std::size_t> long_quote_;
    std::string between_lines_;
    bool block_ = false;
    std::size_t block_indent_ = 0;
};

std::string Scanner::close(char bracket, std::size_t index) {
    if (open_.empty()) {
        return number_of(index) + ": '" + bracket + "' closes nothing";
    }
    if ((bracket == '}') != (open_.back().text == '{')) {
        return number_of(index) + ": '" + bracket + "' closes the '" + open_.back().text + "' in " +
               number_of(open_.back().line);
    }
    open_.pop_back();
    return "";
}

/// A second colon in an entry of {} has a key before it that no comma parts from the value.
std::string Scanner::add_colon(std::string_view line, std::size_t at, std::size_t index) {
    if (open_.empty() || open_.back().text != '{') {
        return "";
    }
    const std::size_t first_line = std::exchange(open_.back().colon_line, index);
    if (++open_.back().colons < 2) {
        return "";
    }
    const std::string_view before = line.substr(0, at);
    const std::size_t blank = before.find_last_of(" ,{[");
    const std::string_view key =
        blank == std::string_view::npos ? before : before.substr(blank + 1);
    std::string wrong = number_of(index) + ": a comma is missing before " + quote(key);
    if (first_line == index) {
        return wrong;
    }
    if (between_lines_.empty()) {
        between_lines_ = std::move(wrong);
    }
    return "";
}

std::string Scanner::read(std::string_view line, std::size_t index) {
    if (block_ && !ends_block(line)) {
        return "";
    }
    block_ = false;
    if (quote_ != '\0' && !long_quote_) {
        long_quote_ = quote_line_;
    }
    char before = ' ';  // the last character that is no blank
    bool blank = true;
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        std::string wrong;
        if (quote_ != '\0') {
            if (c == '\\' && quote_ == '"') {
                ++at;
            } else if (c == quote_) {
                quote_ = '\0';
            }
        } else if (c == '#' && blank) {
            break;
        } else if ((c == '"' || c == '\'') && begins_text(before)) {
            quote_ = c;
            quote_line_ = index;
        } else if (c == '{' || c == '[') {
            open_.push_back({c, index});
        } else if (c == '}' || c == ']') {
            wrong = close(c, index);
        } else if (c == ',' && !open_.empty()) {
            open_.back().colons = 0;
        } else if (c == ':' && (at + 1 == line.size() || line[at + 1] == ' ')) {
            wrong = add_colon(line, at, index);
        }
        if (!wrong.empty()) {
            return wrong;
        }
        blank = c == ' ';
        before = blank ? before : c;
    }
    if (open_.empty() && quote_ == '\0' && opens_block(line)) {
        block_ = true;
        block_indent_ = line.find_first_not_of(' ');
    }
    return "";
}

std::string bracket_in(const std::vector<std::string_view>& lines) {
    Scanner scanner;
    std::string wrong;
    for (std::size_t k = 0; k < lines.size() && wrong.empty(); ++k) {
        wrong = scanner.read(lines[k], k);
    }
    // A quote that swallows lines hides brackets and commas.
    if (std::string quoted = scanner.long_quote(); !quoted.empty()) {
        return quoted;
    }
    if (wrong.empty()) {
        wrong = scanner.open_bracket();
    }
    return wrong.empty() ? scanner.between_lines() : wrong;
}

/// Returns the line without its comment and the blanks at its ends.
std::string_view bare(std::string_view line) {
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '#' && (at == 0 || line[at - 1] == ' ')) {
            line = line.substr(0, at);
        }
    }
    return trim(line);
}

bool is_word(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_';
    }) && std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

/// Returns what keeps a line from being "key: value" or "- entry", or nothing.
std::string entry_fault(std::string_view text, std::size_t index) {
    const std::string where = number_of(index) + ": ";
    if (text.starts_with('-') && text.size() > 1 && text[1] != ' ' && text[1] != '-' &&
        !parse_number(text)) {
        return where + "a blank is missing after '-'";
    }
    const bool entry = text.starts_with("- ");
    if (entry) {
        text = trim(text.substr(2));
    }
    const std::size_t colon = text.find(':');
    const std::string_view key = text.substr(0, colon);
    if (colon == std::string_view::npos) {
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos && is_word(trim(text.substr(0, equals)))) {
            return where + "a key and its value are parted by a colon and a blank, not by '='";
        }
        return !entry && is_word(text) ? where + "a colon is missing after " + quote(text) : "";
    }
    if (!is_word(key) || colon + 1 == text.size()) {
        return "";
    }
    if (text[colon + 1] != ' ') {
        return where + "a blank is missing after " + quote(text.substr(0, colon + 1));
    }
    const std::string_view value = trim(text.substr(colon + 1));
    if (!value.empty() &&
        std::string_view("@`%*&!").find(value.front()) != std::string_view::npos) {
        return where + "a text that begins with '" + value.front() + "' stands in quotes";
    }
    if (!value.empty() && std::string_view("{[\"'").find(value.front()) == std::string_view::npos &&
        value.find(": ") != std::string_view::npos) {
        return where + "a text with a colon and a blank in it stands in quotes";
    }
    return "";
}

/// Returns what is wrong with the line where the parser gave up, or the one before it.
std::string entry_in(const std::vector<std::string_view>& lines, int line) {
    std::vector<std::pair<std::string_view, std::size_t>> outer;  // in no bracket or quote
    Scanner scanner;
    for (std::size_t k = 0; k < lines.size() && static_cast<int>(k) < line; ++k) {
        const bool inside = scanner.is_inside();
        (void)scanner.read(lines[k], k);
        if (const std::string_view text = bare(lines[k]); !inside && !text.empty()) {
            outer.emplace_back(text, k);
        }
    }
    for (std::size_t k = 0; k < std::min<std::size_t>(2, outer.size()); ++k) {
        const auto& [text, index] = outer[outer.size() - 1 - k];
        if (std::string fault = entry_fault(text, index); !fault.empty()) {
            return fault;
        }
    }
    return "";
}

/// Lines that say something, by their indentation.
struct Said {
    std::size_t index, indent;
    bool entry;  ///< of a list
    bool opens;  ///< what is indented more belongs to it
};

std::string spaces(std::size_t n) {
    return std::to_string(n) + (n == 1 ? " space" : " spaces");
}

/// Returns how the line's indentation differs from that of the open lists and mappings, or nothing.
std::string other_indent(const Said& here, const std::vector<Said>& above) {
    // This line closes all that is indented more; the first of that may be its sibling.
    const Said* closed = nullptr;
    for (auto other = above.rbegin(); other != above.rend(); ++other) {
        const std::size_t keys = other->indent + (other->entry ? 2 : 0);
        if (other->indent == here.indent || (!here.entry && keys == here.indent)) {
            return "";
        }
        if (other->indent < here.indent) {
            if (closed == nullptr && other->opens) {
                return "";  // the first line of what it opens
            }
            const Said& sibling =
                closed != nullptr && closed->entry == here.entry ? *closed : *other;
            return number_of(here.index) + " is indented by " + spaces(here.indent) + ", the " +
                   (sibling.entry ? "list" : "key") + " above (" + number_of(sibling.index) +
                   ") by " + std::to_string(sibling.indent);
        }
        closed = &*other;
    }
    return "";
}

std::string indent_in(const std::vector<std::string_view>& lines, int last_line) {
    std::vector<Said> said;
    Scanner scanner;
    for (std::size_t k = 0; k < lines.size() && static_cast<int>(k) < last_line; ++k) {
        const bool inside = scanner.is_inside();
        (void)scanner.read(lines[k], k);
        const std::size_t word = lines[k].find_first_not_of(' ');
        if (inside || word == std::string_view::npos || bare(lines[k]).empty()) {
            continue;
        }
        const std::string_view rest = bare(lines[k]);
        const bool key = rest.ends_with(':') || rest.find(": ") != std::string_view::npos;
        const Said here{
            k, word, rest.starts_with("- "),
            rest.ends_with(':') || rest == "-" ||
                (rest.starts_with("- ") && key && !rest.ends_with('}') && !rest.ends_with(']'))};
        if (!here.entry && !key) {
            continue;  // a text goes on
        }
        std::string fault = other_indent(here, said);
        if (!fault.empty()) {
            return fault;
        }
        said.push_back(here);
    }
    return "";
}

}  // namespace

std::string yaml_fault(std::string_view text, int line) {
    const std::vector<std::string_view> lines = lines_of(text);
    for (const std::string& fault :
         {tab_in(lines), bracket_in(lines), entry_in(lines, line), indent_in(lines, line)}) {
        if (!fault.empty()) {
            return fault;
        }
    }
    return "";
}

std::string unclosed_quote(std::string_view text) {
    Scanner scanner;
    const std::vector<std::string_view> lines = lines_of(text);
    for (std::size_t k = 0; k < lines.size(); ++k) {
        (void)scanner.read(lines[k], k);
    }
    return scanner.open_quote();
}

}  // namespace kaname::request
