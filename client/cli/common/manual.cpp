// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <sstream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/service.hpp"
#include "worker/run/exit_code.hpp"

// man: the manual page kaname(1), from the texts that --help prints. Installing runs it.
namespace kaname::cli {
namespace {

struct ManOptions {
    const Command* program = nullptr;
};

/// `text` as troff shows it to the letter: hyphens that can be copied, no line taken for a request.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
            out += "\\&";
        }
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

void write_options(const command::CommandText& command, bool operands, bool with_help,
                   std::ostream& out) {
    for (const command::OptionText& option : command.options) {
        if (option.hidden || option.operand != operands || (option.is_help && !with_help)) {
            continue;
        }
        out << ".TP\n\\fB" << roff(option.label) << "\\fR" << roff(option.values) << "\n"
            << roff(option.help) << "\n";
    }
}

/// One subsection per command, "submit" or "worker list".
void write_commands(const command::CommandText& above, const std::string& path, std::ostream& out) {
    for (const command::CommandText& command : above.commands) {
        if (command.hidden) {
            continue;
        }
        const std::string name = path + command.name;
        out << ".SS " << roff(name) << "\n" << roff(command.what) << ".\n";
        write_options(command, true, false, out);
        write_options(command, false, false, out);
        write_commands(command, name + ' ', out);
    }
}

void write_page(const command::CommandText& program, std::ostream& out) {
    out << ".TH KANAME 1 \"\" \"kaname " << KANAME_VERSION << "\" \"User Commands\"\n"
        << ".SH NAME\nkaname \\- Green's functions of viscoelastic crustal deformation\n"
        << ".SH SYNOPSIS\n.B kaname\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n"
        << ".SH DESCRIPTION\n"
        << roff(program.what) << "\n"
        << ".SH OPTIONS\n";
    write_options(program, false, true, out);
    out << ".SH COMMANDS\n";
    write_commands(program, "", out);
    out << ".SH EXIT STATUS\n"
        << roff(run::kExitCodesHelp) << "\n"
        << ".SH SEE ALSO\n"
        << "The pages in share/doc/kaname/user beside the programs; "
        << roff("kaname-server --help, kaname-agent --help, kaname-compute --help") << "\n";
}

int man_command(const ManOptions& options, const Context& context) {
    std::ostringstream page;
    write_page(command::describe(*options.program), page);
    if (context.json) {
        print_json({{"page", page.str()}});
    } else {
        std::cout << page.str();
    }
    return run::kExitOk;
}

}  // namespace

void add_man(Command& app, Context& context) {
    const auto options = std::make_shared<ManOptions>();
    options->program = &app;
    Command& command = add_command<ManOptions>(
        app, context, "man", "Print the manual page as troff", options, man_command);
    command.hidden = true;  // --help, completion and the page itself leave it out
}

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
