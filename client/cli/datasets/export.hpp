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

/// Writes the dataset `file` in a layout of another code; the exit code.
int export_command(const ExportOptions& options, const Context& context);
/// All but the file.
void add_export_options(Command& command, ExportOptions& options);

/// Throws Conflict where Xdmf beside a dataset would replace other files: an .xdmf that does not
/// describe it, or its file of views without an Xdmf that names it. `field` begins the message.
void check_xdmf_places(const std::string& field, const std::filesystem::path& dataset, bool force);

}  // namespace kaname::cli
