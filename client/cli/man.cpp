// SPDX-License-Identifier: BSD-3-Clause
// man: the manual page kaname(1), from the texts that --help prints. Installing runs it.
#include "client/cli/man.hpp"

#include <iostream>
#include <sstream>

#include "client/cli/service.hpp"
#include "worker/run/exit_code.hpp"

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

}  // namespace kaname::cli
