// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/verbs.hpp"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "solvers/base/files.hpp"
#include "solvers/comm/serial/serial_comm.hpp"
#include "worker/channel/exit_code.hpp"
#include "worker/compute/serve.hpp"

namespace kaname::compute {
namespace {

using nlohmann::json;

/// Solves "a" and "b" and knows no other source.
struct FakeSession final : registry::SolveSession {
    std::int64_t dof() const override { return 99; }
    double setup_s() const override { return 0.5; }
    std::string device() const override { return "cpu"; }
    registry::PackOutcome solve(std::span<const std::string> ids,
                                const registry::SolveObserver& observer) override {
        registry::PackOutcome outcome;
        for (const std::string& id : ids) {
            if (id != "a" && id != "b") {
                throw Error(ErrorCode::InvalidArgument, "source must be one of the job's");
            }
            outcome.sources.push_back({id, "results/" + id, id == "b", id == "b" ? "slow" : ""});
        }
        outcome.cancelled = !observer({});
        return outcome;
    }
};

struct FakeStages final : registry::Stages {
    registry::Preflight found;
    registry::SolveSummary solved;
    registry::PackageSummary packaged;

    registry::Preflight preflight(const registry::GreensJob&, int) const override { return found; }
    registry::MeshSummary mesh(const registry::GreensJob&, const std::string&,
                               const registry::MeshProgress& progress) const override {
        progress(0.5, "improving");
        return {"min dihedral 20", "{}"};
    }
    registry::SolveSummary solve(
        const registry::GreensJob&, const std::string&, const std::string&, comm::Comm&,
        const std::function<void(const registry::SolveProgress&)>&) const override {
        return solved;
    }
    std::unique_ptr<registry::SolveSession> open(const registry::GreensJob&, const std::string&,
                                                 const std::string&, comm::Comm&) const override {
        return std::make_unique<FakeSession>();
    }
    registry::PackageSummary package(const registry::GreensJob&, const std::string&,
                                     const registry::SourceFiles& files, bool only_these,
                                     const std::string&) const override {
        packed = files;
        only = only_these;
        return packaged;
    }
    registry::SourceFiles find_results(const registry::GreensJob&,
                                       const std::string& work) const override {
        return {{"found", work}};
    }
    mutable registry::SourceFiles packed;
    mutable bool only = false;
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

    const int code = mesh(bench.stages, {}, {"m.h5", "", "", "", false}, bench.reporter);

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

    EXPECT_EQ(package(bench.stages, {}, {"", "w", "", "", false}, bench.reporter),
              channel::kExitSomeFailed);

    bench.stages.packaged.sources_missing = 0;
    EXPECT_EQ(package(bench.stages, {}, {"", "w", "", "", false}, bench.reporter),
              channel::kExitOk);
    EXPECT_EQ(bench.stages.packed, (registry::SourceFiles{{"found", "w"}}));
}

TEST(Verbs, PackageTakesTheListedSources) {
    Bench bench;
    const TemporaryFolder folder;
    Paths paths;
    paths.sources = (folder.path() / "list").string();
    paths.only = true;
    write_file(paths.sources, "s00d00/dip_slip\t/a b\ns01d00/dip_slip\t/c\n");

    EXPECT_EQ(package(bench.stages, {}, paths, bench.reporter), channel::kExitOk);

    EXPECT_EQ(bench.stages.packed,
              (registry::SourceFiles{{"s00d00/dip_slip", "/a b"}, {"s01d00/dip_slip", "/c"}}));
    EXPECT_TRUE(bench.stages.only);
    write_file(paths.sources, "s00d00/dip_slip\t/a\nnonsense\n");
    try {
        package(bench.stages, {}, paths, bench.reporter);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("list:2: must be"), std::string::npos);
    }
}

TEST(Serve, AnswersEachCommandInTurn) {
    Bench bench;
    CommandQueue queue;
    queue.push_line(R"({"cmd":"pack","id":"1","sources":["a","b"]})");
    queue.push_line(R"({"cmd":"pack","id":"2","sources":["c"]})");
    queue.push_line("{ not json");
    queue.push_line(R"({"cmd":"dance","id":"3"})");
    queue.push_line(R"({"cmd":"cancel","id":"4"})");
    queue.push_line(R"({"cmd":"pack","id":"4","sources":["a"]})");
    int rounds = 5;

    serve(bench.stages, {}, {}, bench.comm, queue, bench.reporter, [&] { return rounds-- > 0; });

    std::vector<std::string> said;
    std::istringstream lines(bench.out.str());
    for (std::string line; std::getline(lines, line);) {
        const channel::Event event = channel::parse_line(line);
        if (const auto* result = std::get_if<channel::Result>(&event)) {
            const json object = json::parse(result->json);
            said.push_back(result->verb + " " + object.value("id", ""));
            if (result->verb == "pack" && object.at("id") == "1") {
                EXPECT_EQ(object.at("sources")[0].at("failed"), false);
                EXPECT_EQ(object.at("sources")[1].at("failure"), "slow");
                EXPECT_EQ(object.at("cancelled"), false);
            }
            if (result->verb == "pack" && object.at("id") == "4") {
                EXPECT_EQ(object.at("cancelled"), true);
            }
        } else if (const auto* failure = std::get_if<channel::Failure>(&event)) {
            said.push_back(failure->message.substr(0, 8));
        }
    }
    EXPECT_EQ(said, (std::vector<std::string>{"ready ", "pack 1", "pack 2: ", "pack : n",
                                              "pack 3: ", "pack 4"}));
}

}  // namespace
}  // namespace kaname::compute
