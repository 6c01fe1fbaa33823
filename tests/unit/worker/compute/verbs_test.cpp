// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/verbs.hpp"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "solvers/comm/serial/serial_comm.hpp"
#include "worker/channel/exit_code.hpp"

namespace kaname::compute {
namespace {

using nlohmann::json;

struct FakeStages final : registry::Stages {
    registry::Preflight found;
    registry::SolveSummary solved;
    registry::PackageSummary packaged;

    registry::Preflight preflight(const registry::GreensJob&, int) const override { return found; }
    std::string mesh(const registry::GreensJob&, const std::string&,
                     const registry::MeshProgress& progress) const override {
        progress(0.5, "improving");
        return "min dihedral 20";
    }
    registry::SolveSummary solve(
        const registry::GreensJob&, const std::string&, const std::string&, comm::Comm&,
        const std::function<void(const registry::SolveProgress&)>&) const override {
        return solved;
    }
    registry::PackageSummary package(const registry::GreensJob&, const std::string&,
                                     const std::string&, const std::string&) const override {
        return packaged;
    }
};

struct Bench {
    FakeStages stages;
    std::ostringstream out;
    Reporter reporter{out};
    comm::SerialComm comm;

    json result() const {
        std::istringstream lines(out.str());
        json found;
        for (std::string line; std::getline(lines, line);) {
            const channel::Event event = channel::parse_line(line);
            if (const auto* result = std::get_if<channel::Result>(&event)) {
                found = json::parse(result->json);
            }
        }
        return found;
    }
};

TEST(Verbs, PreflightThrowsAllViolations) {
    Bench bench;
    bench.stages.found.violations = {{"stations.list[0]", "outside"}, {"mesh", "too large"}};

    try {
        preflight(bench.stages, {}, 1, bench.reporter);
        FAIL() << "no violation was thrown";
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().size(), 2u);
    }
    EXPECT_TRUE(bench.result().is_null());
}

TEST(Verbs, PreflightReportsTheEstimate) {
    Bench bench;
    bench.stages.found.dof = 1234;
    bench.stages.found.warnings = {"a side is near"};

    const int code = preflight(bench.stages, {}, 2, bench.reporter);

    EXPECT_EQ(code, channel::kExitOk);
    EXPECT_EQ(bench.result()["dof"], 1234);
    EXPECT_EQ(bench.result()["warnings"][0], "a side is near");
}

TEST(Verbs, MeshReportsItsQuality) {
    Bench bench;

    const int code = mesh(bench.stages, {}, {"m.h5", "", ""}, bench.reporter);

    EXPECT_EQ(code, channel::kExitOk);
    EXPECT_EQ(bench.result()["mesh"], "m.h5");
    EXPECT_EQ(bench.result()["quality"], "min dihedral 20");
}

TEST(Verbs, SolveWithAFailedSourceReportsAndExits4) {
    Bench bench;
    bench.stages.solved.sources_done = 3;
    bench.stages.solved.sources_failed = 1;

    const int code = solve(bench.stages, {}, {}, bench.comm, bench.reporter);

    EXPECT_EQ(code, channel::kExitSomeFailed);
    EXPECT_EQ(bench.result()["sources_done"], 3);
    EXPECT_EQ(bench.result()["sources_failed"], 1);
}

TEST(Verbs, PackageWithAMissingSourceExits4) {
    Bench bench;
    bench.stages.packaged.sources_missing = 1;

    EXPECT_EQ(package(bench.stages, {}, {}, bench.reporter), channel::kExitSomeFailed);

    bench.stages.packaged.sources_missing = 0;
    EXPECT_EQ(package(bench.stages, {}, {}, bench.reporter), channel::kExitOk);
}

}  // namespace
}  // namespace kaname::compute
