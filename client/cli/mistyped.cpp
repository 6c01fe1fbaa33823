// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/mistyped.hpp"

#include <algorithm>
#include <cctype>

#include "proto/spec/form/text.hpp"

namespace kaname::cli {
namespace {

command::Refusal suggestion(const std::string& kind, const std::string& word,
                            const std::vector<std::string>& known) {
    const std::string near = spec::nearest(word, known);
    const std::string hint =
        near.empty() ? "known here: " + spec::join_or(known) : "did you mean " + near + "?";
    return {kind == "option" ? word : kind, "must be a known " + kind + "; " + hint, word,
            "unknown " + kind + " " + spec::quote(word) + "; " + hint};
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
