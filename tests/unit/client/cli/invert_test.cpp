// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "client/cli/local/inversion_options.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/inversion/load_inversion.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/unit/client/cli/command_call.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli::invert_test {
namespace {

using nlohmann::json;

/// Notes its calls in $0.calls and the request in $0.spec; fails while $0.fails is there.
constexpr const char* kVerbs = R"(
echo "$@" >> $0.calls
[ $1 = invert ] && cp "$3" $0.spec
if [ -e $0.fails ]; then
  echo half > "$5"
  echo '@kaname {"type":"error","code":"invalid_argument","message":"data[0]: no station"}'
  exit 2
fi
json=
case $1 in
  invert) echo slip > "$5"; json='"text":"slip\n","unknowns":4' ;;
  slip-tables) echo patch > "$5/coseismic.csv"; json="\"written\":[\"$5/coseismic.csv\"]" ;;
esac
printf '%s\n' "@kaname {\"type\":\"result\",\"verb\":\"$1\",\"result\":{$json}}"
)";

/// A scripted kaname-compute with a dataset and a table beside it.
struct Fixture {
    Fixture() {
        write_file(compute.file("greens.h5"), "dataset");
        write_file(compute.file("offsets.csv"), "station,east_mm\nA,12\nB,13\n");
        write_file(compute.file("inversion.yaml"),
                   "schema: kaname.v1.Inversion\nname: small\ngreens: greens.h5\n"
                   "data: [{file: offsets.csv, sigma_east_m: 0.001}]\n");
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return compute.file(name).string();
    }
    /// The options of an inversion without a request.
    [[nodiscard]] std::vector<std::string> said(std::vector<std::string> more) const {
        std::vector<std::string> arguments = {"invert", "--greens",          path("greens.h5"),
                                              "--data", path("offsets.csv"), "--sigma-east-m",
                                              "0.001"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    [[nodiscard]] std::string error(std::vector<std::string> arguments) const {
        try {
            (void)call(compute, std::move(arguments));
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
    FakeCompute compute{kVerbs};
};

TEST(InvertCommand, PutsTheInversionInItsFolderAndPrintsTheReport) {
    const Fixture at;

    const Outcome outcome = call(
        at.compute, {"invert", at.path("inversion.yaml"), "-o", at.path("out"), "--threads", "3"});

    EXPECT_EQ(outcome.code, run::kExitOk);
    EXPECT_EQ(read_file_if_any(at.path("out/inversion.h5")), "slip\n");
    EXPECT_EQ(outcome.out, "slip\ninversion: " + at.path("out/inversion.h5") +
                               "\nslip: " + at.path("out/slip.csv") + "\n");
    EXPECT_EQ(read_file_if_any(at.path("out/slip.csv")), "patch\n");
    EXPECT_NE(read_file_if_any(at.path("kaname-compute.calls")).find("--threads 3"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(at.path("out/inversion.yaml")));
}

TEST(InvertCommand, ReplacesNothingUnasked) {
    const Fixture at;
    const std::vector<std::string> line = {"invert", at.path("inversion.yaml"), "-o",
                                           at.path("out")};
    (void)call(at.compute, line);

    EXPECT_EQ(at.error(line), "--output: must not replace '" + at.path("out/inversion.h5") +
                                  "', which is there already; name another place, or give --force");
    std::vector<std::string> forced = line;
    forced.push_back("--force");
    EXPECT_EQ(call(at.compute, forced).code, run::kExitOk);
}

TEST(InvertCommand, LeavesNothingOfAnInversionThatFails) {
    const Fixture at;
    write_file(at.path("kaname-compute.fails"), "");

    EXPECT_EQ(at.error({"invert", at.path("inversion.yaml"), "-o", at.path("out")}),
              "data[0]: no station");
    EXPECT_FALSE(std::filesystem::exists(at.path("out")));
}

TEST(InvertCommand, PrintsTheReportAsJson) {
    const Fixture at;

    const json report = json::parse(
        call(at.compute, {"invert", at.path("inversion.yaml"), "-o", at.path("out"), "--json"})
            .out);

    EXPECT_EQ(report.at("file"), at.path("out/inversion.h5"));
    EXPECT_EQ(report.at("unknowns"), 4);
}

TEST(InvertCommand, WritesTheSpecificationThatOptionsStandFor) {
    const Fixture at;

    const Outcome outcome =
        call(at.compute, at.said({"--rake-from", "45", "--rake-to", "135", "--max-m", "60",
                                  "--magnitude", "8.5", "--choice", "l_curve", "--epoch-years", "1",
                                  "--since-years", "0.5", "-o", at.path("out")}));

    EXPECT_EQ(outcome.code, run::kExitOk);
    EXPECT_EQ(read_file_if_any(at.path("out/inversion.yaml")),
              "schema: \"kaname.v1.Inversion\"\n"
              "name: \"inversion\"\n"
              "greens: \"../greens.h5\"\n"
              "data:\n"
              "  - file: \"../offsets.csv\"\n"
              "    epoch_s: 31557600\n"
              "    since_s: 15778800\n"
              "    sigma_east_m: 0.001\n"
              "slip:\n"
              "  max_m: 60\n"
              "  rake_from_deg: 45\n"
              "  rake_to_deg: 135\n"
              "  moment:\n"
              "    magnitude: 8.5\n"
              "regularisation:\n"
              "  choice: \"l_curve\"\n");
    // The written request is the one that was computed.
    const request::LoadedInversion again = request::load_inversion(at.path("out/inversion.yaml"));
    v1::Inversion sent;
    request::from_json(read_file_if_any(at.path("kaname-compute.spec")), "spec", sent);
    EXPECT_EQ(request::canonical_inversion(again.inversion, true),
              request::canonical_inversion(sent, true));
    EXPECT_NE(outcome.out.find("request: " + at.path("out/inversion.yaml")), std::string::npos);
}

TEST(InvertCommand, TakesAnotherDatasetThanTheSpecificationNames) {
    const Fixture at;
    write_file(at.path("other.h5"), "other dataset");

    EXPECT_EQ(call(at.compute, {"invert", at.path("inversion.yaml"), "--greens",
                                at.path("other.h5"), "-o", at.path("out")})
                  .code,
              run::kExitOk);

    v1::Inversion sent;
    request::from_json(read_file_if_any(at.path("kaname-compute.spec")), "spec", sent);
    EXPECT_EQ(sent.greens().path(), at.path("other.h5"));
}

TEST(InvertCommand, TakesOneKindForAllDataOrOneForEach) {
    const Fixture at;
    write_file(at.path("b.csv"), "station,east_mm,up_mm\nA,12,1\n");

    const v1::Inversion one = inversion_of({.greens = "g", .data = {"a", "b"}, .kinds = {"insar"}});
    EXPECT_EQ(one.data(1).kind(), "insar");
    const v1::Inversion each =
        inversion_of({.greens = "g", .data = {"a", "b"}, .kinds = {"gnss", "insar"}});
    EXPECT_EQ(each.data(0).kind(), "gnss");
    EXPECT_EQ(each.data(1).kind(), "insar");
    EXPECT_EQ(at.error({"invert", "--greens", at.path("greens.h5"), "--data", at.path("b.csv"),
                        "--kind", "gnss", "--kind", "gnss"}),
              "--kind: must be given once, or once for each --data, got 2 for 1 files");
}

TEST(InvertCommand, NeedsASpecificationOrWhatStandsForIt) {
    const Fixture at;

    EXPECT_EQ(at.error({"invert"}), "invert: must have FILE, or --greens and --data, one of them");
    EXPECT_EQ(at.error({"invert", at.path("inversion.yaml"), "--data", "d"}),
              "invert: must have FILE, or --greens and --data, one of them");
    EXPECT_EQ(at.error({"invert", "--greens", "g"}),
              "invert: must have both --greens and --data, has no --data");
    EXPECT_EQ(at.error({"invert", "--data", "d"}),
              "invert: must have both --greens and --data, has no --greens");
    EXPECT_EQ(at.error({"invert", kRequestFile}),
              "schema: must be kaname.v1.Inversion, got kaname.v1.GreensBatch; `kaname run " +
                  kRequestFile + "` computes that");
}

TEST(OtherCommands, KnowThatAnInversionHasACommandOfItsOwn) {
    const Fixture at;
    const std::string file = at.path("inversion.yaml");
    const std::string error =
        "schema: must be of Green's functions, got kaname.v1.Inversion; `kaname invert " + file +
        "` finds slip";

    EXPECT_EQ(at.error({"run", file}), error);
    EXPECT_EQ(at.error({"mesh", "build", file}), error);
    EXPECT_EQ(call(at.compute, {"validate", file}).code, run::kExitOk);
    EXPECT_NE(call(at.compute, {"estimate", file}).out.find("unknowns"), std::string::npos);
}

}  // namespace
}  // namespace kaname::cli::invert_test
