// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/mistyped.hpp"

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

std::string mistyped(const CLI::App& app, const std::vector<std::string>& words) {
    const CLI::App* at = &app;
    for (const std::string& word : words) {
        if (word == "--") {
            return "";
        }
        if (word.starts_with("--")) {
            const std::string name = word.substr(0, word.find('='));
            std::vector<std::string> known;
            for (const CLI::Option* option : at->get_options()) {
                for (const std::string& long_name : option->get_lnames()) {
                    known.push_back("--" + long_name);
                }
            }
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                return suggestion("option", name, known);
            }
        } else if (!word.starts_with("-")) {
            std::vector<std::string> known;
            const CLI::App* next = nullptr;
            for (const CLI::App* sub : at->get_subcommands({})) {
                known.push_back(sub->get_name());
                next = sub->get_name() == word ? sub : next;
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
