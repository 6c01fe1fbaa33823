// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "client/cli/common/commands.hpp"

namespace kaname::cli {

struct ExportOptions {
    std::string file, layout, output, epoch, rake, dt, origin_time;
    bool force = false;
};

/// Names the Python of scripts: KANAME_PYTHON, else Debian's, which has the packages that
/// deploy/scripts/packages.sh installs, before another one.
[[nodiscard]] std::string python_program();

/// Writes the dataset `file` in a layout of another code; the exit code.
int export_command(const ExportOptions& options, const Context& context);
/// All but the file.
void add_export_options(Command& command, ExportOptions& options);

/// Throws Conflict where Xdmf beside a dataset would replace other files: an .xdmf that does not
/// describe it, or its file of views without an Xdmf that names it. `field` begins the message.
void check_xdmf_places(const std::string& field, const std::filesystem::path& dataset, bool force);
/// Adds `kaname data` to the help alone: its words are never read here, see run_data.
void add_data(Command& app, Context& context);

/// Tells whether the words are those of `kaname data`.
[[nodiscard]] bool is_data(int argc, char** argv);

/// Becomes `python3 -m kaname data ...` with the words behind `data`, whose answer, exit code and
/// errors are that program's. Returns the exit code where it cannot be started.
[[nodiscard]] int run_data(int argc, char** argv);

}  // namespace kaname::cli
