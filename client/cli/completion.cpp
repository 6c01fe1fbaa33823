// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "client/cli/commands.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

struct CompletionOptions {
    std::string shell;
    const CLI::App* app = nullptr;
};

/// Options and subcommands that may follow `app`.
std::string words_after(const CLI::App& app) {
    std::string words;
    for (const CLI::App* sub : app.get_subcommands({})) {
        words += sub->get_group().empty() ? "" : sub->get_name() + ' ';
    }
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            words += "--" + name + ' ';
        }
    }
    return words;
}

/// One case per command, "submit" or "worker list".
void cases_of(const CLI::App& app, const std::string& path, std::ostream& out) {
    out << "    '" << path << "') words='" << words_after(app) << "' ;;\n";
    for (const CLI::App* sub : app.get_subcommands({})) {
        if (sub->get_group().empty()) {
            continue;
        }
        cases_of(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), out);
    }
}

/// What has commands below it: |'worker'|'admin'|'admin token'
void groups_of(const CLI::App& app, const std::string& path, std::ostream& out) {
    for (const CLI::App* sub : app.get_subcommands({})) {
        const std::string name = path.empty() ? sub->get_name() : path + " " + sub->get_name();
        if (!sub->get_subcommands({}).empty()) {
            out << "|'" << name << "'";
            groups_of(*sub, name, out);
        }
    }
}

int completion_command(const CompletionOptions& options, const Context&) {
    if (options.shell == "zsh") {
        std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
    }
    std::cout << "_kaname() {\n"
                 "  local path='' words='' word i\n"
                 "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                 "    word=${COMP_WORDS[i]}\n"
                 "    [[ $word == -* ]] && break\n"
                 "    case \"$path\" in ''";
    groups_of(*options.app, "", std::cout);
    std::cout << ") ;; *) break ;; esac\n"
                 "    path=\"${path:+$path }$word\"\n"
                 "  done\n"
                 "  case \"$path\" in\n";
    cases_of(*options.app, "", std::cout);
    std::cout << "  esac\n"
                 "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
                 "  [[ ${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "
                 "\"${COMP_WORDS[COMP_CWORD]}\"))\n"
                 "}\n"
                 "complete -o filenames -F _kaname kaname\n";
    return run::kExitOk;
}

}  // namespace

void add_completion(CLI::App& app, Context& context) {
    const auto options = std::make_shared<CompletionOptions>();
    options->app = &app;
    CLI::App* command = add_command<CompletionOptions>(
        app, context, "completion", "Print a completion script: source <(kaname completion bash)",
        options, completion_command);
    command->add_option("SHELL", options->shell, "bash or zsh")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}));
}

}  // namespace kaname::cli
