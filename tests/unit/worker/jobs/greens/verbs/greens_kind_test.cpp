// SPDX-License-Identifier: BSD-3-Clause
// The verbs of Green's functions and scenarios get the right options.
#include <array>
#include <sstream>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"

namespace kaname::compute::greens_kind_test {
namespace {

std::string refusal_of(const Call& call) {
    const std::array<const Kind*, 1> kinds = {&greens_kind()};
    try {
        check_call(call, find_verb(kinds, "kaname.v1.GreensBatch", call.verb));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "";
}

Call call_of(const std::string& verb, Inputs inputs = {}) {
    return {.verb = verb, .request = "s.json", .files = "", .inputs = std::move(inputs)};
}

TEST(GreensKind, ScenariosHaveTheVerbsOfBatches) {
    const std::array<const Kind*, 1> kinds = {&greens_kind()};

    for (const char* verb : {"preflight", "mesh", "solve", "package"}) {
        EXPECT_EQ(&find_verb(kinds, "kaname.v1.GreensBatch", verb),
                  &find_verb(kinds, "kaname.v1.Scenario", verb));
    }
}

TEST(GreensKind, EachVerbTakesWhatItNeeds) {
    const Inputs mesh = {{"mesh", "/m"}};
    Call make = call_of("mesh");
    EXPECT_EQ(refusal_of(make), "mesh needs --out");
    make.out = "/m";
    EXPECT_EQ(refusal_of(make), "");
    make.inputs = mesh;
    EXPECT_EQ(refusal_of(make), "mesh knows no input 'mesh'");

    Call solve = call_of("solve");
    solve.work = "/w";
    EXPECT_EQ(refusal_of(solve), "solve needs the input 'mesh'");
    solve.inputs = mesh;
    EXPECT_EQ(refusal_of(solve), "");
    solve.serve = true;
    EXPECT_EQ(refusal_of(solve), "");
    solve.inputs = {{"mesh", "/m"}, {"s00d00/dip_slip", "/s"}};
    EXPECT_EQ(refusal_of(solve), "solve knows no input 's00d00/dip_slip'; it takes mesh");

    Call package = call_of("package", {{"mesh", "/m"}, {"s00d00/dip_slip", "/s"}});
    package.out = "/d";
    package.only = true;
    EXPECT_EQ(refusal_of(package), "");
    EXPECT_EQ(refusal_of(call_of("preflight")), "");
}

TEST(GreensKind, PackageTakesSourcesFromOnePlace) {
    Call package = call_of("package", {{"mesh", "/m"}, {"s00d00/dip_slip", "/s"}});
    package.out = "/d";
    package.work = "/w";
    const std::array<const Kind*, 1> kinds = {&greens_kind()};
    const Verb& verb = find_verb(kinds, "kaname.v1.GreensBatch", "package");
    EXPECT_NO_THROW(check_call(package, verb));
    comm::SerialComm comm;
    std::string gpu;
    CommandQueue commands;
    std::ostringstream out;
    Reporter reporter(out);
    Runtime runtime{comm, 0, gpu, commands, reporter};

    try {
        (void)verb.once(package, runtime);
        FAIL() << "no error was thrown";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "package takes sources from --work or as inputs, not from both");
    }
}

}  // namespace
}  // namespace kaname::compute::greens_kind_test
