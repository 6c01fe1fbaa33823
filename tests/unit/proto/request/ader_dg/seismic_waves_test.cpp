// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/files.hpp"

namespace kaname::request::seismic_waves_test {
namespace {

namespace fs = std::filesystem;

const char* const kYaml = R"(schema: kaname.v1.SeismicWaves
name: layers
box: {size_x_km: 6, size_y_km: 5, depth_km: 4}
structure:
  materials:
    - {name: soil, vp_km_per_s: 4, vs_km_per_s: 2, density_g_per_cm3: 2.6}
    - {name: rock, vp_km_per_s: 6, vs_km_per_s: 3.464, density_g_per_cm3: 2.7}
  layers:
    - {material: soil, bottom_depth_km: 1}
    - {material: rock}
mesh: {max_frequency_hz: 2}
sources:
  - {id: A, at: {x_km: 0, y_km: 0, z_km: -2}, moment: {xy_n_m: 1e18}, time_function: {kind: gaussian, width_s: 0.1}}
  - {id: B, at: {x_km: 1, y_km: 0, z_km: 0}, force: {z_n: 1}, time_function: {kind: ricker, frequency_hz: 1}}
receivers:
  - {id: R1, at: {x_km: 0.6, y_km: 0.8}}
time: {end_s: 9}
)";

class SeismicWavesFile : public testing::Test {
protected:
    /// kYaml with `old` in place of `now`.
    static std::string with(const std::string& old, const std::string& now) {
        std::string text = kYaml;
        const std::size_t at = text.find(old);
        EXPECT_NE(at, std::string::npos) << old;
        return text.replace(at, old.size(), now);
    }
    std::unique_ptr<Request> load(const std::string& text) const {
        write_file(folder_.path() / "spec.yaml", text);
        return seismic_waves_kind().load(folder_.path() / "spec.yaml");
    }
    v1::SeismicWaves message(const std::string& text) const {
        return dynamic_cast<const v1::SeismicWaves&>(load(text)->message());
    }
    /// "field: message" of all that is wrong.
    std::vector<std::string> broken(const std::string& text) const {
        try {
            (void)load(text);
        } catch (const ValidationError& error) {
            std::vector<std::string> found;
            for (const Violation& violation : error.violations()) {
                found.push_back(violation.field + ": " + violation.message);
            }
            return found;
        }
        return {};
    }
    /// Just one rule is broken.
    void expect(const std::string& text, const std::string& field, const std::string& rule) const {
        const std::vector<std::string> found = broken(text);
        ASSERT_FALSE(found.empty()) << field;
        EXPECT_EQ(found.size(), 1U) << field << " " << found.back();
        EXPECT_NE(found[0].find(field + ": "), std::string::npos) << found[0];
        EXPECT_NE(found[0].find(rule), std::string::npos) << found[0];
    }
    void expect(const std::string& old, const std::string& now, const std::string& field,
                const std::string& rule) const {
        expect(with(old, now), field, rule);
    }

    TemporaryFolder folder_;
};

TEST_F(SeismicWavesFile, FillsInDefaults) {
    const v1::SeismicWaves waves = message(kYaml);
    EXPECT_DOUBLE_EQ(waves.box().size_y_m(), 5000.0);
    EXPECT_EQ(waves.solver().order(), 5U);
    EXPECT_EQ(waves.solver().precision(), "single");
    EXPECT_TRUE(waves.solver().local_time_steps());
    EXPECT_DOUBLE_EQ(waves.time().interval_s(), 0.05) << "a tenth of the shortest period";
    EXPECT_EQ(waves.boundaries().top(), "free");
    EXPECT_EQ(waves.boundaries().x_min(), "absorbing");
    EXPECT_EQ(waves.output().quantity(), "velocity");
    EXPECT_TRUE(waves.output().peak_ground_velocity());
    EXPECT_FALSE(waves.has_attenuation());
    EXPECT_EQ(load(kYaml)->describe().stations, std::vector<std::string>{"R1"});
}

TEST_F(SeismicWavesFile, MaterialsWithQualityHaveABand) {
    const v1::SeismicWaves waves =
        message(with("density_g_per_cm3: 2.6}", "density_g_per_cm3: 2.6, qp: 120, qs: 40}"));
    EXPECT_DOUBLE_EQ(waves.attenuation().to_hz(), 2.0);
    EXPECT_DOUBLE_EQ(waves.attenuation().from_hz(), 2.0 / 30.0);
    EXPECT_EQ(waves.attenuation().mechanisms(), 3U);
    EXPECT_NEAR(waves.attenuation().reference_hz(), 2.0 / std::sqrt(30.0), 1e-12);
    expect("density_g_per_cm3: 2.6}", "density_g_per_cm3: 2.6, qp: 120}",
           "structure.materials[0].qs", "must be given");
    expect("density_g_per_cm3: 2.6}", "density_g_per_cm3: 2.6, qp: 120, qs: -1}",
           "structure.materials[0].qs", "must be > 0, got -1");
}

TEST_F(SeismicWavesFile, AMeshATaskForEachSourceAndOneForTheDataset) {
    const TaskGraph graph = load(kYaml)->graph();
    ASSERT_EQ(graph.tasks.size(), 4U);
    EXPECT_EQ(graph.n_sources(), 2U);
    EXPECT_EQ(graph.tasks[2].verb, "mesh");
    for (const std::size_t source : {0, 1}) {
        EXPECT_EQ(graph.tasks[source].needs, std::vector<std::string>{graph.tasks[2].key});
    }
    EXPECT_EQ(graph.tasks[3].needs, std::vector<std::string>{graph.tasks[2].key});
    EXPECT_EQ(graph.tasks[3].gathers.size(), 2U);
}

TEST_F(SeismicWavesFile, TheMeshOfOrderFourDependsOnReceiversThatAreNearAMoment) {
    const auto mesh_key = [&](int order, const std::string& receiver) {
        std::string text = with("{x_km: 0.6, y_km: 0.8}", receiver);
        text += "solver: {order: " + std::to_string(order) + "}\n";
        return load(text)->graph().tasks[2].key;
    };
    const std::string far = "{x_km: 0.7, y_km: 0.8}", near = "{x_km: 0.6, y_km: 0, z_km: -2}";
    EXPECT_EQ(mesh_key(4, far), mesh_key(4, "{x_km: 0.6, y_km: 0.9}"));
    EXPECT_NE(mesh_key(4, far), mesh_key(4, near));
    EXPECT_NE(mesh_key(4, near), mesh_key(4, "{x_km: 0.65, y_km: 0, z_km: -2}"));
    EXPECT_EQ(mesh_key(5, far), mesh_key(5, near));
    // Beside the force B alone.
    EXPECT_EQ(mesh_key(4, far), mesh_key(4, "{x_km: 1.2, y_km: 0}"));
}

TEST_F(SeismicWavesFile, WhereAMeshIsFittedToSourcesEachDependsOnThePlacesOfAll) {
    const auto keys = [&](int order, const std::string& x_of_a) {
        std::string text = with("at: {x_km: 0, y_km: 0, z_km: -2}",
                                "at: {x_km: " + x_of_a + ", y_km: 0, z_km: -2}");
        text.replace(text.find("max_frequency_hz: 2"), 19,
                     "max_frequency_hz: 2, elements_per_wavelength: 1.5");
        text += "solver: {order: " + std::to_string(order) + "}\n";
        const TaskGraph graph = load(text)->graph();
        return std::pair(graph.tasks[1].key, graph.tasks[2].key);  // B, the mesh
    };
    for (const int order : {3, 7}) {
        EXPECT_NE(keys(order, "0").second, keys(order, "0.1").second) << order;
        EXPECT_NE(keys(order, "0").first, keys(order, "0.1").first) << order;
    }
    EXPECT_EQ(keys(5, "0"), keys(5, "0.1"));
}

TEST_F(SeismicWavesFile, TheMeshDependsOnGeometryAndSpeedsAlone) {
    const TaskGraph graph = load(kYaml)->graph();
    const auto other = [&](const std::string& old, const std::string& now) {
        return load(with(old, now))->graph();
    };
    const TaskGraph longer = other("end_s: 9", "end_s: 8");
    EXPECT_EQ(longer.tasks[2].key, graph.tasks[2].key);
    EXPECT_NE(longer.tasks[0].key, graph.tasks[0].key);
    const TaskGraph anelastic =
        other("density_g_per_cm3: 2.6}", "density_g_per_cm3: 2.6, qp: 120, qs: 40}");
    EXPECT_EQ(anelastic.tasks[2].key, graph.tasks[2].key);
    EXPECT_NE(anelastic.tasks[0].key, graph.tasks[0].key);
    EXPECT_NE(other("max_frequency_hz: 2", "max_frequency_hz: 1").tasks[2].key, graph.tasks[2].key);
    EXPECT_NE(other("vs_km_per_s: 2,", "vs_km_per_s: 2.1,").tasks[2].key, graph.tasks[2].key);
    const TaskGraph coarse = load(std::string(kYaml) + "solver: {order: 4}\n")->graph();
    EXPECT_NE(coarse.tasks[2].key, graph.tasks[2].key) << "elements per wavelength follow it";
    const TaskGraph moved = other("id: B, at: {x_km: 1,", "id: B, at: {x_km: 1.5,");
    EXPECT_EQ(moved.tasks[0].key, graph.tasks[0].key);
    EXPECT_NE(moved.tasks[1].key, graph.tasks[1].key);
}

TEST_F(SeismicWavesFile, NamesWhatIsWrong) {
    expect("depth_km: 4", "depth_km: 0", "box.depth_m", "must be > 0");
    expect("bottom_depth_km: 1}", "bottom_depth_km: 5}", "structure.layers[0].bottom_depth_m",
           "must be <");
    expect("max_frequency_hz: 2", "growth: 0.3", "mesh.max_frequency_hz", "must be > 0");
    expect("max_frequency_hz: 2", "max_frequency_hz: 2, top: ground", "mesh.top",
           "must be left out without mesh.file");
    expect("z_km: -2}", "}", "sources[0].at.z_m", "must be given");
    expect("moment: {xy_n_m: 1e18}", "moment: {xy_n_m: 0}", "sources[0]", "not 0");
    expect("at: {x_km: 0.6, y_km: 0.8}", "at: {lon_deg: 1, lat_deg: 2}", "receivers[0].at.lon_deg",
           "there is no region");
    expect("end_s: 9", "end_s: 9, interval_s: 10", "time.interval_s", "must be at most end");
    for (const auto& [line, field, rule] :
         {std::array{"solver: {order: 8}", "solver.order", "2..7, got 8"},
          {"solver: {precision: half}", "solver.precision", "single or double"},
          {"boundaries: {x_min: fixed}", "boundaries.x_min", "free or absorbing"},
          {"output: {quantity: strain}", "output.quantity", "velocity or displacement"},
          {"output: {snapshots_s: [10]}", "output.snapshots_s[0]", "0..9"},
          {"attenuation: {from_hz: 3, to_hz: 2, mechanisms: 3, reference_hz: 1}",
           "attenuation.to_hz", "must be > from_hz = 3"}}) {
        expect(std::string(kYaml) + line + "\n", field, rule);
    }
}

TEST_F(SeismicWavesFile, OneModelAndNoMore) {
    const std::string box = "box: {size_x_km: 6, size_y_km: 5, depth_km: 4}\n";
    expect(with(box, ""), "box", "exactly one of box, region and mesh.file");
    const std::string region =
        "region: {centre_lon_deg: 140, centre_lat_deg: 36, size_east_km: 6, size_north_km: 5, "
        "depth_km: 4}\n";
    EXPECT_EQ(broken(with(box, region)).size(), 0U);
    expect(with(box, box + region), "box", "got both");
}

TEST_F(SeismicWavesFile, ARuptureStandsAloneAndOnTheGlobe) {
    write_file(folder_.path() / "slip.csv", "lon_deg,lat_deg\n");
    const std::string old =
        "at: {x_km: 1, y_km: 0, z_km: 0}, force: {z_n: 1}, time_function: {kind: ricker, "
        "frequency_hz: 1}";
    expect(old, "rupture: {file: slip.csv}", "sources[1].rupture", "must have a region");
    const std::vector<std::string> nowhere = broken(with(old, "rupture: {file: nowhere.srf}"));
    ASSERT_EQ(nowhere.size(), 2U);
    EXPECT_NE(nowhere[1].find("nowhere.srf' does not exist"), std::string::npos) << nowhere[1];
}

TEST_F(SeismicWavesFile, ReceiversMayStandInFiles) {
    write_file(folder_.path() / "s.csv", "station,x_km,y_km,depth_km\nF1,1,-1,\nF2,0.5,0.25,0.3\n");
    const std::string files = std::string(kYaml) + "receiver_files: [s.csv]\n";

    const v1::SeismicWaves waves = message(files);

    ASSERT_EQ(waves.receivers_size(), 3);
    EXPECT_EQ(waves.receivers(0).id(), "R1");
    EXPECT_EQ(waves.receivers(1).id(), "F1");
    EXPECT_DOUBLE_EQ(waves.receivers(1).at().x_m(), 1000.0);
    EXPECT_FALSE(waves.receivers(1).at().has_z_m()) << "on the ground";
    EXPECT_DOUBLE_EQ(waves.receivers(2).at().z_m(), -300.0);
    EXPECT_EQ(waves.receiver_files_size(), 0) << "the message says all by itself";

    write_file(folder_.path() / "s.csv", "station,x_km,y_km\nR1,1,1\n");
    expect(files, "receivers[1].id", "must be unique");
    write_file(folder_.path() / "s.csv", "station,x_km,y_km\nR2,1,here\n");
    EXPECT_NE(broken(files)[0].find("must be a number, got 'here'"), std::string::npos);
    expect("receivers:\n  - {id: R1, at: {x_km: 0.6, y_km: 0.8}}", "receivers: {file: s.csv}",
           "receivers", "receiver_files: [FILE.csv]");
}

TEST_F(SeismicWavesFile, StepsThatAreNotStableAreRefused) {
    EXPECT_TRUE(broken(std::string(kYaml) + "solver: {order: 3, cfl: 0.5}\n").empty());
    expect(std::string(kYaml) + "solver: {order: 3, cfl: 0.95}\n", "solver.cfl",
           "must be at most 0.5 at order 3");
    expect(std::string(kYaml) + "solver: {order: 7, cfl: 0.5}\n", "solver.cfl",
           "must be at most 0.4 at order 7");
}

TEST_F(SeismicWavesFile, MomentsInTheAxesOfCmtSolutionsAreNamed) {
    expect("moment: {xy_n_m: 1e18}", "moment: {rr_n_m: 1e18}", "sources[0].moment.rr_n_m",
           "zz = Mrr");
}

TEST_F(SeismicWavesFile, ExamplesAndTheirPageAreValid) {
    const fs::path docs = fs::path(KANAME_SOURCE_DIR) / "docs";
    for (const char* name : {"loh1", "ground_motion"}) {
        EXPECT_NO_THROW((void)seismic_waves_kind().load(docs / "examples" / name /
                                                        (std::string(name) + ".yaml")))
            << name;
    }
    const std::string page = read_text_file(docs / "user/seismic.md"), fence = "```yaml\n";
    int blocks = 0;
    for (std::size_t at = 0; (at = page.find(fence, at)) != std::string::npos;) {
        at += fence.size();
        const std::string block = page.substr(at, page.find("```", at) - at);
        if (block.starts_with("schema: kaname.v1.SeismicWaves")) {
            EXPECT_NO_THROW((void)load(block)) << block;
            ++blocks;
        }
    }
    EXPECT_EQ(blocks, 2);
}

}  // namespace
}  // namespace kaname::request::seismic_waves_test
