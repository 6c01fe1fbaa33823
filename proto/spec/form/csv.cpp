// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/csv.hpp"

#include <algorithm>

namespace kaname::spec {
namespace {

constexpr std::size_t kMaxReported = 50;

}  // namespace

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<std::vector<std::string>> split_csv(std::string_view line) {
    std::vector<std::string> cells;
    std::string cell;
    bool quoted = false;
    bool was_quoted = false;
    const auto finish = [&] {
        cells.push_back(was_quoted ? cell : std::string(trim(cell)));
        cell.clear();
        was_quoted = false;
    };
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (quoted && c == '"' && at + 1 < line.size() && line[at + 1] == '"') {
            cell += c;
            ++at;
        } else if (c == '"' && (quoted || trim(cell).empty())) {
            quoted = !quoted;
            if (quoted) {
                cell.clear();
            }
            was_quoted = true;
        } else if (c == ',' && !quoted) {
            finish();
        } else if (!was_quoted || quoted) {
            cell += c;
        }
    }
    if (quoted) {
        return std::nullopt;
    }
    finish();
    return cells;
}

void for_each_csv_line(std::string_view text,
                       const std::function<bool(int line, std::string_view text)>& visit) {
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.empty() && line.front() != '#' && !visit(number, line)) {
            return;
        }
    }
}

void RowErrors::fail(int line, std::string message) {
    if (broken_.size() < kMaxReported) {
        broken_.push_back({at(line), std::move(message)});
    }
    ++count_;
}

std::vector<Violation> RowErrors::take() {
    if (count_ > broken_.size()) {
        broken_.push_back(
            {path_, "has " + std::to_string(count_ - broken_.size()) + " more errors like these"});
    }
    count_ = 0;
    return std::move(broken_);
}

}  // namespace kaname::spec
