// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/mesh_verbs.hpp"

#include "worker/channel/exit_code.hpp"
#include "worker/compute/reports.hpp"

namespace kaname::compute {

int show_mesh(const std::string& mesh, Reporter& reporter) {
    reporter.result("mesh-show", report_of(registry::describe_mesh(mesh)));
    return channel::kExitOk;
}

int check_mesh(const std::string& mesh, Reporter& reporter) {
    reporter.result("mesh-check", report_of(registry::check_mesh_at(mesh)));
    return channel::kExitOk;
}

int export_mesh(const std::string& mesh, const std::string& format, const std::string& out,
                Reporter& reporter) {
    reporter.result("mesh-export", written_report(registry::export_mesh(mesh, format, out)));
    return channel::kExitOk;
}

}  // namespace kaname::compute
