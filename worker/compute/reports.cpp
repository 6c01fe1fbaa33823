// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/reports.hpp"

#include <sstream>

#include "proto/report/report.hpp"
#include "solvers/base/text.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {

using report::count;

v1::MeshReport report_of(const jobs::MeshSummary& summary) {
    auto report = report::parse<v1::MeshReport>(summary.json, "report of a mesh");
    report.set_text(summary.text);
    return report;
}

int report_mesh(const jobs::MeshSummary& summary, const std::string& times,
                const std::string& mesh_path, Reporter& reporter) {
    std::istringstream lines(summary.text);
    for (std::string line; std::getline(lines, line);) {
        reporter.log(line);
    }
    reporter.log("time: " + times + "; memory " + gib(jobs::peak_bytes()) + " at most");
    reporter.progress("mesh", 1.0, "done");
    v1::MeshReport report = report_of(summary);
    report.set_mesh(mesh_path);
    reporter.result("mesh", report);
    return run::kExitOk;
}

v1::MeshCheckReport report_of(const jobs::MeshCheck& found) {
    v1::MeshCheckReport report;
    report.set_elements(count(found.elements));
    for (const Violation& violation : found.faults) {
        v1::MeshCheckReport::Fault& fault = *report.add_faults();
        fault.set_field(violation.field);
        fault.set_message(violation.message);
    }
    return report;
}

v1::WrittenReport written_report(const std::vector<std::string>& paths) {
    v1::WrittenReport report;
    report.mutable_written()->Assign(paths.begin(), paths.end());
    return report;
}

}  // namespace kaname::compute
