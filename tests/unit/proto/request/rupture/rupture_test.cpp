// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "proto/request/form/text.hpp"
#include "proto/request/rupture/load_rupture.hpp"
#include "solvers/base/files.hpp"

namespace kaname::request::rupture_test {
namespace {

namespace fs = std::filesystem;

const char* const kYaml = R"(schema: kaname.v1.Rupture
name: square
box: {size_x_km: 12, size_y_km: 10, depth_km: 9}
structure:
  materials:
    - {name: rock, vp_km_per_s: 6, vs_km_per_s: 3.464, density_g_per_cm3: 2.67}
  layers:
    - {material: rock}
mesh: {max_frequency_hz: 2}
faults:
  - id: main
    plane: {at: {x_km: 0, y_km: 0}, top_depth_km: 0, strike_deg: 90, dip_deg: 90, length_km: 6, width_km: 4}
    element_size_m: 400
    friction: {static: 0.677, dynamic: 0.525, slip_weakening_m: 0.4}
    stress: {normal_mpa: -120, strike_mpa: 70}
    patches:
      - {along_km: 0, down_km: 2, length_km: 2, width_km: 2, stress: {strike_mpa: 81.6}}
receivers:
  - {id: R1, at: {x_km: 0.6, y_km: 0.8}}
fault_receivers:
  - {id: F1, along_km: 1, down_km: 2}
time: {end_s: 3}
)";

const std::string kRates =
    "friction: {law: ageing, a: 0.008, b: 0.012, state_slip_mm: 20, initial_rate_m_per_s: 1e-12}";
const std::string kWeakening = "friction: {static: 0.677, dynamic: 0.525, slip_weakening_m: 0.4}";

class RuptureRequestFile : public testing::Test {
protected:
    static std::string with(const std::string& old, const std::string& now) {
        return in(kYaml, old, now);
    }
    /// The text with `now` in place of `old`.
    static std::string in(std::string text, const std::string& old, const std::string& now) {
        const std::size_t at = text.find(old);
        EXPECT_NE(at, std::string::npos) << old;
        return text.replace(at, old.size(), now);
    }
    std::unique_ptr<Request> load(const std::string& text) const {
        write_file(folder_.path() / "spec.yaml", text);
        return rupture_kind().load(folder_.path() / "spec.yaml");
    }
    v1::Rupture message(const std::string& text) const {
        return dynamic_cast<const v1::Rupture&>(load(text)->message());
    }
    /// Just one rule is broken.
    void expect(const std::string& text, const std::string& field, const std::string& rule) const {
        std::vector<Violation> found;
        try {
            (void)load(text);
        } catch (const ValidationError& error) {
            found = error.violations();
        }
        ASSERT_FALSE(found.empty()) << field << " " << rule;
        EXPECT_EQ(found.size(), 1U) << field << " " << found.back().field << found.back().message;
        EXPECT_NE(found[0].field.find(field), std::string::npos) << found[0].field;
        EXPECT_NE(found[0].message.find(rule), std::string::npos) << found[0].message;
    }
    void expect(const std::string& old, const std::string& now, const std::string& field,
                const std::string& rule) const {
        expect(with(old, now), field, rule);
    }

    TemporaryFolder folder_;
};

TEST_F(RuptureRequestFile, FillsInDefaults) {
    const v1::Rupture rupture = message(kYaml);

    EXPECT_EQ(rupture.faults(0).friction().law(), "linear_slip_weakening");
    EXPECT_EQ(rupture.faults(0).patches(0).shape(), "rectangle");
    EXPECT_DOUBLE_EQ(rupture.faults(0).stress().normal_pa(), -120e6);
    EXPECT_EQ(rupture.fault_receivers(0).fault(), "main") << "the only one";
    EXPECT_DOUBLE_EQ(rupture.fault_output().rupture_rate_m_per_s(), 1e-3);
    EXPECT_DOUBLE_EQ(rupture.fault_output().energy_interval_s(), 0.03);
    EXPECT_EQ(rupture.boundaries().top(), "free");
    EXPECT_DOUBLE_EQ(rupture.time().interval_s(), 0.05) << "as of SeismicWaves";
    EXPECT_EQ(load(kYaml)->describe().faults, std::vector<std::string>{"main"});
}

TEST_F(RuptureRequestFile, OneTaskForTheRuptureBetweenMeshAndDataset) {
    const TaskGraph graph = load(kYaml)->graph();

    ASSERT_EQ(graph.tasks.size(), 3U);
    EXPECT_EQ(graph.n_sources(), 1U);
    EXPECT_EQ(graph.tasks[0].verb, "solve");
    EXPECT_EQ(graph.tasks[0].label, kRuptureEvent);
    EXPECT_EQ(graph.tasks[0].needs, std::vector<std::string>{graph.tasks[1].key});
    EXPECT_EQ(graph.tasks[2].gathers, std::vector<std::string>{graph.tasks[0].key});
    EXPECT_EQ(rupture_kind().result_file(), "rupture.h5");
}

TEST_F(RuptureRequestFile, FrictionAndStressTakeTheMeshThatIsThere) {
    const TaskGraph graph = load(kYaml)->graph();
    const auto other = [&](const std::string& old, const std::string& now) {
        return load(with(old, now))->graph();
    };

    for (const auto& [old, now] : {std::array{"dynamic: 0.525", "dynamic: 0.5"},
                                   {"strike_mpa: 81.6", "strike_mpa: 82"},
                                   {"along_km: 1,", "along_km: 1.5,"}}) {
        const TaskGraph changed = other(old, now);
        EXPECT_EQ(changed.tasks[1].key, graph.tasks[1].key) << now;
        EXPECT_NE(changed.tasks[0].key, graph.tasks[0].key) << now;
    }
    for (const auto& [old, now] : {std::array{"dip_deg: 90", "dip_deg: 80"},
                                   {"element_size_m: 400", "element_size_m: 300"},
                                   {"max_frequency_hz: 2", "max_frequency_hz: 1"}}) {
        EXPECT_NE(other(old, now).tasks[1].key, graph.tasks[1].key) << now;
    }
    const TaskGraph named = other("name: square", "name: other");
    EXPECT_EQ(named.tasks[0].key, graph.tasks[0].key);
}

TEST_F(RuptureRequestFile, NamesWhatIsWrongWithFaults) {
    expect("dip_deg: 90", "dip_deg: 5", "plane.dip_deg", "must be in 10..90, got 5");
    expect("length_km: 6,", "length_km: -6,", "plane.length_", "must be > 0, got -6");
    expect("strike_deg: 90, ", "", "plane.strike_deg", "must be given");
    expect("at: {x_km: 0, y_km: 0}, top", "at: {lon_deg: 0, lat_deg: 0}, top", "plane.at.lon_deg",
           "there is no region");
    expect("element_size_m: 400", "element_size_m: 400\n    physical_surface: fault", "plane",
           "exactly one of plane, interface and physical_surface");
    expect(
        "plane: {at: {x_km: 0, y_km: 0}, top_depth_km: 0, strike_deg: 90, dip_deg: 90, "
        "length_km: 6, width_km: 4}",
        "physical_surface: fault", "faults[0].plane", "there is no mesh.file");
    expect("stress: {normal_mpa: -120, strike_mpa: 70}", "# none", "faults[0].stress",
           "must be given, as stress, stress_by_depth");
    expect("stress: {normal_mpa: -120,", "stress: {", "stress.normal_pa", "must be given");
    expect("stress: {normal_mpa: -120, strike_mpa: 70}",
           "stress_by_depth: [{depth_km: 2, normal_mpa: -1}, {depth_km: 1, normal_mpa: -2}]",
           "stress_by_depth[1].depth_", "must be >= the depth before it, 2, got 1");
    expect("width_km: 2, stress: {strike_mpa: 81.6}", "width_km: 2", "patches[0]",
           "must have stress or friction");
}

TEST_F(RuptureRequestFile, NamesWhatIsWrongWithFriction) {
    expect("static: 0.677", "static: 0.5", "friction.dynamic", "must be <= static = 0.5");
    expect("dynamic: 0.525", "dynamic: -0.1", "friction.dynamic", "must be >= 0, got -0.1");
    expect("dynamic: 0.525, ", "", "friction.dynamic", "must be given");
    expect("slip_weakening_m: 0.4", "slip_weakening_m: 0", "friction.slip_weakening_m",
           "must be > 0, got 0");
    expect("slip_weakening_m: 0.4", "slip_weakening_m: 0.4, a: 0.01", "friction.a",
           "must be left out of friction by the law linear_slip_weakening");
    expect(kWeakening, "friction: {law: coulomb}", "friction.law",
           "linear_slip_weakening, ageing, slip or fast_velocity_weakening, got 'coulomb'");
    expect(in(with(kWeakening, kRates), "a: 0.008, ", ""), "friction.a", "must be given");
    expect(in(with(kWeakening, kRates), "law: ageing",
              "law: fast_velocity_weakening, weakening_rate_m_per_s: 0.1"),
           "friction.weakened_friction", "must be given");
    expect("stress: {strike_mpa: 81.6}", "friction: {law: slip, static: 0.5}",
           "patches[0].friction.law", "it is that of the whole fault");
}

TEST_F(RuptureRequestFile, NamesWhatIsWrongWithTheRest) {
    const std::string yaml = kYaml;
    for (const auto& [line, field, rule] :
         {std::array{"nucleation: {stress: [{along_km: 0, down_km: 2, radius_km: 0, "
                     "strike_mpa: 5}]}",
                     "nucleation.stress[0].radius_", "must be > 0"},
          {"nucleation: {stress: [{fault: mian, along_km: 0, down_km: 2, radius_km: 1, "
           "strike_mpa: 5}]}",
           "nucleation.stress[0].fault", "did you mean main?"},
          {"nucleation: {forced: [{along_km: 0, radius_km: 1, speed_km_per_s: 2}]}",
           "nucleation.forced[0].down_m", "must be given"},
          {"nucleation: {stress_duration_s: 1}", "nucleation.stress_duration_s",
           "must be left out without nucleation.stress"},
          {"plasticity: {cohesion_mpa: 5, friction: 0.85, relaxation_s: 0}", "stress_tensor",
           "must be given for plasticity"},
          {"stress_tensor: [{zz_mpa: -1}]\nplasticity: {cohesion_mpa: 5, relaxation_s: 0}",
           "plasticity.friction", "exactly one of friction and friction_angle_deg"},
          {"fault_output: {snapshots_s: [2, 4]}", "fault_output.snapshots_s[1]", "0..3"},
          {"fault_output: {snapshots_s: [2], interval_s: 1}", "fault_output.interval_s",
           "must be left out beside fault_output.snapshots_s"},
          {"solver: {order: 9}", "solver.order", "2..7, got 9"}}) {
        expect(yaml + line + "\n", field, rule);
    }
    expect("fault_receivers:\n  - {id: F1", "fault_receivers:\n  - {id: F 1",
           "fault_receivers[0].id", "letters, digits");
    expect(in(with(kWeakening, kRates), "fault_receivers:",
              "nucleation: {forced: [{along_km: 0, down_km: 1, radius_km: 1, speed_km_per_s: "
              "2}]}\nfault_receivers:"),
           "nucleation.forced[0]", "linear_slip_weakening, got 'ageing'");
}

const std::string kShot =
    "sources:\n  - {id: shot, at: {x_km: 2, y_km: 3, z_km: -3}, moment: {xy_n_m: 1e15}, "
    "time_function: {kind: cosine, duration_s: 0.5}}\n";

TEST_F(RuptureRequestFile, EveryFieldOfASourceIsInTheKeysOfWhatItChanges) {
    const std::string text = kYaml + kShot;
    const TaskGraph graph = load(text)->graph();
    ASSERT_EQ(graph.tasks.size(), 3U) << "one run, whatever radiates";
    std::set<std::string> events = {load(kYaml)->graph().tasks[0].key, graph.tasks[0].key},
                          datasets = {load(kYaml)->graph().tasks[2].key, graph.tasks[2].key};
    EXPECT_EQ(events.size(), 2U);

    const std::vector<std::array<std::string, 2>> changes = {
        {"id: shot", "id: blast"},
        {"x_km: 2", "x_km: 2.5"},
        {"y_km: 3", "y_km: 3.5"},
        {"z_km: -3", "z_km: -3.5"},
        {"xy_n_m: 1e15", "xy_n_m: 2e15"},
        {"xy_n_m: 1e15", "xx_n_m: 1e15"},
        {"moment: {", "force: {x_n: 1e9}, moment: {"},
        {"moment: {xy_n_m: 1e15}",
         "double_couple: {strike_deg: 10, dip_deg: 60, rake_deg: 40, magnitude: 5}"},
        {"kind: cosine", "kind: triangle"},
        {"duration_s: 0.5", "duration_s: 0.6"}};
    for (const auto& [old, now] : changes) {
        const TaskGraph changed = load(in(text, old, now))->graph();
        EXPECT_TRUE(events.insert(changed.tasks[0].key).second) << now;
        EXPECT_TRUE(datasets.insert(changed.tasks[2].key).second) << now;
        EXPECT_EQ(changed.tasks[1].key, graph.tasks[1].key) << now << " shapes no mesh";
    }
    // Elements of order 3 are smaller at moment sources.
    const std::string order3 = in(text, "mesh: {", "solver: {order: 3}\nmesh: {"),
                      coarse = in(order3, "mesh: {", "mesh: {elements_per_wavelength: 2, ");
    EXPECT_NE(load(in(coarse, "x_km: 2,", "x_km: 2.5,"))->graph().tasks[1].key,
              load(coarse)->graph().tasks[1].key);
}

TEST_F(RuptureRequestFile, NamesWhatIsWrongWithSources) {
    const std::string text = kYaml + kShot;
    const auto broken = [&](const std::string& old, const std::string& now,
                            const std::string& field,
                            const std::string& rule) { expect(in(text, old, now), field, rule); };
    broken("moment: {xy", "momment: {xy", "sources[0].momment", "did you mean moment?");
    broken("x_km: 2, y_km: 3, z_km: -3", "lon_deg: 0, lat_deg: 0, depth_km: 3",
           "sources[0].at.lon_deg", "there is no region");
    broken("z_km: -3", "z_km: -3, depth_km: 3", "sources[0].at", "there is no region");
    broken("xy_n_m: 1e15", "xy_n_m: 0", "sources[0]", "must have a force or a moment");
    broken(", duration_s: 0.5", "", "sources[0].time_function.duration_s", "must be");
    broken("id: shot", "id: a shot", "sources[0].id", "letters, digits");
    expect(text + in(kShot, "sources:\n", ""), "sources[1].id", "must be unique, got 'shot'");
    expect(text +
               "stress_tensor: [{zz_mpa: -1}]\n"
               "plasticity: {cohesion_mpa: 5, friction: 0.85, relaxation_s: 0}\n",
           "sources", "must be left out beside plasticity");
}

TEST_F(RuptureRequestFile, ATableMayHaveWhatFrictionLeavesOut) {
    write_file(folder_.path() / "fault.csv", "along_m,depth_m,static\n");
    const std::string text = in(with("{static: 0.677, dynamic: 0.525, slip_weakening_m: 0.4}",
                                     "{dynamic: 0.5}\n    table: {file: fault.csv}"),
                                "    stress: {normal_mpa: -120, strike_mpa: 70}\n", "");

    EXPECT_EQ(message(text).faults(0).table().positive_shear(), "left_lateral");
    expect(in(text, "file: fault.csv", "file: fault.csv, positive_shear: left"),
           "table.positive_shear", "left_lateral or right_lateral");
}

TEST_F(RuptureRequestFile, LiquidsAndGravityAtTheTop) {
    const std::string text = in(with("vs_km_per_s: 3.464", "vs_km_per_s: 0"), "name: square",
                                "name: sea\nboundaries: {top: gravity}");

    EXPECT_EQ(message(text).boundaries().top(), "gravity");
    expect(in(text, "top: gravity", "x_min: gravity"), "boundaries.x_min", "free or absorbing");
}

TEST_F(RuptureRequestFile, ExamplesAndTheirPageAreValid) {
    const fs::path docs = fs::path(KANAME_SOURCE_DIR) / "docs";
    for (const char* name :
         {"tpv5/tpv5", "tpv5/tpv101", "tpv5/tpv104", "tpv5/tpv13", "samos_rupture/samos_rupture"}) {
        EXPECT_NO_THROW(
            (void)rupture_kind().load(docs / "examples" / (std::string(name) + ".yaml")))
            << name;
    }
    const std::string page = read_text_file(docs / "user/rupture.md"), fence = "```yaml\n";
    int blocks = 0;
    for (std::size_t at = 0; (at = page.find(fence, at)) != std::string::npos;) {
        at += fence.size();
        const std::string block = page.substr(at, page.find("```", at) - at);
        if (block.starts_with("schema: kaname.v1.Rupture")) {
            EXPECT_NO_THROW((void)load(block)) << block;
            ++blocks;
        }
    }
    EXPECT_EQ(blocks, 3);
}

TEST_F(RuptureRequestFile, TheFirstVerticalPlaneMayPartTheBox) {
    const std::string dip = "dip_deg: 90, ";
    EXPECT_EQ(
        message(with(dip, dip + "plus_materials: [rock], ")).faults(0).plane().plus_materials(0),
        "rock");
    expect(with(dip, dip + "plus_materials: [mud], "), "faults[0].plane.plus_materials[0]", "rock");
    expect(with(dip, dip + "plus_materials: [rock, rock], "), "faults[0].plane.plus_materials",
           "one material for each of 1 layers, got 2");
    expect(with(dip, "dip_deg: 60, plus_materials: [rock], "), "faults[0].plane.plus_materials",
           "a vertical plane in a box");
}

}  // namespace
}  // namespace kaname::request::rupture_test
