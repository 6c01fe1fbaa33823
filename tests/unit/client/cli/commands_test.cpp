// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/common/commands.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "solvers/base/error.hpp"
#include "tests/unit/client/cli/command_call.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli::commands_test {
namespace {

using nlohmann::json;

/// The second of two sources did not converge.
constexpr const char* kHalfDone = R"(
code=0
case $1 in
  preflight) json='"warnings":["a side is near"],"dof":1200,"sources":2,"steps":4,"solve_bytes":1e9,
                   "available_bytes":2e9,"gpu_bytes":8e8,"dataset_bytes":1e6,
                   "mesh_s":1,"setup_s":1,"each_pack_s":2,"package_s":1,"solve_s":3,"total_s":5,"low_s":4,
                   "high_s":7,"spread":1.4,"packs":1,"stations":3,
                   "epochs":3,"tets":9,"vertices":8,"first_step_s":1,"end_s":3,
                   "shortest_relaxation_time_s":5,"threads":2' ;;
  mesh) echo mesh > $5; json= ;;
  solve) json='"solve_s":2.5,"sources_reused":0,"resumed_step":-1'; code=4 ;;
  package) echo dataset > $9; json=; code=4 ;;
  show) json='"units":{"greens":"m per m of slip"},"dims":{"source":2,"epoch":3,"station":3},"provenance":{"dof":1200},
              "max_displacement_m":{"vector":0.5},"mean_iterations":9,
              "status_counts":{"done":1,"failed":1,"missing":0},
              "sources":[{"id":"p/a","patch":"p","status":"done"},
                         {"id":"p/b","patch":"p","status":"failed","failure":"too slow"}]' ;;
  doctor) json='"version":"0","hdf5":false,"proj":true,"metis":true,"openmp":true,"mpi":true' ;;
esac
echo "@kaname {\"type\":\"result\",\"verb\":\"$1\",\"result\":{$(echo $json)}}"
exit $code
)";

TEST(RunCommand, KeepsThePartialDatasetAndListsTheFailedSources) {
    const FakeCompute compute(kHalfDone);
    const std::string output = compute.file("out").string();

    const Outcome outcome =
        call(compute, {"run", "--local", kRequestFile, "--output", output, "--threads", "1"});

    EXPECT_EQ(outcome.code, run::kExitSomeFailed);
    EXPECT_NE(outcome.err.find("error: source p/b: too slow\n"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("warning: a side is near\n"), std::string::npos);
    EXPECT_NE(outcome.out.find("1 done, 1 failed"), std::string::npos) << outcome.out;
    EXPECT_EQ(read_file_if_any(output + "/greens.h5"), "dataset\n");
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(output) / "work" / "mesh.h5"));
    const json summary = json::parse(read_file_if_any(output + "/summary.json"));
    EXPECT_EQ(summary["rows"][0]["value"], 1200);
}

TEST(RunCommand, CallsRowsOfAScenarioNoSources) {
    std::string script = kHalfDone;
    script.replace(script.find("p/a"), 3, "total");
    const FakeCompute scenario(script.c_str());
    const FakeCompute sources(kHalfDone);

    for (const FakeCompute* compute : {&scenario, &sources}) {
        const std::string output = compute->file("out").string();
        const Outcome outcome =
            call(*compute, {"run", kRequestFile, "--output", output, "--threads", "1"});
        EXPECT_EQ(outcome.out.find("total and events") != std::string::npos, compute == &scenario)
            << outcome.out;
    }
}

TEST(ValidateCommand, NamesTheLineOfWhatOnlyTheGeometryShows) {
    const FakeCompute compute(R"(
echo '@kaname {"type":"error","code":"InvalidArgument","message":"no","violations":[{"field":"region.depth_m","message":"must be deeper"},{"field":"boundaries.west","message":"is another"}]}'
exit 2
)");
    for (const char* command : {"validate", "estimate", "run"}) {
        try {
            (void)call(compute, {command, kRequestFile});
            FAIL() << command;
        } catch (const ValidationError& error) {
            ASSERT_EQ(error.violations().size(), 2U);
            EXPECT_EQ(error.violations()[0].message, "must be deeper (depth_km in line 7)");
            EXPECT_EQ(error.violations()[1].message, "is another") << "the file has no such key";
        }
    }
}

/// A kaname-compute that says this and no more.
FakeCompute saying(const std::string& report) {
    return FakeCompute("echo '@kaname {\"type\":\"result\",\"verb\":\"'$1'\",\"result\":" + report +
                       "}'");
}

TEST(ShowCommand, ReadsTheReportOfAnEarlierVersion) {
    // As that wrote it: null for what is not there.
    const FakeCompute compute = saying(
        R"({"dims":{"component":3,"epoch":1,"source":2,"station":1,"step":2},"epochs_s":[0.0],)"
        R"("events":[],"fields":[],"max_displacement_m":{"east":0.3,"north":0.2,"up":0.4,)"
        R"("vector":0.5},"mean_iterations":null,"name":"tiny","provenance":{"crs_wkt":"","dof":99,)"
        R"("kaname_version":"0.1.0","material_sha256":"m","mesh_sha256":"n","specification":null,)"
        R"("tolerance":1e-07},"slip_history":"step","sources":[{"component":"dip_slip",)"
        R"("depth_m":5000.0,"dip_deg":30.0,"id":"s00d00/dip_slip","lat_deg":36.5,"length_m":null,)"
        R"("lon_deg":138.25,"max_displacement_m":0.5,"mean_iterations":9.0,"patch":"s00d00",)"
        R"("potency_m3":1.0,"rake_deg":90.0,"rigidity_pa":3e10,"status":"done","strike_deg":0.0,)"
        R"("width_m":null},{"component":"boundary","depth_m":null,"dip_deg":null,"failure":)"
        R"("too slow","id":"boundary","lat_deg":null,"length_m":null,"lon_deg":null,)"
        R"("max_displacement_m":null,"mean_iterations":null,"patch":"east","potency_m3":null,)"
        R"("rake_deg":null,"rigidity_pa":null,"status":"failed","strike_deg":null,)"
        R"("width_m":null}],"stations":[{"depth_m":0.0,"id":"E10","lat_deg":36.0,"lon_deg":138.5,)"
        R"("snapped_depth_m":0.0,"snapped_lat_deg":36.0,"snapped_lon_deg":138.5}],)"
        R"("status_counts":{"done":1,"failed":1,"missing":0},"time_method":"stepping","title":"a",)"
        R"("units":{"depth":"m","epoch":"s","greens":"m per m of slip"}})");

    const std::string out = call(compute, {"show", "out/greens.h5"}).out;

    for (const char* line : {"2 source x 1 epoch x 1 station x 3 component [m per m of slip]\n",
                             "east 0.3, north 0.2, up 0.4\n", "2, - iterations each\n",
                             " done      138.2500 E   36.5000 N  5 km deep  largest 0.5\n",
                             " failed   boundary east  too slow\n", " 138.5000 E   36.0000 N\n"}) {
        EXPECT_NE(out.find(line), std::string::npos) << line << " in\n" << out;
    }
    const json again = json::parse(call(compute, {"show", "out/greens.h5", "--json"}).out);
    EXPECT_EQ(again["provenance"]["dof"], 99);
    EXPECT_FALSE(again["sources"][1].contains("depth_m"));
}

TEST(ShowCommand, AReportThatIsNoneIsOneErrorThatNamesIt) {
    try {
        (void)call(saying(R"({"dims":7})"), {"show", "out/greens.h5"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "kaname-compute show: must be a kaname.v1.DatasetReport in JSON: (dims): "
                     "invalid value 7 for type type.googleapis.com/kaname.v1.DatasetReport.Dims");
    }
}

TEST(RunCommand, AnInterruptedRunSaysHowItGoesOn) {
    std::string body = kHalfDone;
    const std::string solve = "solve) ";
    body.replace(body.find(solve), solve.size(), "solve) touch $0.solving; exec sleep 60; ");
    const FakeCompute compute(body);
    const std::filesystem::path output = compute.file("an out"),
                                solving = compute.program().string() + ".solving";
    const run::ComputeRunner runner(compute.program(), [&] {
        if (std::filesystem::exists(solving)) {
            throw Interrupted();
        }
    });
    const auto said = [&] {
        std::filesystem::remove(solving);
        const Outcome outcome = call(runner, {"run", kRequestFile, "--output", output.string(),
                                              "--threads", "3", "--keep-work"});
        EXPECT_TRUE(outcome.interrupted);
        return outcome.err;
    };
    const std::string command =
        "\n  kaname run --resume '" + output.string() + "' --threads 3 --keep-work\n";

    const std::string first = said();
    write_file(output / "work" / "sources" / "checkpoint.h5", "");
    const std::string second = said();

    EXPECT_NE(first.find("no checkpoint had been written, so the rest begins anew with" + command),
              std::string::npos)
        << first;
    EXPECT_NE(second.find("goes on at its last checkpoint"), std::string::npos) << second;
    EXPECT_NE(second.find(command), std::string::npos) << second;
}

TEST(RunCommand, RefusesTheDatasetOfAnotherSpecificationBeforeItComputes) {
    const FakeCompute compute(std::string("echo $1 >> $0.calls\n") + kHalfDone);
    const std::string output = compute.file("out").string();
    std::filesystem::create_directories(output);
    write_file(output + "/greens.h5", "another job's");

    EXPECT_THROW((void)call(compute, {"run", kRequestFile, "--output", output}), Error);

    EXPECT_EQ(read_file_if_any(output + "/greens.h5"), "another job's");
    EXPECT_EQ(read_file_if_any(compute.program().string() + ".calls"), "show\n");
    EXPECT_EQ(call(compute, {"run", kRequestFile, "--output", output, "--force"}).code,
              run::kExitSomeFailed);
    EXPECT_EQ(read_file_if_any(output + "/greens.h5"), "dataset\n");
}

TEST(RunCommand, KeepsASummaryThatIsNotOfARun) {
    const FakeCompute compute(kHalfDone);
    const std::string output = compute.file("out").string();
    std::filesystem::create_directories(output);
    write_file(output + "/summary.json", "{\"mine\": 1}");

    EXPECT_THROW((void)call(compute, {"run", kRequestFile, "--output", output}), Error);

    EXPECT_EQ(read_file_if_any(output + "/summary.json"), "{\"mine\": 1}");
    EXPECT_FALSE(std::filesystem::exists(output + "/greens.h5"));
}

TEST(RunCommand, JsonListsTheFailures) {
    const FakeCompute compute(kHalfDone);

    const Outcome outcome =
        call(compute, {"run", kRequestFile, "--output", compute.file("out").string(), "--json"});

    const json report = json::parse(outcome.out);
    EXPECT_EQ(report["failures"].size(), 1u);
    EXPECT_EQ(report["failures"][0]["cause"], "too slow");
}

TEST(EstimateCommand, PrintsFiguresAndWarnings) {
    const FakeCompute compute(kHalfDone);

    const Outcome outcome = call(compute, {"estimate", kRequestFile});

    EXPECT_EQ(outcome.code, run::kExitOk);
    EXPECT_NE(outcome.out.find("1,200"), std::string::npos);
    EXPECT_NE(outcome.out.find("2 in 1 pack, which has room for 2 more in the same time"),
              std::string::npos)
        << outcome.out;
    EXPECT_NE(outcome.out.find("953.7 MiB of 1.9 GiB available"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find("warning: a side is near"), std::string::npos);
}

TEST(DoctorCommand, MissingHdf5IsAFailureWithAHint) {
    const FakeCompute compute(kHalfDone);

    const Outcome outcome = call(compute, {"doctor", "--json"});

    EXPECT_EQ(outcome.code, run::kExitUnavailable);
    const json report = json::parse(outcome.out);
    EXPECT_EQ(report["healthy"], false);
    EXPECT_EQ(report["checks"][0]["status"], "warn");  // another version
    EXPECT_EQ(report["checks"][1]["name"], "HDF5");
    EXPECT_EQ(report["checks"][1]["status"], "fail");
    EXPECT_FALSE(report["checks"][1]["hint"].get<std::string>().empty());
}

TEST(DoctorCommand, SaysWhenKanameComputeDoesNotRun) {
    const FakeCompute compute("exit 127");

    const Outcome outcome = call(compute, {"doctor", "--json"});

    EXPECT_EQ(outcome.code, run::kExitUnavailable);
    EXPECT_EQ(json::parse(outcome.out)["checks"][0]["status"], "fail");
}

TEST(XdmfCommand, NamesTheFilesThatItWrote) {
    const FakeCompute compute(R"(
echo "@kaname {\"type\":\"result\",\"verb\":\"xdmf\",\"result\":{\"written\":[\"$3\",\"two\"]}}"
)");

    const Outcome plain = call(compute, {"xdmf", "out/greens.h5"});
    const Outcome as_json = call(compute, {"xdmf", "out/greens.h5", "--json"});

    EXPECT_EQ(plain.code, run::kExitOk);
    EXPECT_EQ(plain.out, "out/greens.h5\ntwo\n");
    EXPECT_EQ(json::parse(as_json.out).at("written"), json::parse("[\"out/greens.h5\",\"two\"]"));
}

TEST(SchemaCommand, PrintsTheKeysOfAKindAsATable) {
    const FakeCompute compute("exit 1");

    const Outcome kinds = call(compute, {"schema"});
    const Outcome table = call(compute, {"schema", "voxel_waves"});
    const Outcome object = call(compute, {"schema", "kaname.v1.Scenario", "--json"});

    EXPECT_EQ(kinds.out, "GreensBatch\nScenario\nInversion\nVoxelWaves\nSeismicWaves\nRupture\n");
    EXPECT_NE(
        table.out.find("| `model.spacing_m` | number | m (km, cm, mm) | > 0 | must be given | "
                       "Side of a voxel |\n"),
        std::string::npos)
        << table.out;
    EXPECT_NE(table.out.find("| `solver.element` | word | | ovfem or vfem | ovfem | "),
              std::string::npos);
    const json keys = json::parse(object.out);
    EXPECT_EQ(keys["schema"], "kaname.v1.Scenario");
    EXPECT_EQ(keys["keys"][0]["key"], "schema");
}

TEST(SchemaCommand, NamesTheKindsThatThereAre) {
    const FakeCompute compute("exit 1");
    try {
        (void)call(compute, {"schema", "VoxelWave"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "KIND: must be GreensBatch, Scenario, Inversion, VoxelWaves, SeismicWaves or "
                     "Rupture, got 'VoxelWave'; did you mean VoxelWaves?");
    }
}

}  // namespace
}  // namespace kaname::cli::commands_test
