// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/compute_runner.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/fake_compute.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::run::compute_runner_test {
namespace {

std::string event(const std::string& object) {
    return "echo '@kaname " + object + "'\n";
}

VerbCall verb(const std::string& name) {
    return {.arguments = {name}, .ranks = 1, .log = {}, .on_progress = {}};
}

Error error_of(const FakeCompute& compute) {
    try {
        (void)compute.runner().run(verb("solve"));
    } catch (const Error& error) {
        return error;
    }
    ADD_FAILURE() << "no error was thrown";
    return {ErrorCode::Internal, ""};
}

TEST(ComputeRunner, ReturnsTheResultAndPassesProgressOn) {
    const FakeCompute compute(
        event(R"({"type":"progress","stage":"solve","fraction":0.5,"text":"half"})") +
        "echo some library speaks; echo on both >&2\n" +
        event(R"({"type":"result","verb":"solve","result":{"dof":3}})"));
    std::vector<std::string> seen;
    VerbCall call = verb("solve");
    call.log = compute.file("log");
    call.on_progress = [&](const run::Progress& progress) { seen.push_back(progress.text); };

    const VerbOutcome outcome = compute.runner().run(call);

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.json, R"({"dof":3})");
    EXPECT_EQ(seen, std::vector<std::string>{"half"});
    const std::string log = read_file_if_any(compute.file("log"));
    EXPECT_NE(log.find("some library speaks\n"), std::string::npos);
    EXPECT_NE(log.find("on both\n"), std::string::npos);
    EXPECT_EQ(log.find("@kaname"), std::string::npos);
}

TEST(ComputeRunner, ThreadsSpinWhereNobodyWaitsForTheCores) {
    const TemporaryFolder proc;
    std::filesystem::create_directories(proc.path() / "pressure");
    const auto busy = [&](const std::string& pressure, const std::string& load) {
        std::filesystem::remove(proc.path() / "pressure/cpu");
        if (!pressure.empty()) {
            write_file(proc.path() / "pressure/cpu", pressure);
        }
        write_file(proc.path() / "loadavg", load);
        return has_busy_neighbours(2, proc.path());
    };

    EXPECT_FALSE(busy("some avg10=0.35 avg60=90.00 avg300=50.00 total=9\n", "9.0 9.0 9.0 9/99 9"));
    EXPECT_TRUE(busy("some avg10=42.00 avg60=1.00 avg300=0.00 total=9\n", "0.1 0.1 0.1 1/99 9"));
    EXPECT_TRUE(busy("", "2.5 0.0 0.0 3/99 9")) << "a kernel without PSI";
    EXPECT_FALSE(busy("", "1.9 9.0 9.0 3/99 9"));

    const SpawnOptions command = compute_command("kaname-compute", {"solve"}, {1}, {}, "");
    const bool said =
        std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr;
    EXPECT_EQ(command.env.count("GOMP_SPINCOUNT") + command.env.count("OMP_WAIT_POLICY"),
              said ? 0U : 1U);
}

TEST(ComputeRunner, PassesArgumentsOn) {
    const FakeCompute compute(
        R"(printf '@kaname {"type":"result","verb":"v","result":{"n":%d,"second":"%s"}}\n' $# "$2")");
    VerbCall call = verb("solve");
    call.arguments = {"solve", "a b"};

    EXPECT_EQ(compute.runner().run(call).json, R"({"n":2,"second":"a b"})");
}

TEST(ComputeRunner, FailedSourcesAreAnOutcome) {
    const FakeCompute compute(event(R"({"type":"result","verb":"solve","result":{}})") + "exit 4");

    EXPECT_EQ(compute.runner().run(verb("solve")).exit_code, 4);
}

TEST(ComputeRunner, RethrowsWhatTheVerbReports) {
    const FakeCompute compute(
        event(R"({"type":"error","code":"NotConverged","message":"too slow","violations":[]})") +
        "exit 4");

    const Error error = error_of(compute);

    EXPECT_EQ(error.code(), ErrorCode::NotConverged);
    EXPECT_STREQ(error.what(), "too slow");
}

TEST(ComputeRunner, RethrowsViolations) {
    const FakeCompute compute(event(R"({"type":"error","code":"InvalidArgument","message":"m",)"
                                    R"("violations":[{"field":"time","message":"bad"}]})") +
                              "exit 2");

    try {
        (void)compute.runner().run(verb("preflight"));
        FAIL() << "no violation was thrown";
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().at(0).field, "time");
    }
}

TEST(ComputeRunner, ShowsTheLastWordsOfACrash) {
    const FakeCompute compute("echo segmentation trouble >&2; kill -9 $$");

    const Error error = error_of(compute);

    EXPECT_EQ(error.code(), ErrorCode::Internal);
    EXPECT_NE(std::string(error.what()).find("signal 9"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("segmentation trouble"), std::string::npos);
}

TEST(ComputeRunner, DoesNotTrustAResultBeforeACrash) {
    const FakeCompute compute(event(R"({"type":"result","verb":"solve","result":{}})") + "exit 1");

    EXPECT_EQ(error_of(compute).code(), ErrorCode::Internal);
}

TEST(ComputeRunner, NamesAMissingProgram) {
    try {
        (void)ComputeRunner(support::absent("kaname-compute")).run(verb("mesh"));
        FAIL() << "no error was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NotFound);
        EXPECT_NE(std::string(error.what()).find(support::absent("kaname-compute")),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace kaname::run::compute_runner_test
