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

constexpr std::size_t kColumns = 80;

/// Keeps lines of the help within a terminal.
class NarrowHelp : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        return wrapped_help(CLI::Formatter::make_help(app, std::move(name), mode), kColumns);
    }
};

/// Returns the validator whose text the help shows for a check; its words are those of CLI11.
CLI::Validator shown_check(const Check& check) {
    switch (check.kind) {
        case Check::Kind::OneOf:
            return CLI::IsMember(CLI::detail::split(check.words, '|'));
        case Check::Kind::Positive:
            return CLI::PositiveNumber;
        case Check::Kind::NotNegative:
            return CLI::NonNegativeNumber;
        case Check::Kind::Integers:
            return CLI::Range(static_cast<int>(check.least), static_cast<int>(check.most));
        case Check::Kind::Reals:
            return CLI::Range(check.least, check.most);
        default:
            return CLI::Number;
    }
}

void add_check(CLI::Option& option, const Check& check) {
    if (check.kind == Check::Kind::None) {
        return;
    }
    CLI::Validator validator = shown_check(check);
    validator.operation([check](std::string& word) {
        const std::string rule = broken_rule(check, word);
        return rule.empty() ? rule : rule + ", got " + word;
    });
    option.check(validator);
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
    } else if (!command.heading.empty()) {
        app.group(command.heading);
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
    app->formatter(std::make_shared<NarrowHelp>());
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

/// The program and the commands that were called, the last of them last.
std::vector<const CLI::App*> called(const CLI::App& program) {
    std::vector<const CLI::App*> path = {&program};
    while (true) {
        const std::vector<CLI::App*> below = path.back()->get_subcommands();
        if (below.empty() || below.front()->get_name().empty()) {
            return path;
        }
        path.push_back(below.front());
    }
}

std::string names_below(const CLI::App& app) {
    std::string names;
    for (const CLI::App* below : app.get_subcommands({})) {
        if (!below->get_name().empty() && !below->get_group().empty()) {
            names += (names.empty() ? "" : ", ") + below->get_name();
        }
    }
    return names;
}

/// The text between `before` and `after`, either of which may be empty for an end of `text`.
std::string between_words(const std::string& text, const std::string& before,
                          const std::string& after) {
    const std::size_t found = text.find(before);
    const std::size_t begin = found == std::string::npos ? 0 : found + before.size();
    const std::size_t end = after.empty() ? std::string::npos : text.find(after, begin);
    return text.substr(begin, end == std::string::npos ? end : end - begin);
}

/// CLI11's errors hold nothing but a sentence each, by their kind.
Refusal refusal_of(const CLI::App& program, const CLI::App& app, const CLI::ParseError& error) {
    const std::string kind = error.get_name(), text = error.what();
    if (text.starts_with("The following argument")) {  // its kind is the command's name
        return {"arguments", "must be options and operands that this command has",
                CLI::detail::join(program.remaining(true), " ")};
    }
    if (kind == "RequiredError") {
        if (text.find('[') != std::string::npos) {
            return {between_words(text, "[", "]"), "exactly one of them must be given", ""};
        }
        if (text.starts_with("A subcommand") || text.starts_with("Requires")) {
            return {"command", "must be one of " + names_below(app), ""};
        }
        return {between_words(text, "", " is required"), "must be given", ""};
    }
    if (kind == "ValidationError") {
        const std::size_t got = text.rfind(", got ");
        const std::string rule = between_words(text, ": ", "");
        return {between_words(text, "", ": "), between_words(rule, "", ", got "),
                got == std::string::npos ? "" : text.substr(got + 6)};
    }
    if (kind == "ConversionError" && text.starts_with("Could not convert: ")) {
        const std::string field = between_words(text, "convert: ", " = ");
        const CLI::Option* option = app.get_option_no_throw(field);
        const std::string type = option != nullptr ? option->get_type_name() : "";
        const bool whole = type.find("INT") != std::string::npos;
        return {field, whole ? "must be a whole number" : "must be a number",
                between_words(text, " = ", "")};
    }
    if (kind == "ArgumentMismatch") {
        const bool counted = text.starts_with("Expected ");
        const std::string field =
            counted ? between_words(text, "arguments to ", ", got") : between_words(text, "", ":");
        const bool one = text.find(": 1 required") != std::string::npos;
        const bool least = text.find("At least ") != std::string::npos;
        const CLI::Option* option = counted ? nullptr : app.get_option_no_throw(field);
        const bool exactly = option != nullptr &&
                             option->get_items_expected_min() == option->get_items_expected_max();
        const std::string n =
            counted ? between_words(text, "Expected ", " arguments")
                    : between_words(text, least ? "At least " : "At Most ", " required");
        const std::string bound = counted || exactly ? "" : least ? "at least " : "at most ";
        return {field, one ? "must have a value" : "must have " + bound + n + " values",
                between_words(text, counted ? ", got " : "received ", "")};
    }
    if (kind == "ExcludesError") {
        return {between_words(text, "", " excludes"),
                "must not be given with " + between_words(text, "excludes ", ""), ""};
    }
    return {"arguments", text, ""};
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

std::string Refusal::text() const {
    return !said.empty() ? said : field + ": " + rule + (value.empty() ? "" : ", got " + value);
}

Ended::Ended(const Refusal& refusal, std::string command)
    : std::runtime_error(refusal.text()), refusal_(refusal), command_(std::move(command)) {}

std::string Ended::advice() const {
    return command_ + " --help says what it takes";
}

int Ended::print() const {
    if (!is_refusal()) {
        std::cout << what() << std::flush;
        return run::kExitOk;
    }
    std::cerr << "error: " << what() << "\n" << advice() << "\n";
    return run::kExitBadInput;
}

Given read(const Command& program, int argc, const char* const* argv) {
    const auto app = parser_of(program, program.name.empty() ? argv[0] : program.name);
    try {
        app->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::ostringstream text;
        if (app->exit(error, text, text) == 0) {
            throw Ended(text.str());
        }
        const std::vector<const CLI::App*> path = called(*app);
        std::string command;
        for (const CLI::App* part : path) {
            command += (command.empty() ? "" : " ") + part->get_name();
        }
        throw Ended(refusal_of(*app, *path.back(), error), command);
    }
    return given_to(*app);
}

CommandText describe(const Command& program) {
    return text_of(*parser_of(program, program.name));
}

}  // namespace kaname::command
