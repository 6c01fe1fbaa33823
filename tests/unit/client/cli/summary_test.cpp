// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "client/cli/local/run_folder.hpp"
#include "proto/report/report.hpp"
#include "solvers/base/machine.hpp"

namespace kaname::cli::summary_test {
namespace {

using nlohmann::json;

TEST(Summary, HasOneRowPerFigureInTheFormOfTheBenchmarks) {
    RunFigures run;
    run.name = "plane";
    run.method = "default";
    run.started = "2026-01-02T03:04:05Z";
    run.ranks = 2;
    run.threads = 3;
    run.dof = 1000;
    run.sources = 8;
    run.epochs = 4;
    run.stations = 5;
    run.patches = 6;
    run.max_displacement_m = 0.5;
    run.solve_s = 7.5;
    run.total_s = 9.5;
    run.iterations_per_step = 10.5;

    const json summary = json::parse(report::to_json(summary_of(run, {"cpu", 16, 1e9, 5e8})));

    EXPECT_EQ(summary["suite"], "demo");
    EXPECT_EQ(summary["started"], "2026-01-02T03:04:05Z");
    EXPECT_FALSE(summary["version"].get<std::string>().empty());
    EXPECT_TRUE(summary["commit"].is_string());
    EXPECT_EQ(summary["machine"]["cores"], 16);
    std::map<std::string, json> values;
    for (const json& row : summary["rows"]) {
        values[row["metric"]] = row["value"];
        EXPECT_EQ(row["case"], "plane");
        EXPECT_EQ(row["method"], "default");
        EXPECT_EQ(row["vectors"], 4);
        EXPECT_EQ(row["ranks"], 2);
        EXPECT_EQ(row["threads"], 3);
        EXPECT_EQ(row["dof"], 1000);
        EXPECT_EQ(row["samples"], 1);
        EXPECT_EQ(row["spread"], 0);
        EXPECT_TRUE(row["unit"].is_string());
    }
    const std::map<std::string, json> expected = {
        {"dof", 1000},    {"sources", 8},   {"epochs", 4},
        {"stations", 5},  {"patches", 6},   {"max_displacement_m", 0.5},
        {"solve_s", 7.5}, {"total_s", 9.5}, {"outer_iterations_per_step", 10.5}};
    EXPECT_EQ(values, expected);
}

TEST(ThisMachine, HasCoresAndMemory) {
    const Machine machine = this_machine();

    EXPECT_GE(machine.cores, 1);
    EXPECT_GT(machine.memory_bytes, 0.0);
    EXPECT_GE(machine.memory_bytes, machine.available_bytes);
    EXPECT_FALSE(machine.cpu.empty());
}

}  // namespace
}  // namespace kaname::cli::summary_test
