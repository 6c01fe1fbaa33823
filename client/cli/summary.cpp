// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/summary.hpp"

#include <nlohmann/json.hpp>

namespace kaname::cli {
namespace {

using nlohmann::json;

constexpr int kVectors = 4;  ///< sources that one solve carries at once

json row(const RunFigures& run, const char* metric, const json& value, const char* unit) {
    return {{"case", run.name},
            {"method", run.method},
            {"vectors", kVectors},
            {"ranks", run.ranks},
            {"threads", run.threads},
            {"dof", run.dof},
            {"metric", metric},
            {"value", value},
            {"unit", unit},
            {"samples", 1},
            {"spread", 0}};
}

}  // namespace

std::string summary_json(const RunFigures& run, const Machine& machine) {
    const json rows = {row(run, "dof", run.dof, "1"),
                       row(run, "sources", run.sources, "1"),
                       row(run, "epochs", run.epochs, "1"),
                       row(run, "stations", run.stations, "1"),
                       row(run, "patches", run.patches, "1"),
                       row(run, "max_displacement_m", run.max_displacement_m, "m"),
                       row(run, "solve_s", run.solve_s, "s"),
                       row(run, "total_s", run.total_s, "s"),
                       row(run, "outer_iterations_per_step", run.iterations_per_step, "1")};
    return json{{"suite", "demo"},
                {"version", KANAME_VERSION},
                {"commit", KANAME_COMMIT},
                {"started", run.started},
                {"machine",
                 {{"cpu", machine.cpu},
                  {"cores", machine.cores},
                  {"memory_bytes", machine.memory_bytes},
                  {"device", run.device.starts_with("cuda") ? json(run.device) : json()}}},
                {"rows", rows}}
               .dump(2) +
           "\n";
}

}  // namespace kaname::cli
