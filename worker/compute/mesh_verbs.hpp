// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/compute/reporter.hpp"

namespace kaname::compute {

/// Verbs on a mesh file; each reports one result and returns the exit code.

/// "text" for people beside the numbers of jobs::mesh_report_json.
int show_mesh(const std::string& mesh, Reporter& reporter);
/// "elements", "faults" [{field, message}]: an unsound mesh is a result, not an error.
int check_mesh(const std::string& mesh, Reporter& reporter);
/// "written": the files.
int export_mesh(const std::string& mesh, const std::string& format, const std::string& out,
                Reporter& reporter);

}  // namespace kaname::compute
