// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::validate_boundary_test {
namespace {

using namespace examples;

/// Broken rules of the example with these boundaries.
std::string broken(const std::string& boundaries, const std::string& more = "") {
    return lines(validate(read_yaml(kPlaneYaml + "boundaries: " + boundaries + "\n" + more)));
}

TEST(ValidateBoundary, AcceptsNumbersTablesAndTimes) {
    EXPECT_EQ(broken("{west: {displacement: {north_m: 0.5, up_m: 0}, "
                     "time: {kind: ramp, duration_years: 1}}, top: {traction: {up_mpa: -1}}}"),
              "");
    EXPECT_EQ(broken("{west: {fixed: [east], displacement: {file: w.csv, components: [north], "
                     "reach_km: 2}, time: {kind: steady, duration_years: 1}}}"),
              "");
    EXPECT_EQ(broken("{top: {traction: {file: load.csv}, "
                     "time: {kind: table, times_years: [0.5, 0.5, 1], factors: [1, 2, 0]}}}"),
              "");
}

TEST(ValidateBoundary, DisplacementHoldsTheModel) {
    const std::string free = "east: free, south: free, north: free, bottom: free";

    EXPECT_EQ(broken("{west: {displacement: {east_m: 0, north_m: 1, up_m: 0}}, " + free + "}"), "");
    EXPECT_EQ(broken("{west: {displacement: {east_m: 0, north_m: 1}}, " + free + "}"),
              "boundaries: leave the model free to move: fix a side, or put rollers on one of west "
              "and east, one of south and north and one of bottom and top\n");
}

TEST(ValidateBoundary, NamesWhatIsWrongWithValues) {
    EXPECT_EQ(broken("{west: {displacement: {}}}"),
              "boundaries.west.displacement: must have at least one of east_m, north_m, up_m, or "
              "file\n");
    EXPECT_EQ(broken("{top: {traction: {}}}"),
              "boundaries.top.traction: must have at least one of east_pa, north_pa, up_pa, or "
              "file\n");
    EXPECT_EQ(broken("{west: {displacement: {up_m: 1, file: w.csv, components: [north]}}}"),
              "boundaries.west.displacement: must have one of numbers and file, got both\n");
    EXPECT_EQ(broken("{west: {displacement: {file: ''}}}"),
              "boundaries.west.displacement.file: must name a file\n");
    EXPECT_EQ(broken("{west: {displacement: {up_m: 1, components: [up], reach_m: 3}}}"),
              "boundaries.west.displacement.components: must be absent without file: numbers name "
              "theirs\n"
              "boundaries.west.displacement.reach_m: must be absent without file, got 3\n");
    EXPECT_EQ(broken("{west: {displacement: {file: w.csv, components: [down], reach_m: -1}}}"),
              "boundaries.west.displacement.reach_m: must be >= 0, got -1\n"
              "boundaries.west.displacement.components[0]: must be east, north or up, got "
              "'down'\n");
    EXPECT_EQ(broken("{west: {fixed: [sideways], displacement: {up_m: 1}}}"),
              "boundaries.west.fixed[0]: must be east, north or up, got 'sideways'\n");
}

TEST(ValidateBoundary, OneConditionPerComponent) {
    EXPECT_EQ(broken("{west: {kind: fixed, displacement: {north_m: 1}}}"),
              "boundaries.west.displacement: must not name north: kind fixed of this side says it "
              "already\n");
    EXPECT_EQ(broken("{west: {fixed: [east], traction: {east_pa: 1}}}"),
              "boundaries.west.traction: must not name east: fixed of this side says it already\n");
    EXPECT_EQ(broken("{west: {displacement: {up_m: 1}, traction: {file: t.csv, components: "
                     "[east, up]}}}"),
              "boundaries.west.traction: must not name up: displacement of this side says it "
              "already\n");
    EXPECT_EQ(broken("{west: {fixed: [up, up]}}"),
              "boundaries.west.fixed[1]: must not name up: fixed of this side says it already\n");
}

TEST(ValidateBoundary, NamesWhatIsWrongWithTimes) {
    const auto time = [](const std::string& text) {
        return broken("{west: {displacement: {up_m: 1}, time: {" + text + "}}}");
    };

    EXPECT_EQ(time("kind: sine"),
              "boundaries.west.time.kind: must be step, ramp, steady or table, got 'sine'\n");
    EXPECT_EQ(time("kind: ramp"), "boundaries.west.time.duration_s: must be > 0, got 0\n");
    EXPECT_EQ(time("kind: steady, duration_s: -1"),
              "boundaries.west.time.duration_s: must be > 0, got -1\n");
    EXPECT_EQ(time("duration_s: 5, times_s: [0]"),
              "boundaries.west.time.duration_s: must be left out with kind 'step', got 5\n"
              "boundaries.west.time.times_s: must be left out with kind 'step'\n");
    EXPECT_EQ(
        time("kind: table, times_s: [5, 4, 1e9], factors: [1, 2]"),
        "boundaries.west.time.factors: must have as many values as times_s, at least one; got "
        "2 and 3\n"
        "boundaries.west.time.times_s[1]: must not be before the time before it, 5, got 4\n"
        "boundaries.west.time.times_s[2]: must be in 0..63115200, got 1e+09\n");
    EXPECT_EQ(broken("{west: {fixed: [east], time: {kind: step}}}"),
              "boundaries.west.time: must be absent without displacement or traction\n");
}

TEST(ValidateBoundary, SteadyGrowthNeedsAnEnd) {
    const std::string yaml = with(
        kPlaneYaml, "time: {step_days: 30, end_years: 2, epochs_years: [0, 1, 2]}\n",
        "boundaries: {west: {displacement: {up_m: 1}, time: {kind: steady, duration_s: 1}}}\n");

    EXPECT_EQ(lines(validate(read_yaml(yaml))),
              "time.end_s: must be > 0 for the steady growth of boundaries.west.time\n");
}

TEST(ValidateBoundary, SpectrumAndMultistepKeepSidesAtRest) {
    const std::string yaml = with(kPlaneYaml, "step_days: 30, ", "method: spectrum, ") +
                             "boundaries: {west: {displacement: {up_m: 1}}}\n";

    EXPECT_EQ(lines(validate(read_yaml(yaml))),
              "time.method: must be auto or stepping with displacement or traction in boundaries, "
              "got 'spectrum'\n");
    EXPECT_EQ(broken("{top: {traction: {up_pa: 1}}}", "solver: {method: multistep2018}"),
              "solver.method: must be default, pcge or seed with displacement or traction in "
              "boundaries, got 'multistep2018'\n");
}

const std::string kMeshYaml = R"(schema: kaname.v1.GreensBatch
name: own-mesh
region: {crs: none}
structure: {materials: [{name: rock, lambda_gpa: 30, mu_gpa: 30}]}
fault:
  mesh: {surfaces: [fault], sources: [{name: hat, slip: [{file: slip.csv}]}]}
stations: {list: [{id: A, x_m: 0, y_m: 0}]}
mesh: {file: box.msh}
)";

std::string broken_surface(const std::string& surface) {
    return lines(validate(read_yaml(kMeshYaml + "boundaries: {surfaces: [" + surface + "]}\n")));
}

TEST(ValidateBoundary, SurfacesOfAMeshTakeDataToo) {
    EXPECT_EQ(broken_surface("{name: a, displacement: {up_m: 1}}"), "");
    EXPECT_EQ(broken_surface("{name: a, kind: roller, traction: {up_pa: 1}}"), "");
    EXPECT_EQ(broken_surface("{name: a, fixed: [up], traction: {up_pa: 1}}"),
              "boundaries.surfaces[0].traction: must not name up: fixed of this side says it "
              "already\n");
    EXPECT_EQ(broken_surface("{name: a, traction: {up_pa: 1}}"),
              "boundaries.surfaces: leave the model free to move: fix a surface, or components on "
              "several\n");
    EXPECT_EQ(broken_surface("{name: a, kind: fixed}, {name: b}"),
              "boundaries.surfaces[1]: must have kind (free, fixed or roller), fixed (a list of "
              "east, north, up), displacement or traction\n");
}

TEST(ValidateBoundary, NamesOfSlipSourcesLeaveRoomForIt) {
    const std::string data = "boundaries: {surfaces: [{name: a, displacement: {up_m: 1}}]}\n";
    const auto named = [&](const std::string& name) {
        return lines(validate(read_yaml(with(kMeshYaml, "name: hat", "name: " + name) + data)));
    };

    EXPECT_EQ(named("boundary_two"), "");
    EXPECT_EQ(named("boundary_2"),
              "fault.mesh.sources[0].name: must not be 'boundary_2': displacement and traction in "
              "boundaries make sources of this name\n");
}

}  // namespace
}  // namespace kaname::request::validate_boundary_test
