// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/common/report_error.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>

#include <nlohmann/json.hpp>

#include "proto/reason/reasoned_error.hpp"
#include "proto/request/form/text.hpp"
#include "worker/run/events.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

constexpr std::string_view kGot = ", got ";
constexpr const char* kFieldLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.[]";

/// Messages are "<field>: <rule>, got <value>", as all of them are written.
command::Refusal parts_of(const std::string& field, const std::string& message) {
    const std::size_t got = message.rfind(kGot);
    if (got == std::string::npos) {
        return {field, message, ""};
    }
    return {field, message.substr(0, got), message.substr(got + kGot.size())};
}

command::Refusal parts_of(const std::string& message) {
    const std::size_t end = message.find_first_not_of(kFieldLetters);
    const bool has_field = end != std::string::npos && end > 0 && message.substr(end, 2) == ": ";
    return has_field ? parts_of(message.substr(0, end), message.substr(end + 2))
                     : parts_of("", message);
}

void print(std::string_view code, const std::string& reason, const std::string& message,
           const command::Refusal& first, const nlohmann::json& violations) {
    const nlohmann::json report = {{"error",
                                    {{"code", code},
                                     {"reason", reason},
                                     {"message", message},
                                     {"field", first.field},
                                     {"rule", first.rule},
                                     {"value", first.value},
                                     {"violations", violations}}}};
    // On one line: it may end a stream of objects, one a line.
    std::cout << report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

nlohmann::json violation_of(const command::Refusal& parts, const std::string& message) {
    return {
        {"field", parts.field}, {"message", message}, {"rule", parts.rule}, {"value", parts.value}};
}

}  // namespace

int report_error(const std::exception& error, bool json) {
    const run::Failure failure = run::describe(error);
    for (const Violation& violation : grouped(failure.violations)) {
        std::cerr << "error: " << violation.field << ": " << violation.message << "\n";
    }
    if (failure.violations.empty()) {
        std::cerr << "error: " << failure.message << "\n";
    }
    if (json) {
        command::Refusal first = parts_of(failure.message);
        nlohmann::json violations = nlohmann::json::array();
        for (const Violation& violation : failure.violations) {
            const command::Refusal parts = parts_of(violation.field, violation.message);
            first = violations.empty() ? parts : first;
            violations.push_back(violation_of(parts, violation.message));
        }
        const auto* reasoned = dynamic_cast<const rpc::ReasonedError*>(&error);
        print(to_string(failure.code), reasoned != nullptr ? reasoned->reason() : "",
              failure.message, first, violations);
    }
    return run::exit_code(failure.code);
}

int report_refusal(const command::Refusal& refusal, const std::string& advice, bool json) {
    std::cerr << "error: " << refusal.text() << "\n" << advice << "\n";
    if (json) {
        const std::string message =
            refusal.rule + (refusal.value.empty() ? "" : std::string(kGot) + refusal.value);
        print(to_string(ErrorCode::InvalidArgument), "", refusal.text(), refusal,
              nlohmann::json::array({violation_of(refusal, message)}));
    }
    return run::kExitBadInput;
}

int report_interrupt(bool json) {
    std::cerr << "interrupted\n";
    if (json) {
        print("Interrupted", "", "interrupted", {}, nlohmann::json::array());
    }
    return run::kExitInterrupted;
}

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

constexpr std::string_view kMoreLikeThese = " more errors like these";  // RowErrors

/// Groups of entries that break one rule, by the patterns of field and message.
using Groups = std::map<std::pair<std::string, std::string>, std::vector<std::size_t>>;

bool is_only_group(const Groups& groups, const std::string& pattern) {
    return std::ranges::count_if(
               groups, [&](const auto& group) { return group.first.first == pattern; }) == 1;
}

/// Returns how many errors of a file's rows were counted but not kept, where all are of one group.
std::size_t uncounted(const std::vector<Violation>& violations, const Groups& groups,
                      const std::string& pattern) {
    for (const Violation& violation : violations) {
        if (!is_only_group(groups, pattern)) {
            return 0;
        }
        if (violation.field + ":#" == pattern && violation.message.starts_with("has ") &&
            violation.message.ends_with(kMoreLikeThese)) {
            return static_cast<std::size_t>(std::stoull(violation.message.substr(4)));
        }
    }
    return 0;
}

/// Returns true if a violation counts the errors of a file's rows that are one group beside it,
/// whose line has that count.
bool is_count_of(const Violation& violation, const Groups& groups) {
    return violation.message.ends_with(kMoreLikeThese) &&
           is_only_group(groups, violation.field + ":#");
}

}  // namespace

std::vector<Violation> grouped(const std::vector<Violation>& violations) {
    Groups groups;
    for (std::size_t k = 0; k < violations.size(); ++k) {
        groups[{entry_of(violations[k].field).pattern, without_numbers(violations[k].message)}]
            .push_back(k);
    }
    std::vector<Violation> lines;
    for (std::size_t k = 0; k < violations.size(); ++k) {
        const Entry entry = entry_of(violations[k].field);
        if (is_count_of(violations[k], groups)) {
            continue;
        }
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
        const std::size_t n = group.size() + uncounted(violations, groups, entry.pattern);
        lines.push_back({violations[k].field, violations[k].message + rest + "... and " +
                                                  std::to_string(n - kMostAlone) + " more, " +
                                                  std::to_string(n) + " in all"});
    }
    return lines;
}

namespace {

command::Refusal suggestion(const std::string& kind, const std::string& word,
                            const std::vector<std::string>& known) {
    const std::string near = word == "help" ? "--help" : request::nearest(word, known);
    const std::string hint =
        near.empty() ? "known here: " + request::join_or(known) : "did you mean " + near + "?";
    return {kind == "option" ? word : kind, "must be a known " + kind + "; " + hint, word,
            "unknown " + kind + " " + request::quote(word) + "; " + hint};
}

/// "-o" of "-o,--output"; empty where an option has no short name.
std::string short_name(const command::OptionText& option) {
    const bool has_one =
        option.label.size() > 1 && option.label[0] == '-' && option.label[1] != '-';
    return has_one ? option.label.substr(0, 2) : "";
}

/// Returns whether the word is an option by a short name, which no number is.
bool is_short_option(const std::string& word) {
    return word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1]));
}

}  // namespace

command::Refusal mistyped(const command::CommandText& program,
                          const std::vector<std::string>& words) {
    const command::CommandText* at = &program;
    for (const std::string& word : words) {
        if (word == "--") {
            return {};
        }
        if (word.starts_with("--")) {
            const std::string name = word.substr(0, word.find('='));
            std::vector<std::string> known;
            for (const command::OptionText& option : at->options) {
                known.insert(known.end(), option.long_names.begin(), option.long_names.end());
            }
            if (std::ranges::find(known, name) == known.end()) {
                return suggestion("option", name, known);
            }
        } else if (is_short_option(word)) {
            std::vector<std::string> known;
            bool is_known = false;
            for (const command::OptionText& option : at->options) {
                known.insert(known.end(), option.long_names.begin(), option.long_names.end());
                is_known = is_known || short_name(option) == word.substr(0, 2);
            }
            if (!is_known) {
                return suggestion("option", word, known);
            }
        } else if (!word.starts_with("-")) {
            std::vector<std::string> known;
            const command::CommandText* next = nullptr;
            for (const command::CommandText& below : at->commands) {
                known.push_back(below.name);
                next = below.name == word ? &below : next;
            }
            if (next == nullptr && !known.empty()) {
                return suggestion("command", word, known);
            }
            at = next != nullptr ? next : at;  // below the last command words are operands
        }
    }
    return {};
}

}  // namespace kaname::cli
