// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/validate.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::validate_test {
namespace {

using namespace examples;

struct Case {
    std::string what;
    std::function<void(v1::GreensBatch&)> change;
    std::string expected;  ///< all violations, one per line; empty: valid
};

void check(v1::GreensBatch (*base)(), const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        v1::GreensBatch batch = base();
        one.change(batch);

        EXPECT_EQ(lines(validate(batch)), one.expected.empty() ? "" : one.expected + "\n")
            << one.what;
    }
}

v1::GreensBatch interface_batch() {
    return read_yaml(kInterfaceYaml);
}

TEST(Validate, AcceptsTheExamples) {
    EXPECT_EQ(lines(validate(plane_batch())), "");
    EXPECT_EQ(lines(validate(interface_batch())), "");
}

TEST(Validate, Labels) {
    const std::string name_rule =
        "name: must be 1 to 63 lower-case letters, digits, '-' and '_', beginning with a letter or "
        "digit, "
        "got ";
    check(plane_batch, {{"other schema", [](auto& b) { b.set_schema("kaname.v2.GreensBatch"); },
                         "schema: must be kaname.v1.GreensBatch or kaname.v1.Scenario, got "
                         "'kaname.v2.GreensBatch'"},
                        {"no schema", [](auto& b) { b.clear_schema(); },
                         "schema: must be kaname.v1.GreensBatch or kaname.v1.Scenario, got ''"},
                        {"no name", [](auto& b) { b.clear_name(); }, name_rule + "''"},
                        {"capitals", [](auto& b) { b.set_name("Nankai"); }, name_rule + "'Nankai'"},
                        {"leading hyphen", [](auto& b) { b.set_name("-a"); }, name_rule + "'-a'"},
                        {"path", [](auto& b) { b.set_name("a/../b"); }, name_rule + "'a/../b'"},
                        {"longest", [](auto& b) { b.set_name(std::string(63, 'a')); }, ""},
                        {"too long", [](auto& b) { b.set_name(std::string(64, 'a')); },
                         name_rule + "'" + std::string(60, 'a') + "...'"}});
}

TEST(Validate, Region) {
    check(plane_batch,
          {{"no longitude", [](auto& b) { b.mutable_region()->clear_centre_lon_deg(); },
            "region.centre_lon_deg: must be given"},
           {"longitude 0", [](auto& b) { b.mutable_region()->set_centre_lon_deg(0); }, ""},
           {"longitude", [](auto& b) { b.mutable_region()->set_centre_lon_deg(361); },
            "region.centre_lon_deg: must be in -180..360, got 361; the same meridian is 1"},
           {"latitude", [](auto& b) { b.mutable_region()->set_centre_lat_deg(-91); },
            "region.centre_lat_deg: must be in -90..90, got -91"},
           {"east", [](auto& b) { b.mutable_region()->set_size_east_m(0); },
            "region.size_east_m: must be > 0, got 0"},
           {"north", [](auto& b) { b.mutable_region()->set_size_north_m(-5); },
            "region.size_north_m: must be > 0, got -5"},
           {"too large", [](auto& b) { b.mutable_region()->set_size_north_m(2e7); },
            "region.size_north_m: must be at most 1e+07, got 2e+07"},
           {"depth", [](auto& b) { b.mutable_region()->clear_depth_m(); },
            "region.depth_m: must be > 0, got 0"},
           {"too deep", [](auto& b) { b.mutable_region()->set_depth_m(7e6); },
            "region.depth_m: must be at most 6371000, got 7000000"},
           {"azimuth", [](auto& b) { b.mutable_region()->set_azimuth_deg(181); },
            "region.azimuth_deg: must be in -180..180, got 181"}});
}

TEST(Validate, Stations) {
    const auto first = [](v1::GreensBatch& b) { return b.mutable_stations()->mutable_list(0); };
    check(plane_batch,
          {{"none", [](auto& b) { b.clear_stations(); },
            "stations: must have at least one station: give list or files"},
           {"file only",
            [](auto& b) {
                b.mutable_stations()->clear_list();
                b.mutable_stations()->add_files()->set_path("a.csv");
            },
            ""},
           {"file without path", [](auto& b) { b.mutable_stations()->add_files(); },
            "stations.files[0].path: must be given"},
           {"no id", [&](auto& b) { first(b)->clear_id(); },
            "stations.list[0].id: must have 1 to 64 characters, got ''"},
           {"terminal codes in an id", [&](auto& b) { first(b)->set_id("A\x1b[2J\nB"); },
            "stations.list[0].id: must have no control characters, got 'A\\u001b[2J\\nB'"},
           {"same id", [&](auto& b) { *b.mutable_stations()->add_list() = v1::Station(*first(b)); },
            "stations.list[1].id: must be unique, got 'G001' as in stations.list[0]"},
           {"no longitude", [&](auto& b) { first(b)->clear_lon_deg(); },
            "stations.list[0].lon_deg: must be given"},
           {"latitude", [&](auto& b) { first(b)->set_lat_deg(135); },
            "stations.list[0].lat_deg: must be in -90..90, got 135"},
           {"depth at the surface", [&](auto& b) { first(b)->set_depth_m(0); }, ""},
           {"above", [&](auto& b) { first(b)->set_depth_m(-20000); },
            "stations.list[0].depth_m: must be >= -10000, got -20000"},
           {"below the bottom", [&](auto& b) { first(b)->set_depth_m(100001); },
            "stations.list[0].depth_m: must not lie below the model's bottom at 100000, got "
            "100001"}});
}

TEST(Validate, Mesh) {
    check(plane_batch,
          {{"no fault size", [](auto& b) { b.mutable_mesh()->clear_size_at_fault_m(); },
            "mesh.size_at_fault_m: must be > 0, got 0"},
           {"no far size", [](auto& b) { b.mutable_mesh()->clear_size_far_m(); },
            "mesh.size_far_m: must be > 0, got 0"},
           {"equal sizes", [](auto& b) { b.mutable_mesh()->set_size_at_fault_m(30e3); }, ""},
           {"far finer than fault", [](auto& b) { b.mutable_mesh()->set_size_at_fault_m(31e3); },
            "mesh.size_at_fault_m: must not exceed size_far_m = 30000, got 31000"},
           {"slow growth", [](auto& b) { b.mutable_mesh()->set_growth(0.04); },
            "mesh.growth: must be in 0.05..1, got 0.04"},
           {"fast growth", [](auto& b) { b.mutable_mesh()->set_growth(1.1); },
            "mesh.growth: must be in 0.05..1, got 1.1"}});
}

TEST(Validate, Boundaries) {
    using Side = v1::BoundarySide;
    const auto all = [](v1::GreensBatch& b, Side::Kind kind) {
        v1::Boundaries& sides = *b.mutable_boundaries();
        for (Side* side : {sides.mutable_west(), sides.mutable_east(), sides.mutable_south(),
                           sides.mutable_north(), sides.mutable_bottom(), sides.mutable_top()}) {
            side->set_kind(kind);
        }
    };
    const std::string free_to_move =
        "boundaries: leave the model free to move: fix a side, or put rollers on one of west and "
        "east, one of south and north and one of bottom and top";
    check(plane_batch, {{"all free", [&](auto& b) { all(b, Side::KIND_FREE); }, free_to_move},
                        {"rollers in two directions",
                         [&](auto& b) {
                             all(b, Side::KIND_ROLLER);
                             b.mutable_boundaries()->mutable_bottom()->set_kind(Side::KIND_FREE);
                             b.mutable_boundaries()->mutable_top()->set_kind(Side::KIND_FREE);
                         },
                         free_to_move},
                        {"rollers in three", [&](auto& b) { all(b, Side::KIND_ROLLER); }, ""},
                        {"one fixed",
                         [&](auto& b) {
                             all(b, Side::KIND_FREE);
                             b.mutable_boundaries()->mutable_bottom()->set_kind(Side::KIND_FIXED);
                         },
                         ""}});
}

void burgers(v1::GreensBatch& batch) {
    v1::Material& material = *batch.mutable_structure()->mutable_materials(1);
    material.set_viscosity_pa_s(1e19);
    material.set_kelvin_mu_pa(3e10);
    material.set_kelvin_viscosity_pa_s(1e18);
}

TEST(Validate, Time) {
    check(plane_batch,
          {{"step", [](auto& b) { b.mutable_time()->set_step_s(-1); },
            "time.step_s: must be >= 0, got -1"},
           {"step chosen by the solver", [](auto& b) { b.mutable_time()->clear_step_s(); }, ""},
           {"step beyond the end", [](auto& b) { b.mutable_time()->set_step_s(1e8); },
            "time.step_s: must not exceed end_s = 63115200, got 1e+08"},
           {"too many steps", [](auto& b) { b.mutable_time()->set_step_s(1); },
            "time.step_s: gives 63115200 steps up to end_s; at most 1000000 are allowed"},
           {"coseismic only", [](auto& b) { b.clear_time(); }, ""},
           {"end",
            [](auto& b) {
                b.clear_time();
                b.mutable_time()->set_end_s(-3);
            },
            "time.end_s: must be >= 0, got -3"},
           {"early epoch", [](auto& b) { b.mutable_time()->set_epochs_s(0, -1); },
            "time.epochs_s[0]: must be in 0..end_s = 63115200, got -1"},
           {"late epoch", [](auto& b) { b.mutable_time()->set_epochs_s(2, 1e9); },
            "time.epochs_s[2]: must be in 0..end_s = 63115200, got 1e+09"},
           {"epoch twice", [](auto& b) { b.mutable_time()->set_epochs_s(1, 0); },
            "time.epochs_s[1]: must be later than the epoch before it, 0, got 0"},
           {"unknown method", [](auto& b) { b.mutable_time()->set_method("laplace"); },
            "time.method: must be auto, stepping or spectrum, got 'laplace'"},
           {"spectrum",
            [](auto& b) {
                b.mutable_time()->set_method("spectrum");
                b.mutable_time()->clear_step_s();
            },
            ""},
           {"steps of a spectrum", [](auto& b) { b.mutable_time()->set_method("spectrum"); },
            "time.step_s: must be left out with time.method spectrum, which has no steps; got "
            "2592000"},
           {"loose spectrum", [](auto& b) { b.mutable_time()->set_spectrum_tolerance(0.1); },
            "time.spectrum_tolerance: must be in 1e-08..0.01, got 0.1"},
           {"sharp spectrum", [](auto& b) { b.mutable_time()->set_spectrum_tolerance(1e-7); },
            "time.spectrum_tolerance: must be at least 100 times solver.tolerance = 1e-08, got "
            "1e-07"},
           {"growing steps", [](auto& b) { b.mutable_time()->set_max_step_s(1e7); }, ""},
           {"shrinking steps", [](auto& b) { b.mutable_time()->set_max_step_s(1e6); },
            "time.max_step_s: must be >= step_s = 2592000, got 1000000"},
           {"Burgers by spectrum",
            [](auto& b) {
                burgers(b);
                b.mutable_time()->clear_step_s();
                b.mutable_time()->set_method("spectrum");
            },
            ""},
           {"Burgers by steps",
            [](auto& b) {
                burgers(b);
                b.mutable_time()->set_method("stepping");
            },
            ""},
           {"Burgers with a step", [](auto& b) { burgers(b); }, ""},
           {"Burgers by four steps at once",
            [](auto& b) {
                burgers(b);
                b.mutable_solver()->set_method("multistep2018");
            },
            ""},
           {"nodal dilatation by four steps at once",
            [](auto& b) {
                b.mutable_solver()->set_method("multistep2018");
                b.mutable_solver()->set_element("nodal_dilatation");
            },
            "solver.element: must be p2 or auto with solver.method multistep2018"},
           {"gravity by another name", [](auto& b) { b.set_gravity("buoyant"); },
            "gravity: must be auto, buoyancy or none, got 'buoyant'; did you mean buoyancy?"},
           {"gravity without a density", [](auto& b) { b.set_gravity("buoyancy"); },
            "structure.materials[1].density_kg_per_m3: must be given with gravity buoyancy"},
           {"gravity by four steps at once",
            [](auto& b) {
                b.mutable_structure()->mutable_materials(1)->set_density_kg_per_m3(3300.0);
                b.set_gravity("buoyancy");
                b.mutable_solver()->set_method("multistep2018");
            },
            "gravity: must be none or auto with solver.method multistep2018"},
           {"spectrum by four steps at once",
            [](auto& b) {
                b.mutable_time()->clear_step_s();
                b.mutable_time()->set_method("spectrum");
                b.mutable_solver()->set_method("multistep2018");
            },
            "time.method: must be left out with solver.method multistep2018, which takes equal "
            "steps"},
           {"explicit scheme", [](auto& b) { b.mutable_time()->set_alpha(0.4); },
            "time.alpha: must be in 0.5..1, got 0.4"},
           {"alpha", [](auto& b) { b.mutable_time()->set_alpha(1.5); },
            "time.alpha: must be in 0.5..1, got 1.5"}});
}

TEST(Validate, SlipHistory) {
    const auto table = [](auto& b, std::vector<double> times, std::vector<double> slip) {
        v1::SlipHistory& history = *b.mutable_slip_history();
        history.set_kind("table");
        history.mutable_times_s()->Assign(times.begin(), times.end());
        history.mutable_slip()->Assign(slip.begin(), slip.end());
    };
    check(plane_batch,
          {{"unknown", [](auto& b) { b.mutable_slip_history()->set_kind("stpe"); },
            "slip_history.kind: must be step, ramp, exponential, logarithmic or table, got 'stpe'; "
            "did you mean step?"},
           {"ramp",
            [](auto& b) {
                b.mutable_slip_history()->set_kind("ramp");
                b.mutable_slip_history()->set_duration_s(1e6);
            },
            ""},
           {"ramp of nothing", [](auto& b) { b.mutable_slip_history()->set_kind("ramp"); },
            "slip_history.duration_s: must be > 0, got 0"},
           {"duration of a step", [](auto& b) { b.mutable_slip_history()->set_duration_s(1e6); },
            "slip_history.duration_s: must be left out with kind 'step', got 1000000"},
           {"no constant", [](auto& b) { b.mutable_slip_history()->set_kind("logarithmic"); },
            "slip_history.time_constant_s: must be > 0, got 0"},
           {"two events",
            [&](auto& b) {
                table(b, {0, 1e6, 1e6}, {0.5, 0.5, 1});
            },
            ""},
           {"lengths",
            [&](auto& b) {
                table(b, {0, 1e6}, {1});
            },
            "slip_history.slip: must have as many values as times_s, at least one; got 1 and 2"},
           {"order",
            [&](auto& b) {
                table(b, {1e6, 0}, {0, 1});
            },
            "slip_history.times_s[1]: must not be before the time before it, 1000000, got 0"},
           {"too late", [&](auto& b) { table(b, {1e9}, {1}); },
            "slip_history.times_s[0]: must be in 0..63115200, got 1e+09"}});
}

TEST(Validate, SolverAndOutput) {
    check(plane_batch,
          {{"method", [](auto& b) { b.mutable_solver()->set_method("pcg"); },
            "solver.method: must be default, pcge, seed or multistep2018, got 'pcg'; did you mean "
            "pcge?"},
           {"predictor", [](auto& b) { b.mutable_solver()->set_predictor("magic"); },
            "solver.predictor: must be none, previous, ab2, cubic, data_driven, "
            "data_driven_published or projection, got 'magic'"},
           {"element", [](auto& b) { b.mutable_solver()->set_element("q2"); },
            "solver.element: must be auto, p2 or nodal_dilatation, got 'q2'; did you mean p2?"},
           {"loose", [](auto& b) { b.mutable_solver()->set_tolerance(0.1); },
            "solver.tolerance: must be in 1e-12..0.01, got 0.1"},
           {"tight", [](auto& b) { b.mutable_solver()->set_tolerance(1e-13); },
            "solver.tolerance: must be in 1e-12..0.01, got 1e-13"},
           {"iterations", [](auto& b) { b.mutable_solver()->set_max_iterations(1000001); },
            "solver.max_iterations: must be at most 1000000, got 1000001"},
           {"snap", [](auto& b) { b.mutable_output()->set_snap_tolerance_m(-1); },
            "output.snap_tolerance_m: must be >= 0, got -1"},
           {"checkpoint", [](auto& b) { b.mutable_output()->set_checkpoint("ful"); },
            "output.checkpoint: must be auto, full or none, got 'ful'; did you mean full?"},
           {"interval", [](auto& b) { b.mutable_output()->set_checkpoint_interval_s(-1); },
            "output.checkpoint_interval_s: must be >= 0, got -1"}});
}

TEST(Validate, NumbersMustBeFiniteEverywhere) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    check(plane_batch,
          {{"depth", [=](auto& b) { b.mutable_region()->set_depth_m(nan); },
            "region.depth_m: must be finite, got nan"},
           {"viscosity",
            [=](auto& b) { b.mutable_structure()->mutable_materials(1)->set_viscosity_pa_s(inf); },
            "structure.materials[1].viscosity_pa_s: must be finite, got inf"},
           {"rake", [=](auto& b) { b.mutable_fault()->mutable_plane()->add_rake_deg(nan); },
            "fault.plane.rake_deg[0]: must be finite, got nan"}});
}

TEST(Validate, EnumNumbersMustHaveAName) {
    check(plane_batch, {{"kind",
                         [](auto& b) {
                             b.mutable_boundaries()->mutable_west()->set_kind(
                                 static_cast<v1::BoundarySide::Kind>(9));
                         },
                         "boundaries.west.kind: has no value of number 9"}});
}

TEST(Validate, FindsAllViolationsOfAnEmptyMessage) {
    EXPECT_EQ(lines(validate(v1::GreensBatch())),
              "schema: must be kaname.v1.GreensBatch or kaname.v1.Scenario, got ''\n"
              "name: must be 1 to 63 lower-case letters, digits, '-' and '_', beginning with a "
              "letter or digit, got ''\n"
              "region.centre_lon_deg: must be given\n"
              "region.centre_lat_deg: must be given\n"
              "region.size_east_m: must be > 0, got 0\n"
              "region.size_north_m: must be > 0, got 0\n"
              "region.depth_m: must be > 0, got 0\n"
              "structure.materials: must have at least one material\n"
              "structure.layers: must have at least one layer\n"
              "fault: must have exactly one of interface, plane and several\n"
              "stations: must have at least one station: give list or files\n"
              "mesh.size_at_fault_m: must be > 0, got 0\n"
              "mesh.size_far_m: must be > 0, got 0\n");
}

}  // namespace
}  // namespace kaname::request::validate_test
