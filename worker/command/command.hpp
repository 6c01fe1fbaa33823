// SPDX-License-Identifier: BSD-3-Clause
// Command lines as tables: a program's commands, their options, and where the values go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <list>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace kaname::command {

/// Points to where the value of an option goes, in the type that it is read as. A bool is a flag,
/// as is an option without a target, which is only looked for in Given; a vector takes several
/// values.
using Target =
    std::variant<std::monostate, bool*, std::string*, std::filesystem::path*, int*, unsigned*,
                 std::int64_t*, double*, std::optional<std::string>*, std::optional<int>*,
                 std::optional<std::int64_t>*, std::optional<double>*, std::vector<std::string>*,
                 std::vector<double>*>;

/// Names a rule for each value of an option, which the help shows and refusals quote.
struct Check {
    enum class Kind { None, OneOf, Number, Positive, NotNegative, Integers, Reals };

    Kind kind = Kind::None;
    const char* words = "";      ///< OneOf: the words, "auto|cpu|cuda"
    double least = 0, most = 0;  ///< Integers, Reals: the range, ends included
};
constexpr Check one_of(const char* words) {
    return {Check::Kind::OneOf, words};
}
constexpr Check between(int least, int most) {
    return {Check::Kind::Integers, "", static_cast<double>(least), static_cast<double>(most)};
}
constexpr Check between(double least, double most) {
    return {Check::Kind::Reals, "", least, most};
}
inline constexpr Check kNumber{Check::Kind::Number};
inline constexpr Check kPositive{Check::Kind::Positive};
inline constexpr Check kNotNegative{Check::Kind::NotNegative};

/// Returns the rule that `word` breaks, "must be a number > 0"; empty: none.
[[nodiscard]] std::string broken_rule(const Check& check, const std::string& word);

/// Bounds the number of values at a time; 0 leaves it to the target's type.
struct Count {
    int least = 0, most = 0;
};

struct Rules {
    bool required = false;
    bool show_default = false;  ///< the help shows what the target holds
    bool one_each = false;      ///< one value for each time that the option is given
    char delimiter = '\0';      ///< splits one word into several values
    Count values = {};
    Check check = {};
    const char* variable = nullptr;  ///< environment variable that is read in its place
    const char* excludes = nullptr;  ///< name of an earlier option that must not stand beside it
    const char* group = nullptr;     ///< heading of the help; "": in no help
};
inline constexpr Rules kRequired{.required = true};

/// Describes one option: a row of a command's table. Texts are literals or outlive the command.
struct Option {
    const char* name;  ///< "--threads", "-o,--output", or "FILE" for an operand
    Target target;
    const char* help;
    Rules rules = {};
};

/// Describes a program or one of its commands: its table of options, and the commands below it.
struct Command {
    std::string name, what;             ///< what: a line for people
    std::string footer = {};            ///< a program's: stands below its help and its commands'
    std::string version = {};           ///< a program's: what --version prints
    bool needs_command = false;         ///< one of those below it must be called
    bool exactly_one = false;           ///< a nameless part of another: one of its options is given
    bool hidden = false;                ///< in no help
    std::string heading = {};           ///< of the help, under which it stands
    bool any_words = false;             ///< takes words that are no options of its own
    std::function<void()> chosen = {};  ///< called once its words have been read
    std::vector<Option> options = {};
    std::list<Command> commands = {};

    /// Refuses `command = add_command(...)`, which would overwrite what `command` refers to.
    Command& operator=(const Command&) = delete;
    /// Adds a command, which stays where it is.
    Command& add_command(std::string command_name, std::string command_what);
    Command& add_options(std::initializer_list<Option> rows);
    /// Adds options one of which must be given, and no other beside it, below a heading of the
    /// help.
    void add_exactly_one_of(std::string heading, std::initializer_list<Option> rows);
};

/// Says which command was called and which options were given.
struct Given {
    std::string command;               ///< the command's path, "worker list"; empty: none
    std::vector<std::string> options;  ///< long names: typed, or by their environment variable

    [[nodiscard]] bool has(const std::string& option) const;
};

/// Names what is wrong with a command line: an option, operand or "command", the rule that it
/// breaks, and what was typed.
struct Refusal {
    std::string field, rule, value;  ///< value: empty where nothing was typed
    std::string said = {};           ///< for people, where it is not "field: rule, got value"

    [[nodiscard]] std::string text() const;
};

/// Ends a program at its command line: by help or version that were asked for, or by a refusal.
class Ended : public std::runtime_error {
public:
    /// Prints `text`, which was asked for.
    explicit Ended(const std::string& text) : std::runtime_error(text) {}
    /// Refuses what was typed to `command`, "kaname list".
    Ended(const Refusal& refusal, std::string command);

    [[nodiscard]] bool is_refusal() const { return !command_.empty(); }
    [[nodiscard]] const Refusal& refusal() const { return refusal_; }
    /// Says how to learn more: "kaname list --help says what it takes".
    [[nodiscard]] std::string advice() const;
    /// Prints help and version to standard output, "error: " and a refusal to standard error;
    /// returns kExitOk or kExitBadInput.
    [[nodiscard]] int print() const;

private:
    Refusal refusal_;
    std::string command_;
};

/// Reads the words behind argv[0] into the targets of `program` and calls what is chosen. Without a
/// name the program is called argv[0]. Throws Ended.
Given read(const Command& program, int argc, const char* const* argv);

/// Breaks the lines of a help that are longer than `columns`; what goes on stands below the
/// beginning of the option's text.
[[nodiscard]] std::string wrapped_help(const std::string& help, std::size_t columns);

/// Shows an option as the help does.
struct OptionText {
    std::vector<std::string> long_names;  ///< with their dashes
    std::string label, values, help;      ///< "-o,--output", " TEXT:{a,b} REQUIRED", its line
    bool operand = false, hidden = false, is_help = false;
};

/// Shows a command as the help does, with the options that every command has.
struct CommandText {
    std::string name, what;
    bool hidden = false;
    std::vector<OptionText> options;
    std::vector<CommandText> commands;
};
[[nodiscard]] CommandText describe(const Command& program);

}  // namespace kaname::command
