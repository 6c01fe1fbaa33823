// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/mesh_verbs.hpp"

#include <nlohmann/json.hpp>

#include "solvers/jobs/geometry/mesh_tools.hpp"
#include "worker/channel/exit_code.hpp"

namespace kaname::compute {

using nlohmann::json;

int show_mesh(const std::string& mesh, Reporter& reporter) {
    const jobs::MeshSummary summary = jobs::describe_mesh(mesh);
    json report = json::parse(summary.json);
    report["text"] = summary.text;
    reporter.result("mesh-show", report.dump());
    return channel::kExitOk;
}

int check_mesh(const std::string& mesh, Reporter& reporter) {
    const jobs::MeshCheck found = jobs::check_mesh_at(mesh);
    json faults = json::array();
    for (const Violation& fault : found.faults) {
        faults.push_back({{"field", fault.field}, {"message", fault.message}});
    }
    reporter.result("mesh-check", json{{"elements", found.elements}, {"faults", faults}}.dump());
    return channel::kExitOk;
}

int export_mesh(const std::string& mesh, const std::string& format, const std::string& out,
                Reporter& reporter) {
    const json written = jobs::export_mesh(mesh, format, out);
    reporter.result("mesh-export", json{{"written", written}}.dump());
    return channel::kExitOk;
}

}  // namespace kaname::compute
