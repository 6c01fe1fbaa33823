// SPDX-License-Identifier: BSD-3-Clause
// The one source that knows CLI11: its headers are slow to compile, and its functions are in them.
#include "worker/command/command.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <sstream>

#include <CLI/CLI.hpp>

#include "worker/run/exit_code.hpp"

namespace kaname::command {
namespace {

std::vector<std::string> split_words(const std::string& words) {
    std::vector<std::string> parts;
    std::istringstream in(words);
    for (std::string part; std::getline(in, part, '|');) {
        parts.push_back(part);
    }
    return parts;
}

void add_check(CLI::Option& option, const Check& check) {
    switch (check.kind) {
        case Check::Kind::None:
            break;
        case Check::Kind::OneOf:
            option.check(CLI::IsMember(split_words(check.words)));
            break;
        case Check::Kind::Number:
            option.check(CLI::Number);
            break;
        case Check::Kind::Positive:
            option.check(CLI::PositiveNumber);
            break;
        case Check::Kind::NotNegative:
            option.check(CLI::NonNegativeNumber);
            break;
        case Check::Kind::Integers:
            option.check(CLI::Range(static_cast<int>(check.least), static_cast<int>(check.most)));
            break;
        case Check::Kind::Reals:
            option.check(CLI::Range(check.least, check.most));
            break;
    }
}

CLI::Option* add_target(CLI::App& app, const Option& option) {
    const std::string help = option.help;
    return std::visit(
        [&](auto target) {
            if constexpr (std::is_same_v<decltype(target), std::monostate>) {
                return app.add_flag(option.name)->description(help);
            } else if constexpr (std::is_same_v<decltype(target), bool*>) {
                return app.add_flag(option.name, *target, help);
            } else {
                return app.add_option(option.name, *target, help);
            }
        },
        option.target);
}

void add_option(CLI::App& app, const Option& option) {
    CLI::Option& made = *add_target(app, option);
    const Rules& rules = option.rules;
    add_check(made, rules.check);
    if (rules.required) {
        made.required();
    }
    if (rules.one_each) {
        made.allow_extra_args(false);
    }
    if (rules.delimiter != '\0') {
        made.delimiter(rules.delimiter);
    }
    if (rules.values.most > 0 && rules.values.least == rules.values.most) {
        made.expected(rules.values.most);
    } else if (rules.values.most > 0) {
        made.expected(rules.values.least, rules.values.most);
    }
    if (rules.variable != nullptr) {
        made.envname(rules.variable);
    }
    if (rules.show_default) {
        made.capture_default_str();
    }
    if (rules.excludes != nullptr) {
        made.excludes(app.get_option(rules.excludes));
    }
    if (rules.group != nullptr) {
        made.group(rules.group);
    }
}

/// Commands inherit the footer and how many commands may be called: parts come after the whole.
void fill(CLI::App& app, const Command& command) {
    if (!command.footer.empty()) {
        app.footer(command.footer);
    }
    if (!command.version.empty()) {
        app.set_version_flag("--version", command.version);
    }
    if (command.hidden) {
        app.group("");
    }
    app.allow_extras(command.any_words);
    if (command.exactly_one) {
        app.require_option(1);
    }
    if (command.chosen) {
        app.callback(command.chosen);
    }
    const bool has_commands = std::ranges::any_of(
        command.commands, [](const Command& below) { return !below.exactly_one; });
    if (has_commands) {
        app.require_subcommand(command.needs_command ? 1 : 0, 1);
    }
    for (const Option& option : command.options) {
        add_option(app, option);
    }
    for (const Command& below : command.commands) {
        fill(below.exactly_one ? *app.add_option_group(below.what)
                               : *app.add_subcommand(below.name, below.what),
             below);
    }
}

std::unique_ptr<CLI::App> parser_of(const Command& program, const std::string& name) {
    auto app = std::make_unique<CLI::App>(program.what, name);
    fill(*app, program);
    return app;
}

std::vector<std::string> long_names_of(const CLI::Option& option) {
    std::vector<std::string> names = option.get_lnames();
    for (std::string& name : names) {
        name.insert(0, "--");
    }
    return names;
}

OptionText text_of(const CLI::Option& option, bool is_help) {
    const CLI::Formatter format;
    const bool operand = option.get_positional();
    return {.long_names = long_names_of(option),
            .label = format.make_option_name(&option, operand),
            .values = format.make_option_opts(&option),
            .help = option.get_description(),
            .operand = operand,
            .hidden = option.get_group().empty(),
            .is_help = is_help};
}

CommandText text_of(const CLI::App& app) {
    CommandText text{.name = app.get_name(),
                     .what = app.get_description(),
                     .hidden = app.get_group().empty(),
                     .options = {},
                     .commands = {}};
    for (const CLI::Option* option : app.get_options()) {
        text.options.push_back(text_of(*option, option == app.get_help_ptr()));
    }
    for (const CLI::App* command : app.get_subcommands({})) {
        CommandText below = text_of(*command);
        // Nameless: a group of options of which one is typed; they are the command's own.
        if (below.name.empty()) {
            std::ranges::move(below.options, std::back_inserter(text.options));
        } else {
            text.commands.push_back(std::move(below));
        }
    }
    return text;
}

void note_given(const CLI::App& app, Given& given) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->count() > 0) {
            const std::vector<std::string> names = long_names_of(*option);
            given.options.insert(given.options.end(), names.begin(), names.end());
        }
    }
}

Given given_to(const CLI::App& program) {
    Given given;
    const CLI::App* at = &program;
    while (at != nullptr) {
        note_given(*at, given);
        for (const CLI::App* below : at->get_subcommands({})) {
            if (below->get_name().empty()) {
                note_given(*below, given);
            }
        }
        const std::vector<CLI::App*> called = at->get_subcommands();
        at = called.empty() ? nullptr : called.front();
        if (at != nullptr) {
            given.command += (given.command.empty() ? "" : " ") + at->get_name();
        }
    }
    return given;
}

}  // namespace

Command& Command::add_command(std::string command_name, std::string command_what) {
    return commands.emplace_back(
        Command{.name = std::move(command_name), .what = std::move(command_what)});
}

Command& Command::add_options(std::initializer_list<Option> rows) {
    options.insert(options.end(), rows);
    return *this;
}

void Command::add_exactly_one_of(std::string heading, std::initializer_list<Option> rows) {
    Command& part = add_command("", std::move(heading));
    part.exactly_one = true;
    part.add_options(rows);
}

bool Given::has(const std::string& option) const {
    return std::ranges::find(options, option) != options.end();
}

Ended::Ended(const std::string& why, bool is_refusal, std::string text)
    : std::runtime_error(why), is_refusal_(is_refusal), text_(std::move(text)) {}

int Ended::print() const {
    (is_refusal_ ? std::cerr : std::cout) << text_ << std::flush;
    return is_refusal_ ? run::kExitBadInput : run::kExitOk;
}

Given read(const Command& program, int argc, const char* const* argv) {
    const auto app = parser_of(program, program.name.empty() ? argv[0] : program.name);
    try {
        app->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::ostringstream text;
        const bool is_refusal = app->exit(error, text, text) != 0;
        throw Ended(error.what(), is_refusal, text.str());
    }
    return given_to(*app);
}

CommandText describe(const Command& program) {
    return text_of(*parser_of(program, program.name));
}

}  // namespace kaname::command
