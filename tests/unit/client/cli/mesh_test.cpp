// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/unit/client/cli/command_call.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli::mesh_test {
namespace {

using nlohmann::json;

/// Notes its calls in $0.calls; finds $0.faults.
constexpr const char* kVerbs = R"(
echo "$@" >> $0.calls
case $1 in
  mesh) echo mesh > $5; json='"mesh":"m"' ;;
  mesh-show) json='"elements":12345,"text":"mesh: 12 vertices\nwatertight\n"' ;;
  mesh-check) json="\"elements\":12345,\"faults\":[$(cat $0.faults 2> /dev/null)]" ;;
  mesh-export)
    written=$7
    if [ -n "$7" ]; then echo "$5" > "$7"; else written=beside; fi
    if [ "$5" = vtu ]; then echo faces > "${7%.vtu}_faces.vtu"; written="$7\",\"${7%.vtu}_faces.vtu"; fi
    json="\"written\":[\"$written\"]" ;;
esac
printf '%s\n' "@kaname {\"type\":\"result\",\"verb\":\"$1\",\"result\":{$json}}"
)";

std::string calls_of(const FakeCompute& compute) {
    return read_file_if_any(compute.program().string() + ".calls");
}

TEST(MeshCommand, BuildWritesTheMeshItsXdmfAndTheReport) {
    const FakeCompute compute(kVerbs);
    const std::string output = compute.file("model.h5").string();

    const Outcome outcome = call(compute, {"mesh", "build", kRequestFile, "-o", output});

    EXPECT_EQ(outcome.code, run::kExitOk);
    EXPECT_EQ(read_file_if_any(output), "mesh\n");
    EXPECT_EQ(outcome.out.rfind("mesh: 12 vertices\nwatertight\nmesh: " + output + "\n", 0), 0u)
        << outcome.out;
    EXPECT_NE(calls_of(compute).find("mesh-export --mesh " + output + " --format xdmf"),
              std::string::npos);
}

TEST(MeshCommand, BuildTakesAMeshThatHasBeenMadeUnlessToldOtherwise) {
    const FakeCompute compute(kVerbs);
    const auto build = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments = {
            "mesh", "build", kRequestFile, "-o", compute.file("model.h5").string(), "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json::parse(call(compute, arguments).out);
    };

    EXPECT_EQ(build({}).at("reused"), false);
    const json second = build({});
    EXPECT_EQ(second.at("reused"), true);
    EXPECT_EQ(second.at("elements"), 12345);
    EXPECT_EQ(second.at("mesh"), compute.file("model.h5").string());
    EXPECT_EQ(build({"--anew"}).at("reused"), false);
}

TEST(MeshCommand, ShowPrintsTheReport) {
    const FakeCompute compute(kVerbs);

    EXPECT_EQ(call(compute, {"mesh", "show", "m.h5"}).out, "mesh: 12 vertices\nwatertight\n");
    EXPECT_EQ(json::parse(call(compute, {"mesh", "show", "m.h5", "--json"}).out).at("elements"),
              12345);
    EXPECT_EQ(calls_of(compute).find("mesh-show --mesh m.h5\n"), 0u);
}

TEST(MeshCommand, CheckExitsWithOneAndThePlacesOfAnUnsoundMesh) {
    const FakeCompute compute(kVerbs);
    const Outcome sound = call(compute, {"mesh", "check", "m.h5"});
    write_file(compute.program().string() + ".faults",
               R"J({"field":"tets","message":"tet 7 is flat at (1, 2, 3)"})J");
    const Outcome unsound = call(compute, {"mesh", "check", "m.h5"});

    EXPECT_EQ(sound.code, run::kExitOk);
    EXPECT_EQ(sound.out, "m.h5: sound, 12,345 elements\n");
    EXPECT_EQ(unsound.code, 1);
    EXPECT_EQ(unsound.err, "error: tets: tet 7 is flat at (1, 2, 3)\n");
}

TEST(MeshCommand, ExportNamesTheFilesThatItWrote) {
    const FakeCompute compute(kVerbs);

    const std::string mesh = compute.file("m.h5").string();
    const std::string out = compute.file("b").string();

    EXPECT_EQ(call(compute, {"mesh", "export", mesh, "--format", "gmsh"}).out,
              compute.file("m.msh").string() + "\n");
    EXPECT_EQ(call(compute, {"mesh", "export", mesh, "--format", "vtu", "-o", out + ".vtu"}).out,
              out + ".vtu\n" + out + "_faces.vtu\n");
    EXPECT_EQ(read_file_if_any(out + "_faces.vtu"), "faces\n");
    EXPECT_THROW((void)call(compute, {"mesh", "export", mesh, "--format", "stl"}), command::Ended);
}

TEST(MeshCommand, NothingReplacesAFileThatIsThereWithoutForce) {
    const FakeCompute compute(kVerbs);
    const std::string mesh = compute.file("m.h5").string();
    const std::string theirs = compute.file("theirs").string();
    write_file(theirs, "a thesis");
    const auto code_of = [&](std::vector<std::string> arguments) {
        try {
            return call(compute, std::move(arguments)).code;
        } catch (const Error& error) {
            return run::exit_code(error.code());
        }
    };

    EXPECT_EQ(code_of({"mesh", "build", kRequestFile, "-o", theirs}), run::kExitConflict);
    EXPECT_EQ(code_of({"mesh", "export", mesh, "--format", "gmsh", "-o", theirs}),
              run::kExitConflict);
    EXPECT_EQ(read_file_if_any(theirs), "a thesis");
    EXPECT_EQ(calls_of(compute), "");

    EXPECT_EQ(code_of({"mesh", "export", mesh, "--format", "gmsh", "-o", theirs, "--force"}), 0);
    EXPECT_EQ(read_file_if_any(theirs), "gmsh\n");
}

TEST(MeshCommand, WhatTheProgramRefusesIsThrown) {
    const FakeCompute compute(R"(
echo '@kaname {"type":"error","code":"InvalidArgument","message":"no","violations":[{"field":"mesh","message":"must fit in memory"}]}'
exit 2
)");

    EXPECT_THROW(
        (void)call(compute, {"mesh", "build", kRequestFile, "-o", compute.file("m.h5").string()}),
        ValidationError);
}

}  // namespace
}  // namespace kaname::cli::mesh_test
