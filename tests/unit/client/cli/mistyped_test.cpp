// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/report_error.hpp"
#include "solvers/base/error.hpp"
#include "tests/unit/client/cli/command_call.hpp"

namespace kaname::cli::mistyped_test {
namespace {

std::string mistyped_in(const std::vector<std::string>& words) {
    Context context{run::ComputeRunner("none"), false, {}};
    Command app{.name = "kaname", .what = ""};
    add_submit(app, context);
    add_mesh(app, context);
    add_jobs(app, context);
    add_plot(app, context);
    return mistyped(command::describe(app), words).said;
}

TEST(Mistyped, NamesTheNearestCommandAndOption) {
    EXPECT_EQ(mistyped_in({"sumbit", "a.yaml"}), "unknown command 'sumbit'; did you mean submit?");
    EXPECT_EQ(mistyped_in({"mesh", "biuld", "a.yaml"}),
              "unknown command 'biuld'; did you mean build?");
    EXPECT_EQ(mistyped_in({"submit", "a.yaml", "--wiat"}),
              "unknown option '--wiat'; did you mean --wait?");
    EXPECT_EQ(mistyped_in({"list", "--limits=3"}),
              "unknown option '--limits'; did you mean --limit?");
    EXPECT_EQ(mistyped_in({"list", "-o", "x"}).rfind("unknown option '-o'; known here: ", 0), 0u);
    EXPECT_EQ(mistyped_in({"mesh", "build", "a.yaml", "-o", "-1"}), "");
    EXPECT_EQ(mistyped_in({"map", "greens.h5"}), "unknown command 'map'; did you mean plot?");
    EXPECT_EQ(mistyped_in({"help"}), "unknown command 'help'; did you mean --help?");
}

TEST(Mistyped, ListsTheCommandsWhereNoneIsNear) {
    EXPECT_EQ(mistyped_in({"mesh", "frobnicate"}),
              "unknown command 'frobnicate'; known here: build, show, check or export");
}

TEST(Mistyped, FindsNothingInAGoodCommandLine) {
    EXPECT_EQ(mistyped_in({"submit", "list.yaml", "--wait", "--output=x"}), "");
    EXPECT_EQ(mistyped_in({"mesh", "build", "shwo", "-o", "biuld"}), "");
}

std::string refusal_of(const std::vector<std::string>& arguments) {
    const FakeCompute compute("exit 1");
    try {
        (void)call(compute, arguments);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(PlausibleMistakes, AreToldBeforeAnythingIsDone) {
    EXPECT_EQ(
        refusal_of({"submit", kRequestFile, "--output", "x"}),
        "--output: must be given with --wait only, got 'x'; without it the dataset is fetched "
        "later: kaname download JOB --output FILE");
    EXPECT_EQ(refusal_of({"list", "--limit", "0"}),
              "--limit: must be >= 1, got 0; --all lists every job");
    EXPECT_EQ(
        refusal_of({"list", "--server", "localhost"}),
        "--server: must be HOST:PORT with a port of 0..65535, got \"localhost\", which lacks a "
        "port or a host: \"127.0.0.1:7000\" has both");
    EXPECT_EQ(
        refusal_of({"submit", kRequestFile, "--wait", "--output", "/dev/null/x"}),
        "--output: must be a place that can be written, got '/dev/null/x': /dev/null is not a "
        "folder");
}

TEST(PlausibleMistakes, APublicAddressWithoutEncryptionIsRefused) {
    const std::string refusal =
        refusal_of({"up", "--listen", "0.0.0.0:7000", "--state", "/dev/null"});

    EXPECT_EQ(refusal.rfind("--listen: must be an address of this machine alone", 0), 0u)
        << refusal;
    EXPECT_NE(refusal.find("plain text"), std::string::npos);
    EXPECT_NE(refusal.find("--tls self-signed"), std::string::npos);
    EXPECT_NE(refusal_of({"up", "--listen", "0.0.0.0:7000", "--insecure", "--state", "/dev/null"})
                  .find("--insecure: is no longer taken"),
              std::string::npos);
    EXPECT_NE(refusal_of({"up", "--tls", "self-signed", "--state", "/dev/null"}).find("--listen"),
              std::string::npos);
}

std::vector<Violation> stations_outside(int n) {
    std::vector<Violation> all;
    for (int k = 0; k < n; ++k) {
        all.push_back({"stations.list[" + std::to_string(k) + "]",
                       "station 'S" + std::to_string(k) + "' must lie inside the region, got " +
                           std::to_string(140.5 + k) + "E (line " + std::to_string(k) + ")"});
    }
    return all;
}

TEST(Grouped, ThirtyEntriesThatBreakOneRuleAreOneLineWithACount) {
    std::vector<Violation> all = stations_outside(30);
    all.push_back({"time.end_s", "must be >= 0, got -1"});

    const std::vector<Violation> lines = grouped(all);

    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].field, "stations.list[0]");
    EXPECT_EQ(lines[0].message,
              all[0].message + "; the same of [1], [2], ... and 27 more, 30 in all");
    EXPECT_EQ(lines[1].field, "time.end_s");
}

TEST(Grouped, RowsThatWereCountedButNotKeptAreInTheCount) {
    std::vector<Violation> all;
    for (int line = 2; line < 52; ++line) {
        all.push_back({"a.csv:" + std::to_string(line), "sigma must be > 0, got 0"});
    }
    all.push_back({"a.csv", "has 40 more errors like these"});

    const std::vector<Violation> lines = grouped(all);

    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].message,
              "sigma must be > 0, got 0; the same of 3, 4, ... and 87 more, 90 in all");
    all.push_back({"a.csv:60", "lon_deg must be a number, got 'x'"});
    EXPECT_EQ(grouped(all).size(), 3u);
}

TEST(Grouped, AFewEntriesAndOtherRulesStandAlone) {
    std::vector<Violation> all = stations_outside(3);
    all.push_back({"stations.list[7]", "must have 1 to 64 characters, got ''"});

    EXPECT_EQ(grouped(all).size(), 4u);
}

}  // namespace
}  // namespace kaname::cli::mistyped_test
