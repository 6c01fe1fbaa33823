// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include <gtest/gtest.h>

#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/voxel_fem/load_voxel_waves.hpp"
#include "solvers/base/files.hpp"

namespace kaname::request::voxel_waves_test {
namespace {

namespace fs = std::filesystem;

const char* const kYaml = R"(schema: kaname.v1.VoxelWaves
name: block
model:
  size_x_mm: 40
  size_y_mm: 20
  size_z_mm: 30
  spacing_mm: 2
  materials:
    - {name: concrete, vp_m_per_s: 4200, vs_m_per_s: 2500, density_kg_per_m3: 2300}
    - {name: steel, vp_m_per_s: 5900, vs_m_per_s: 3200, density_kg_per_m3: 7850}
  fill: concrete
  shapes:
    - {material: steel, cylinder: {axis: y, centre: {x_mm: 20, z_mm: 10}, radius_mm: 6}}
sources:
  - {id: A, at: {x_mm: 10, y_mm: 10, z_mm: 30}, force: {z_n: 1}, time_function: {kind: ricker, frequency_khz: 60}}
  - {id: B, at: {x_mm: 20, y_mm: 10, z_mm: 30}, moment: {xy_n_m: 1}, time_function: {kind: gaussian, width_us: 4}}
receivers:
  - {id: P1, at: {x_mm: 30, y_mm: 10, z_mm: 30}}
time: {end_us: 50}
)";

class VoxelWavesFile : public testing::Test {
protected:
    /// kYaml with `old` in place of `now`.
    std::string with(const std::string& old, const std::string& now) const {
        std::string text = kYaml;
        const std::size_t at = text.find(old);
        EXPECT_NE(at, std::string::npos) << old;
        return text.replace(at, old.size(), now);
    }
    std::unique_ptr<Request> load(const std::string& text) const {
        write_file(folder_.path() / "spec.yaml", text);
        return voxel_waves_kind().load(folder_.path() / "spec.yaml");
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
    void expect(const std::string& old, const std::string& now, const std::string& field,
                const std::string& rule) const {
        const std::vector<std::string> found = broken(with(old, now));
        ASSERT_FALSE(found.empty()) << now;
        EXPECT_EQ(found.size(), 1U) << now << " " << found[1];
        EXPECT_NE(found[0].find(field + ": "), std::string::npos) << found[0];
        EXPECT_NE(found[0].find(rule), std::string::npos) << found[0];
    }

    TemporaryFolder folder_;
};

TEST_F(VoxelWavesFile, FillsInDefaultsAndKnowsUnits) {
    const auto request = load(kYaml);
    const auto& waves = dynamic_cast<const v1::VoxelWaves&>(request->message());
    EXPECT_DOUBLE_EQ(waves.model().size_x_m(), 0.04);
    EXPECT_DOUBLE_EQ(waves.sources(0).time_function().frequency_hz(), 60e3);
    EXPECT_DOUBLE_EQ(waves.sources(1).time_function().width_s(), 4e-6);
    EXPECT_EQ(waves.solver().element(), "ovfem");
    EXPECT_EQ(waves.solver().product(), "walsh");
    EXPECT_EQ(waves.solver().precision(), "double");
    EXPECT_FALSE(waves.has_absorbing());
    EXPECT_EQ(request->describe().physics, "waves");
}

TEST_F(VoxelWavesFile, ATaskForEachSourceAndOneForTheDataset) {
    const TaskGraph graph = load(kYaml)->graph();
    ASSERT_EQ(graph.tasks.size(), 3U);
    EXPECT_EQ(graph.n_sources(), 2U);
    EXPECT_EQ(graph.tasks[0].label, "A");
    EXPECT_EQ(graph.tasks[0].compat_key, graph.tasks[1].compat_key);
    EXPECT_NE(graph.tasks[0].key, graph.tasks[1].key);
    EXPECT_TRUE(graph.tasks[0].session);
    EXPECT_EQ(graph.tasks[2].gathers,
              (std::vector<std::string>{graph.tasks[0].key, graph.tasks[1].key}));
}

TEST_F(VoxelWavesFile, KeysFollowWhatIsComputed) {
    const TaskGraph graph = load(kYaml)->graph();
    const auto other = [&](const std::string& old, const std::string& now) {
        return load(with(old, now))->graph();
    };
    const TaskGraph renamed = other("name: block", "name: other");
    EXPECT_EQ(renamed.tasks[0].key, graph.tasks[0].key);
    const TaskGraph written = other("x_mm: 10,", "x_cm: 1,");
    EXPECT_EQ(written.tasks[2].key, graph.tasks[2].key) << "the same lengths in other units";
    const TaskGraph moved = other("at: {x_mm: 20, y_mm: 10, z_mm: 30}, moment",
                                  "at: {x_mm: 22, y_mm: 10, z_mm: 30}, moment");
    EXPECT_EQ(moved.tasks[0].key, graph.tasks[0].key) << "another source";
    EXPECT_NE(moved.tasks[1].key, graph.tasks[1].key);
    EXPECT_NE(moved.tasks[2].key, graph.tasks[2].key);
    for (const char* end : {"time: {end_us: 60}", "time: {end_us: 50, every: 2}"}) {
        EXPECT_NE(other("time: {end_us: 50}", end).tasks[0].key, graph.tasks[0].key) << end;
    }
    EXPECT_NE(other("radius_mm: 6", "radius_mm: 5").tasks[0].key, graph.tasks[0].key);
    EXPECT_EQ(load(std::string(kYaml) + "output: {checkpoint: none}\n")->graph().tasks[0].key,
              graph.tasks[0].key);
}

TEST_F(VoxelWavesFile, NamesFieldValueAndRule) {
    expect("size_x_mm: 40", "size_x_mm: 41", "model.size_x_m", "whole number of voxels of 2");
    expect("spacing_mm: 2", "spacing_mm: -2", "model.spacing_m", "must be > 0, got -2");
    expect("density_kg_per_m3: 2300", "density_kg_per_m3: 0",
           "model.materials[0].density_kg_per_m3", "must be > 0");
    expect("vs_m_per_s: 2500", "vs_m_per_s: 4000", "model.materials[0].vp_m_per_s",
           "must exceed sqrt(4/3) vs");
    expect("fill: concrete", "fill: concret", "model.fill", "did you mean concrete?");
    expect("  fill: concrete\n", "", "model.fill", "exactly one of");
    expect("material: steel", "material: steal", "model.shapes[0].material", "did you mean steel?");
    expect("axis: y", "axis: w", "cylinder.axis", "must be x, y or z");
    expect("radius_mm: 6", "radius_mm: 0", "cylinder.radius_m", "must be > 0");
    expect("centre: {x_mm: 20,", "centre: {lon_deg: 1, x_mm: 20,", "cylinder.centre.lon_deg",
           "must be x_m, y_m and z_m in a shape");
    expect("cylinder: {axis: y, centre: {x_mm: 20, z_mm: 10}, radius_mm: 6}",
           "box: {from: {z_mm: 20}, to: {z_mm: 10}}", "box.from.z_m", "must be < the other end");
    expect("id: B", "id: A", "sources[1].id", "must be unique");
    expect("force: {z_n: 1}", "force: {z_n: 0}", "sources[0]", "not 0");
    expect("at: {x_mm: 30, y_mm: 10, z_mm: 30}", "at: {x_mm: 30, y_mm: 10}", "receivers[0].at.z_m",
           "must be given");
    expect("kind: gaussian", "kind: gauss", "sources[1].time_function.kind",
           "brune, yoffe or smoothed_step, got 'gauss'");
    expect("end_us: 50", "end_us: 0", "time.end_s", "must be > 0");
    expect("end_us: 50", "end_us: 50, step_us: 60", "time.step_s", "at most end = 50, got 60");
}

TEST_F(VoxelWavesFile, RatesOfSlipHaveTheirUnits) {
    const std::string yoffe = "{kind: yoffe, rise_time_us: 4, smoothing_us: 0.5, onset_us: 1}";
    const auto request = load(with("{kind: gaussian, width_us: 4}", yoffe));
    const auto& waves = dynamic_cast<const v1::VoxelWaves&>(request->message());
    const v1::TimeFunction& function = waves.sources(1).time_function();
    EXPECT_DOUBLE_EQ(function.rise_time_s(), 4e-6);
    EXPECT_DOUBLE_EQ(function.smoothing_s(), 5e-7);
    EXPECT_DOUBLE_EQ(function.onset_s(), 1e-6);
}

TEST_F(VoxelWavesFile, ChecksSchemesAndOutputs) {
    const auto more = [&](const std::string& lines) { return broken(kYaml + lines); };
    EXPECT_EQ(more("solver: {element: vfem}\n").size(), 0U);
    EXPECT_EQ(more("solver: {product: int8, stages: 4}\n").size(), 0U);
    EXPECT_EQ(more("solver: {element: vfem, product: walsh}\n").size(), 1U);
    EXPECT_EQ(more("solver: {product: int8, stages: 9}\n").size(), 1U);
    EXPECT_EQ(more("solver: {product: int8, precision: single}\n").size(), 1U);
    EXPECT_EQ(more("solver: {stages: 4}\n").size(), 1U);
    EXPECT_EQ(more("output: {snapshots_us: [10, 20], snapshot_stride: 2}\n").size(), 0U);
    EXPECT_EQ(more("output: {snapshots_us: [20, 10]}\n").size(), 1U);
    EXPECT_EQ(more("output: {snapshots_us: [60]}\n").size(), 1U);
    EXPECT_EQ(more("output: {snapshot_stride: 2}\n").size(), 1U);
    EXPECT_EQ(more("absorbing: {sides: [x_min, x_min]}\n").size(), 1U);
    EXPECT_EQ(more("absorbing: {}\n").size(), 1U);
    EXPECT_EQ(more("fixed: [bottom_corners, z_max]\n").size(), 0U);
    EXPECT_EQ(more("damping: {ratio: 0.01, from_khz: 100, to_khz: 50}\n").size(), 1U);
    EXPECT_EQ(more("damping: {from_khz: 10, to_khz: 50}\n").size(), 1U);
}

TEST_F(VoxelWavesFile, APartOfTheEarthTakesItsStructure) {
    const std::string earth = R"(
region: {centre_lon_deg: 140, centre_lat_deg: 36, size_east_km: 4, size_north_km: 2, depth_km: 3}
structure:
  materials:
    - {name: soil, vp_m_per_s: 1500, vs_m_per_s: 600, density_kg_per_m3: 1900}
    - {name: rock, vp_m_per_s: 5000, vs_m_per_s: 2900, density_kg_per_m3: 2600}
  layers:
    - {material: soil, bottom_depth_m: 500}
    - {material: rock}
)";
    std::string text = R"(schema: kaname.v1.VoxelWaves
name: basin
model: {spacing_m: 100}
sources:
  - {id: A, at: {lon_deg: 140.01, lat_deg: 36, depth_km: 2}, moment: {xy_n_m: 1e12}, time_function: {kind: ricker, frequency_hz: 2}}
receivers:
  - {id: P1, at: {lon_deg: 139.99, lat_deg: 36.001}}
time: {end_s: 2}
)";
    const auto request = load(text + earth);
    const auto& waves = dynamic_cast<const v1::VoxelWaves&>(request->message());
    EXPECT_EQ(waves.model().size_x_m(), 4000.0);
    EXPECT_EQ(waves.model().size_z_m(), 3000.0) << "to sea level";
    ASSERT_TRUE(request->describe().place);
    const std::vector<std::string> alone = broken(text);
    ASSERT_FALSE(alone.empty()) << "places on the globe without a region";
    std::string fluid = earth;
    fluid.replace(fluid.find(", density_kg_per_m3: 1900"), 25, "");
    EXPECT_FALSE(broken(text + fluid).empty());
    EXPECT_EQ(broken(text + earth + "fixed: [z_min]\n").size(), 0U);
}

TEST_F(VoxelWavesFile, ASlipModelStandsAloneOnTheGlobeAndItsFileTravels) {
    const std::string source =
        "sources: [{id: A, rupture: {file: slip.csv, start_s: 1, rate: cosine}}]\n";
    const std::string text =
        "schema: kaname.v1.VoxelWaves\nname: slip\nmodel: {spacing_m: 100}\nregion: "
        "{centre_lon_deg: 140, centre_lat_deg: 36, size_east_km: 4, size_north_km: 2, depth_km: "
        "3}\nstructure: {materials: [{name: rock, vp_m_per_s: 5000, vs_m_per_s: 2900, "
        "density_kg_per_m3: 2600}], layers: [{material: rock}]}\nreceivers: [{id: P, at: "
        "{lon_deg: 140, lat_deg: 36}}]\ntime: {end_s: 2}\n";
    write_file(folder_.path() / "slip.csv", "any text: it is read later");
    const auto request = load(text + source);
    auto waves = dynamic_cast<const v1::VoxelWaves&>(request->message());
    EXPECT_EQ(waves.sources(0).rupture().scale(), 1.0);
    int files = 0;
    for_each_file(waves, [&](v1::File& file, const std::string& field) {
        ++files;
        EXPECT_EQ(field, "sources[0].rupture.file");
        EXPECT_EQ(file.sha256().size(), 64U);
    });
    EXPECT_EQ(files, 1);
    const std::string key = request->graph().tasks[0].key;
    write_file(folder_.path() / "slip.csv", "another text");
    EXPECT_NE(load(text + source)->graph().tasks[0].key, key) << "what the file says counts";

    const auto only = [&](const std::string& old, const std::string& now) {
        std::string changed = text + source;
        changed.replace(changed.find(old), old.size(), now);
        const std::vector<std::string> found = broken(changed);
        return found.empty() ? "" : found[0];
    };
    EXPECT_NE(only("rupture:", "force: {z_n: 1}, rupture:").find("rupture: must stand alone"),
              std::string::npos);
    EXPECT_NE(only("start_s: 1", "start_s: 3").find("rupture.start_s: must be in 0..2"),
              std::string::npos);
    expect(
        "at: {x_mm: 20, y_mm: 10, z_mm: 30}, moment: {xy_n_m: 1}, time_function: {kind: "
        "gaussian, width_us: 4}",
        "rupture: {file: slip.csv}", "sources[1].rupture", "must have a region");
}

TEST_F(VoxelWavesFile, ExamplesAndTheirPageAreValid) {
    const fs::path docs = fs::path(KANAME_SOURCE_DIR) / "docs";
    for (const char* name : {"rebar", "voxel_layers"}) {
        EXPECT_NO_THROW(
            (void)voxel_waves_kind().load(docs / "examples" / name / (std::string(name) + ".yaml")))
            << name;
    }

    const TemporaryFolder folder;
    write_file(folder.path() / "rock.nc", "grid");
    const std::string page = read_text_file(docs / "user/waves.md"), fence = "```yaml\n";
    int blocks = 0;
    for (std::size_t at = 0; (at = page.find(fence, at)) != std::string::npos;) {
        at += fence.size();
        const std::string block = page.substr(at, page.find("```", at) - at);
        if (block.starts_with("schema: kaname.v1.VoxelWaves")) {
            write_file(folder.path() / "block.yaml", block);
            EXPECT_NO_THROW((void)voxel_waves_kind().load(folder.path() / "block.yaml")) << block;
            ++blocks;
        }
    }
    EXPECT_EQ(blocks, 3);
}

}  // namespace
}  // namespace kaname::request::voxel_waves_test
