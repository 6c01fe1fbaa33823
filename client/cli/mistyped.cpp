// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/mistyped.hpp"

#include <algorithm>

#include "proto/spec/form/text.hpp"

namespace kaname::cli {
namespace {

std::string suggestion(const std::string& kind, const std::string& word,
                       const std::vector<std::string>& known) {
    const std::string near = spec::nearest(word, known);
    return "unknown " + kind + " " + spec::quote(word) +
           (near.empty() ? "; known here: " + spec::join_or(known)
                         : "; did you mean " + near + "?");
}

}  // namespace

std::string mistyped(const command::CommandText& program, const std::vector<std::string>& words) {
    const command::CommandText* at = &program;
    for (const std::string& word : words) {
        if (word == "--") {
            return "";
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
    return "";
}

}  // namespace kaname::cli
