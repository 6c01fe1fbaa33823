// SPDX-License-Identifier: BSD-3-Clause
// man: the manual page kaname(1), from the texts that --help prints. Installing runs it.
#include "client/cli/man.hpp"

#include <iostream>

#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

struct ManOptions {
    const CLI::App* app = nullptr;
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

void write_options(const CLI::App& app, bool positional, std::ostream& out) {
    const CLI::Formatter format;
    for (const CLI::Option* option : app.get_options()) {
        const bool help_of_command = app.get_parent() != nullptr && option == app.get_help_ptr();
        if (option->get_group().empty() || option->get_positional() != positional ||
            help_of_command) {
            continue;
        }
        const std::string values = format.make_option_opts(option);
        out << ".TP\n\\fB" << roff(format.make_option_name(option, positional)) << "\\fR"
            << roff(values) << "\n"
            << roff(option->get_description()) << "\n";
    }
}

/// One subsection per command, "submit" or "worker list".
void write_commands(const CLI::App& app, const std::string& path, std::ostream& out) {
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_group().empty()) {
            continue;
        }
        const std::string name = path.empty() ? command->get_name() : path + command->get_name();
        out << ".SS " << roff(name) << "\n" << roff(command->get_description()) << ".\n";
        write_options(*command, true, out);
        write_options(*command, false, out);
        write_commands(*command, name + ' ', out);
    }
}

int man_command(const ManOptions& options, const Context&) {
    const CLI::App& app = *options.app;
    std::cout << ".TH KANAME 1 \"\" \"kaname " << KANAME_VERSION << "\" \"User Commands\"\n"
              << ".SH NAME\nkaname \\- Green's functions of viscoelastic crustal deformation\n"
              << ".SH SYNOPSIS\n.B kaname\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n"
              << ".SH DESCRIPTION\n"
              << roff(app.get_description()) << "\n"
              << ".SH OPTIONS\n";
    write_options(app, false, std::cout);
    std::cout << ".SH COMMANDS\n";
    write_commands(app, "", std::cout);
    std::cout << ".SH EXIT STATUS\n"
              << roff(run::kExitCodesHelp) << "\n"
              << ".SH SEE ALSO\n"
              << "The pages in share/doc/kaname/user beside the programs; "
              << roff("kaname-server --help, kaname-agent --help, kaname-compute --help") << "\n";
    return run::kExitOk;
}

}  // namespace

void add_man(CLI::App& app, Context& context) {
    const auto options = std::make_shared<ManOptions>();
    options->app = &app;
    // In no group: --help, completion and the page itself leave it out.
    add_command<ManOptions>(app, context, "man", "Print the manual page as troff", options,
                            man_command)
        ->group("");
}

}  // namespace kaname::cli
