// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <sstream>

#include "client/cli/commands.hpp"
#include "client/cli/service.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

struct CompletionOptions {
    std::string shell;
    const Command* program = nullptr;
};

/// Options and commands that may follow `command`.
std::string words_after(const command::CommandText& command) {
    std::string words;
    for (const command::CommandText& below : command.commands) {
        words += below.hidden ? "" : below.name + ' ';
    }
    for (const command::OptionText& option : command.options) {
        for (const std::string& name : option.long_names) {
            words += name + ' ';
        }
    }
    return words;
}

/// One case per command, "submit" or "worker list".
void cases_of(const command::CommandText& command, const std::string& path, std::ostream& out) {
    out << "    '" << path << "') words='" << words_after(command) << "' ;;\n";
    for (const command::CommandText& below : command.commands) {
        if (!below.hidden) {
            cases_of(below, path.empty() ? below.name : path + " " + below.name, out);
        }
    }
}

/// Writes the names of commands that have commands below them: |'worker'|'admin'|'admin token'
void groups_of(const command::CommandText& command, const std::string& path, std::ostream& out) {
    for (const command::CommandText& below : command.commands) {
        const std::string name = path.empty() ? below.name : path + " " + below.name;
        if (!below.commands.empty()) {
            out << "|'" << name << "'";
            groups_of(below, name, out);
        }
    }
}

void write_script(const command::CommandText& program, const std::string& shell,
                  std::ostream& out) {
    if (shell == "zsh") {
        out << "autoload -U +X bashcompinit && bashcompinit\n";
    }
    out << "_kaname() {\n"
           "  local path='' words='' word i\n"
           "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "    word=${COMP_WORDS[i]}\n"
           "    [[ $word == -* ]] && break\n"
           "    case \"$path\" in ''";
    groups_of(program, "", out);
    out << ") ;; *) break ;; esac\n"
           "    path=\"${path:+$path }$word\"\n"
           "  done\n"
           "  case \"$path\" in\n";
    cases_of(program, "", out);
    out << "  esac\n"
           "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
           "  [[ ${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "
           "\"${COMP_WORDS[COMP_CWORD]}\"))\n"
           "}\n"
           "complete -o filenames -F _kaname kaname\n";
}

int completion_command(const CompletionOptions& options, const Context& context) {
    std::ostringstream script;
    write_script(command::describe(*options.program), options.shell, script);
    if (context.json) {
        print_json({{"shell", options.shell}, {"script", script.str()}});
    } else {
        std::cout << script.str();
    }
    return run::kExitOk;
}

}  // namespace

void add_completion(Command& app, Context& context) {
    const auto options = std::make_shared<CompletionOptions>();
    options->program = &app;
    add_command<CompletionOptions>(app, context, "completion",
                                   "Print a completion script: source <(kaname completion bash)",
                                   options, completion_command)
        .add_options({{"SHELL",
                       &options->shell,
                       "bash or zsh",
                       {.required = true, .check = one_of("bash|zsh")}}});
}

}  // namespace kaname::cli
