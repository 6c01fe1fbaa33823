// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>

#include "worker/command/command.hpp"
#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute {

/// A verb with its options: reports one result and returns an exit code.
using Action = std::function<int(Reporter&)>;

/// Adds the verbs that need no request: they look at meshes, datasets and this machine. The
/// one that is called becomes `chosen`.
void add_tools(command::Command& program, Action& chosen);

/// Ends the process when whoever started it goes away: standard input then ends. Files are only
/// ever renamed into place, so nothing is left half-made.
void end_with_stdin();

/// Verbs on a mesh file; each reports one result and returns the exit code.

/// A MeshReport.
int show_mesh(const std::string& mesh, Reporter& reporter);
/// A MeshCheckReport: an unsound mesh is a result, not an error.
int check_mesh(const std::string& mesh, Reporter& reporter);
/// A WrittenReport.
int export_mesh(const std::string& mesh, const std::string& format, const std::string& out,
                Reporter& reporter);

}  // namespace kaname::compute
