// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/verbs/verbs.hpp"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "solvers/comm/comm.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/unit/worker/jobs/greens/verbs/fake_stages.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute::verbs_test {
namespace {

using nlohmann::json;

struct Bench {
    FakeStages stages;
    std::ostringstream out;
    Reporter reporter{out};
    comm::SerialComm comm;
    CalibrationCache book{{}, ""};

    PackSolve solve(const jobs::GreensJob& job = {}) {
        return pack_solve(stages, job, {}, comm, book, reporter);
    }

    /// Returns the lines that are no events, in one text.
    std::string log() const {
        std::istringstream lines(out.str());
        std::string text;
        for (std::string line; std::getline(lines, line);) {
            if (std::holds_alternative<run::Log>(run::parse_line(line))) {
                text += line + "\n";
            }
        }
        return text;
    }

    json result() const {
        std::istringstream lines(out.str());
        json found;
        for (std::string line; std::getline(lines, line);) {
            const run::Event event = run::parse_line(line);
            if (const auto* result = std::get_if<run::Result>(&event)) {
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
        preflight(bench.stages, {}, bench.book, bench.reporter);
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

    const int code = preflight(bench.stages, {}, bench.book, bench.reporter);

    EXPECT_EQ(code, run::kExitOk);
    EXPECT_EQ(bench.result()["dof"], 1234);
    EXPECT_DOUBLE_EQ(bench.result()["each_pack_s"], 1234 * 0.02);
    EXPECT_DOUBLE_EQ(bench.result()["total_s"], 1.0 + 1.234 + 2.0);
    EXPECT_DOUBLE_EQ(bench.result()["high_s"], 1.5 * 4.234);
    EXPECT_EQ(bench.result()["warnings"][0], "a side is near");
}

TEST(Verbs, MeshReportsItsQuality) {
    Bench bench;

    const int code =
        mesh(bench.stages, {}, {"m.h5", "", "", {}, false}, bench.book, bench.reporter);

    EXPECT_EQ(code, run::kExitOk);
    EXPECT_EQ(bench.result()["mesh"], "m.h5");
    EXPECT_EQ(bench.result()["text"], "mesh: 7 tets\nmin dihedral 20");
}

TEST(Verbs, TheLogOfAMeshHasItsReportTheProgramAndTheTimes) {
    Bench bench;

    (void)mesh(bench.stages, {}, {"m.h5", "", "", {}, false}, bench.book, bench.reporter);

    EXPECT_TRUE(bench.log().starts_with("kaname-compute ")) << bench.log();
    EXPECT_NE(bench.log().find(", commit "), std::string::npos);
    EXPECT_NE(bench.log().find("\nmesh: 7 tets\nmin dihedral 20\n"), std::string::npos);
    EXPECT_NE(bench.log().find("time: setting up 0.0 s, improving 0.0 s; memory "),
              std::string::npos)
        << bench.log();
}

TEST(Verbs, TheLogOfAPackageNamesWhatItLacks) {
    Bench bench;
    bench.stages.packaged.sources_done = 7;
    bench.stages.packaged.lacks = {"s00d01/dip_slip: there is no result"};

    (void)package(bench.stages, {}, {"", "w", "", {}, false}, bench.book, bench.reporter);

    EXPECT_NE(bench.log().find("dataset: 7 sources done, 0 failed"), std::string::npos);
    EXPECT_NE(bench.log().find("lacks s00d01/dip_slip: there is no result\n"), std::string::npos);
}

TEST(Verbs, SolveWithAFailedSourceReportsAndExits4) {
    Bench bench;
    bench.stages.to_solve = {{{"a", "b"}, {"a"}}, 3};

    const int code = solve_once(bench.solve(), bench.comm, bench.reporter);

    EXPECT_EQ(code, run::kExitSomeFailed);
    EXPECT_EQ(bench.result()["sources_done"], 2);
    EXPECT_EQ(bench.result()["sources_failed"], 1);
    EXPECT_EQ(bench.result()["sources_reused"], 3);
    EXPECT_NE(bench.log().find("b: failed: slow; 0 solves"), std::string::npos) << bench.log();
}

TEST(Verbs, PackageWithAMissingSourceExits4) {
    Bench bench;
    bench.stages.packaged.sources_missing = 1;

    EXPECT_EQ(package(bench.stages, {}, {"", "w", "", {}, false}, bench.book, bench.reporter),
              run::kExitSomeFailed);

    bench.stages.packaged.sources_missing = 0;
    EXPECT_EQ(package(bench.stages, {}, {"", "w", "", {}, false}, bench.book, bench.reporter),
              run::kExitOk);
    EXPECT_EQ(bench.stages.packed, (jobs::SourceFiles{{"found", "w"}}));
}

TEST(Verbs, PackageTakesTheSourcesThatItIsGiven) {
    Bench bench;
    Paths paths;
    paths.sources = {{"s00d00/dip_slip", "/a b"}, {"s01d00/dip_slip", "/c"}};
    paths.only = true;

    EXPECT_EQ(package(bench.stages, {}, paths, bench.book, bench.reporter), run::kExitOk);

    EXPECT_EQ(bench.stages.packed, paths.sources);
    EXPECT_TRUE(bench.stages.only);
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

    serve_packs(bench.solve(), bench.comm, queue, bench.reporter, [&] { return rounds-- > 0; });

    std::vector<std::string> said;
    std::istringstream lines(bench.out.str());
    for (std::string line; std::getline(lines, line);) {
        const run::Event event = run::parse_line(line);
        if (const auto* result = std::get_if<run::Result>(&event)) {
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
        } else if (const auto* failure = std::get_if<run::Failure>(&event)) {
            said.push_back(failure->message.substr(0, 8));
        }
    }
    EXPECT_EQ(said, (std::vector<std::string>{"ready ", "pack 1", "pack 2: ", "pack : n",
                                              "pack 3: ", "pack 4"}));
}

TEST(Serve, TheLogOfEachPackSaysWithWhatItWasSolvedAndHow) {
    Bench bench;
    jobs::GreensJob job = test::bare_job();
    job.solver.tolerance = 1e-7;
    CommandQueue queue;
    queue.push_line(R"({"cmd":"pack","id":"1","sources":["a"]})");
    queue.push_line(R"({"cmd":"pack","id":"2","sources":["b"]})");
    int rounds = 2;

    serve_packs(bench.solve(job), bench.comm, queue, bench.reporter, [&] { return rounds-- > 0; });

    const std::size_t second = bench.log().rfind("kaname-compute ");
    const std::string log = bench.log().substr(second);
    EXPECT_GT(second, 0u);
    for (const char* fact :
         {", commit ", "1 rank x ", "device cpu, FP64",
          "99 unknowns, elements p2, gravity none, set up in 0.5 s",
          "2 steps of 1 to 1 years; method default, predictor projection, tolerance 1.0e-07",
          "\nstep 0 of 2: ",
          "\nb: failed: slow; 1 solves, 9 iterations, 9 at most in step 0, worst "
          "residual 2.0e-09\n",
          "GiB at most"}) {
        EXPECT_NE(log.find(fact), std::string::npos) << fact << " in\n" << log;
    }
}

TEST(SolveLog, ManyStepsShareLines) {
    Bench bench;
    SolveLog log(bench.reporter);
    log.begin({"a"}, {});

    for (int step = 0; step <= 1000; ++step) {
        jobs::SolveProgress progress;
        progress.step = step;
        progress.steps = 1000;
        progress.iterations = step == 15 ? 12 : 7;
        progress.residual = 1e-9;
        log.step(progress);
    }

    EXPECT_TRUE(bench.log().starts_with("step 0 of 1000: 7 iterations, residual 1.0e-09"));
    EXPECT_NE(bench.log().find("\nsteps 11 to 20 of 1000: 7 to 12 iterations"), std::string::npos)
        << bench.log();
    EXPECT_NE(bench.log().find("\nsteps 991 to 1000 of 1000"), std::string::npos);
    EXPECT_LE(std::ranges::count(bench.log(), '\n'), SolveLog::kMaxLines + 1);
}

}  // namespace
}  // namespace kaname::compute::verbs_test
