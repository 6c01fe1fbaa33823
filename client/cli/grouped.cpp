// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/grouped.hpp"

#include <cctype>
#include <map>

namespace kaname::cli {
namespace {

constexpr std::size_t kMostAlone = 3;

/// `text` with one # for each number, quoted text and word with a digit.
std::string without_numbers(const std::string& text) {
    std::string words;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        std::size_t end = i;
        if (c == '"' || c == '\'') {
            const std::size_t close = text.find(c, i + 1);
            end = close == std::string::npos ? i : close + 1;
        } else {
            while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])) == 0) {
                ++end;
            }
            if (text.substr(i, end - i).find_first_of("0123456789") == std::string::npos) {
                end = i;
            }
        }
        if (end > i) {
            words += '#';
            i = end;
            continue;
        }
        // The rest of a word without digits.
        do {
            words += text[i++];
        } while (i < text.size() && text[i - 1] != ' ');
    }
    return words;
}

/// "[3]" of "stations.list[3].lon_deg", or "row 4" of a file's line; empty for no entry of a list.
struct Entry {
    std::string index, pattern;
};

Entry entry_of(const std::string& field) {
    const std::size_t close = field.rfind(']');
    const std::size_t open = close == std::string::npos ? close : field.rfind('[', close);
    if (open == std::string::npos) {
        // A row of a file: "stations.csv:12" or "row 12".
        const std::size_t digits = field.find_last_not_of("0123456789");
        if (digits == std::string::npos || digits + 1 == field.size()) {
            return {"", field};
        }
        return {field.substr(digits + 1), field.substr(0, digits + 1) + "#"};
    }
    return {field.substr(open, close + 1 - open),
            field.substr(0, open) + "[#]" + field.substr(close + 1)};
}

}  // namespace

std::vector<Violation> grouped(const std::vector<Violation>& violations) {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> groups;
    for (std::size_t k = 0; k < violations.size(); ++k) {
        groups[{entry_of(violations[k].field).pattern, without_numbers(violations[k].message)}]
            .push_back(k);
    }
    std::vector<Violation> lines;
    for (std::size_t k = 0; k < violations.size(); ++k) {
        const Entry entry = entry_of(violations[k].field);
        const auto& group = groups.at({entry.pattern, without_numbers(violations[k].message)});
        if (entry.index.empty() || group.size() <= kMostAlone) {
            lines.push_back(violations[k]);
            continue;
        }
        if (group.front() != k) {
            continue;
        }
        std::string rest = "; the same of ";
        for (std::size_t n = 1; n < kMostAlone; ++n) {
            rest += entry_of(violations[group[n]].field).index + ", ";
        }
        lines.push_back({violations[k].field, violations[k].message + rest + "... and " +
                                                  std::to_string(group.size() - kMostAlone) +
                                                  " more, " + std::to_string(group.size()) +
                                                  " in all"});
    }
    return lines;
}

}  // namespace kaname::cli
