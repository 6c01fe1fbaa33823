// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/reports.hpp"

#include "proto/report/report.hpp"

namespace kaname::compute {

using report::count;

v1::MeshReport report_of(const jobs::MeshSummary& summary) {
    auto report = report::parse<v1::MeshReport>(summary.json, "report of a mesh");
    report.set_text(summary.text);
    return report;
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
