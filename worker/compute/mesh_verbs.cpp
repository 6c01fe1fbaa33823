// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/mesh_verbs.hpp"

#include "worker/compute/reports.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {

int show_mesh(const std::string& mesh, Reporter& reporter) {
    reporter.result("mesh-show", report_of(jobs::describe_mesh(mesh)));
    return run::kExitOk;
}

int check_mesh(const std::string& mesh, Reporter& reporter) {
    reporter.result("mesh-check", report_of(jobs::check_mesh_at(mesh)));
    return run::kExitOk;
}

int export_mesh(const std::string& mesh, const std::string& format, const std::string& out,
                Reporter& reporter) {
    reporter.result("mesh-export", written_report(jobs::export_mesh(mesh, format, out)));
    return run::kExitOk;
}

}  // namespace kaname::compute
