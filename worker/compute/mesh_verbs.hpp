// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/compute/reporter.hpp"

namespace kaname::compute {

/// Verbs on a mesh file; each reports one result and returns the exit code.

/// A MeshReport.
int show_mesh(const std::string& mesh, Reporter& reporter);
/// A MeshCheckReport: an unsound mesh is a result, not an error.
int check_mesh(const std::string& mesh, Reporter& reporter);
/// A WrittenReport.
int export_mesh(const std::string& mesh, const std::string& format, const std::string& out,
                Reporter& reporter);

}  // namespace kaname::compute
