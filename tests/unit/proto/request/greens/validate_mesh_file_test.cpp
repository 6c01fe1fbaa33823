// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "proto/request/form/json.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::validate_mesh_file_test {
namespace {

using namespace examples;

std::string after(const std::string& from, const std::string& to) {
    return lines(validate(read_yaml(with(kMeshYaml, from, to))));
}

TEST(ValidateMeshFile, GoodOnesPassBeforeAndAfterDefaults) {
    v1::GreensBatch batch = read_yaml(kMeshYaml);
    EXPECT_EQ(lines(validate(batch)), "");

    fill_defaults(batch);

    EXPECT_EQ(lines(validate(batch)), "");
    EXPECT_EQ(batch.mesh().top(), "top");
    EXPECT_FALSE(batch.boundaries().has_west());
    EXPECT_EQ(batch.fault().mesh().surfaces(1).name(), "splay");
}

TEST(ValidateMeshFile, WhatDescribesAMadeMeshMustBeAbsent) {
    EXPECT_EQ(after("{crs: none}", "{crs: none, depth_km: 3, azimuth_deg: 3}"),
              "region.depth_m: must be absent: mesh.file says it\n"
              "region.azimuth_deg: must be absent: mesh.file says it\n");
    EXPECT_EQ(after("{file: model.msh}", "{file: model.msh, size_far_km: 3}"),
              "mesh.size_far_m: must be absent: mesh.file says it\n");
    EXPECT_EQ(after("mesh: {file", "  layers: [{material: crust}]\nmesh: {file"),
              "structure.layers: must be absent: mesh.file says it\n");
    EXPECT_EQ(after("boundaries:\n", "boundaries:\n  west: fixed\n"),
              "boundaries.west: must be absent: with mesh.file, conditions are those of "
              "boundaries.surfaces\n");
}

TEST(ValidateMeshFile, PlacesAreThoseOfTheRegion) {
    EXPECT_EQ(after("{crs: none}", "{crs: utm}"), "region.crs: must be none, got 'utm'\n");
    EXPECT_EQ(
        after("{crs: none}", "{crs: none, centre_lon_deg: 3}"),
        "region.centre_lon_deg: must be absent, as must the latitude: region.crs is 'none'\n");
    EXPECT_EQ(after("x_km: -5, y_km: 0", "x_km: -5"), "stations.list[0].y_m: must be given\n");
    EXPECT_EQ(after("x_km: -5, y_km: 0", "x_km: -5, y_km: 0, lon_deg: 3"),
              "stations.list[0]: must have x_m and y_m alone: region.crs is none\n");
    EXPECT_EQ(after("{crs: none}", "{centre_lon_deg: 3, centre_lat_deg: 4}"),
              "stations.list[0].lon_deg: must be given\n"
              "stations.list[0].lat_deg: must be given\n"
              "stations.list[0]: must have lon_deg and lat_deg alone: x_m and y_m are for "
              "region.crs none\n");
}

TEST(ValidateMeshFile, SourcesNameSurfacesAndFiles) {
    EXPECT_EQ(after("slip: [{surface: slab, file: slab.csv, reach_km: 2}]",
                    "slip: [{file: slab.csv, reach_km: -2}]"),
              "fault.mesh.sources[0].slip[0].reach_m: must be >= 0, got -2000\n"
              "fault.mesh.sources[0].slip[0].surface: must be slab or splay, got ''\n");
    EXPECT_EQ(after("[{surface: slab, file: slab.csv}, {surface: splay", "[{surface: slap"),
              "fault.mesh.sources[1].slip[0].surface: must be slab or splay, got 'slap'; did you "
              "mean slab?\n");
    EXPECT_EQ(
        after("{name: slab, slip", "{name: Slab, slip"),
        "fault.mesh.sources[0].name: must be 1 to 63 of a-z 0-9 - _ . and begin with a letter "
        "or digit, got 'Slab'\n");
    EXPECT_EQ(after("name: both", "name: slab"),
              "fault.mesh.sources[1].name: must be unique, got 'slab'\n");
    EXPECT_EQ(after("{surface: splay, file", "{surface: slab, file"),
              "fault.mesh.sources[1].slip[1].surface: must be unique within the source, got "
              "'slab'\n");
    EXPECT_EQ(after(", splay]", "]"),
              "fault.mesh.sources[1].slip[1].surface: must be slab, got 'splay'; did you mean "
              "slab?\n");
}

TEST(ValidateMeshFile, ConditionsHoldTheModel) {
    EXPECT_EQ(after("kind: fixed}", "kind: fixed, fixed: [up]}"),
              "boundaries.surfaces[0]: must have one of kind and fixed, got both\n"
              "boundaries.surfaces[0].fixed[0]: must not name up: kind fixed of this side says it "
              "already\n");
    EXPECT_EQ(after("fixed: [east, north]}", "fixed: [east, depth]}"),
              "boundaries.surfaces[1].fixed[1]: must be east, north or up, got 'depth'\n");
    EXPECT_EQ(after("    - {name: bottom, kind: fixed}\n    - {name: sides, fixed: [east, north]}",
                    "    - {name: bottom, kind: free}"),
              "boundaries.surfaces: leave the model free to move: fix a surface, or components on "
              "several\n");
}

TEST(ValidateMeshFile, NothingOfItBesideAMadeMesh) {
    v1::GreensBatch batch = plane_batch();
    batch.mutable_mesh()->set_top("ground");
    batch.mutable_boundaries()->add_surfaces()->set_name("bottom");

    const std::string found = lines(validate(batch));

    for (const char* field : {"mesh.top", "boundaries.surfaces"}) {
        EXPECT_NE(found.find(std::string(field) + ": must be absent without mesh.file"),
                  std::string::npos)
            << found;
    }
    batch = plane_batch();
    batch.mutable_fault()->mutable_mesh();
    EXPECT_EQ(lines(validate(batch)), "fault.mesh: must be absent without mesh.file\n");
}

TEST(ValidateMeshFile, AProjectionOfTheUsersOwnIsTheOnlyMistakeThatIsNamed) {
    v1::GreensBatch batch = plane_batch();
    batch.mutable_region()->Clear();
    batch.mutable_region()->set_crs("EPSG:32718");
    batch.mutable_mesh()->Clear();

    EXPECT_EQ(lines(validate(batch)),
              "region.crs: must be left out without mesh.file: places are WGS84 degrees, and the "
              "projection is chosen about the region's centre; got 'EPSG:32718'\n");
}

class MeshFiles : public ::testing::Test {
protected:
    MeshFiles() {
        folder_.write("model.msh", "mesh");
        folder_.write("slab.csv", "slab");
        folder_.write("splay.csv", "splay");
    }
    Plan plan(const std::string& yaml = kMeshYaml) {
        return make_plan(load_batch_file(folder_.write("spec.yaml", yaml)));
    }
    Folder folder_;
};

TEST_F(MeshFiles, AreAmongTheFilesOfTheBatch) {
    const LoadedBatch loaded = load_batch_file(folder_.write("spec.yaml", kMeshYaml));
    std::vector<std::string> fields;
    v1::GreensBatch batch = loaded.batch;
    for_each_file(batch, [&](v1::File&, const std::string& field) { fields.push_back(field); });

    EXPECT_EQ(fields,
              (std::vector<std::string>{"fault.mesh.sources[0].slip[0].file",
                                        "fault.mesh.sources[1].slip[0].file",
                                        "fault.mesh.sources[1].slip[1].file", "mesh.file"}));
    EXPECT_TRUE(loaded.stations.at(0).plain);
    EXPECT_EQ(loaded.stations[0].x_m, -5000.0);
}

TEST_F(MeshFiles, SourcesAreKnownByTheirTables) {
    const Plan before = plan();
    ASSERT_EQ(before.sources.size(), 2u);
    EXPECT_EQ(before.sources[1].id, "both");

    folder_.write("splay.csv", "other slip");
    const Plan other_slip = plan();
    folder_.write("model.msh", "other mesh");
    const Plan other_mesh = plan();

    EXPECT_EQ(other_slip.mesh_key, before.mesh_key);
    EXPECT_EQ(other_slip.compat_key, before.compat_key);
    EXPECT_EQ(other_slip.sources[0].key, before.sources[0].key);
    EXPECT_NE(other_slip.sources[1].key, before.sources[1].key);
    EXPECT_NE(other_mesh.mesh_key, before.mesh_key);
    EXPECT_NE(other_mesh.sources[0].key, before.sources[0].key);
}

TEST_F(MeshFiles, StationsInsideAreHeldByResults) {
    const Plan before = plan();

    EXPECT_EQ(plan(with(kMeshYaml, "x_km: -5", "x_km: 4")).compat_key, before.compat_key);
    EXPECT_NE(plan(with(kMeshYaml, "y_km: 0}", "y_km: 0, depth_km: 0}")).compat_key,
              before.compat_key);
}

TEST_F(MeshFiles, StationFilesHaveTheColumnsOfTheRegion) {
    folder_.write("s.csv", "station,x_km,y_m,depth_m\nB,1.5,20,\n");
    const std::string yaml =
        with(kMeshYaml, "  list:\n    - {id: A, x_km: -5, y_km: 0}", "  files: [s.csv]");

    const LoadedBatch loaded = load_batch_file(folder_.write("spec.yaml", yaml));
    const std::string projected = error_of([&] {
        return load_batch_file(folder_.write(
            "p.yaml", with(yaml, "{crs: none}", "{centre_lon_deg: 3, centre_lat_deg: 4}")));
    });

    ASSERT_EQ(loaded.stations.size(), 1u);
    EXPECT_EQ(loaded.stations[0].x_m, 1500.0);
    EXPECT_EQ(loaded.stations[0].y_m, 20.0);
    EXPECT_NE(projected.find("s.csv:2: must have lon_deg and lat_deg: x_m and y_m are for "
                             "region.crs none"),
              std::string::npos)
        << projected;
}

}  // namespace
}  // namespace kaname::request::validate_mesh_file_test
