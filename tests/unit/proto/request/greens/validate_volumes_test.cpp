// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::validate_volumes_test {
namespace {

using namespace examples;

/// Violations after one change to the example's text.
std::string after(const std::string& from, const std::string& to) {
    return lines(validate(read_yaml(with(kVolumesYaml, from, to))));
}

TEST(ValidateVolumes, TheExampleIsValidBeforeAndAfterItsDefaults) {
    v1::GreensBatch batch = read_yaml(kVolumesYaml);

    EXPECT_EQ(lines(validate(batch)), "");
    fill_defaults(batch);
    EXPECT_EQ(lines(validate(batch)), "");
    EXPECT_EQ(batch.structure().volumes(3).profile().steps(), kDefaultProfileSteps);
    EXPECT_EQ(batch.fault().interface().min_depth_m(), 0.0);
}

TEST(ValidateVolumes, UnitsOfTheExampleBecomeMetres) {
    const v1::GreensBatch batch = read_yaml(kVolumesYaml);

    EXPECT_EQ(batch.structure().surfaces(2).max_depth_m(), 100e3);
    EXPECT_EQ(batch.structure().surfaces(3).thickness_m(), 7e3);
    EXPECT_EQ(batch.structure().volumes(0).size_m(), 20e3);
    EXPECT_EQ(batch.mesh().sizes_by_depth(1).size_m(), 30e3);
    EXPECT_EQ(batch.structure().surfaces(0).file().path(), "gebco.asc");
}

TEST(ValidateVolumes, LayersAndVolumesExcludeEachOther) {
    EXPECT_EQ(after("  free_surface: topography\n",
                    "  free_surface: topography\n  layers: [{material: oc}]\n"),
              "structure.layers: must be absent: the structure has surfaces and volumes\n");
}

TEST(ValidateVolumes, ASurfaceComesFromOnePlace) {
    EXPECT_EQ(after("depth_km: 15}", "depth_km: 15, file: a.grd}"),
              "structure.surfaces[4]: must have exactly one of file, depth_m and below\n");
    EXPECT_EQ(after("name: conrad, depth_km: 15", "name: conrad"),
              "structure.surfaces[4]: must have exactly one of file, depth_m and below\n");
    EXPECT_EQ(after("depth_km: 15}", "depth_km: 15, unit: m, smoothing_length_km: 3}"),
              "structure.surfaces[4].unit: must be absent without file\n"
              "structure.surfaces[4].smoothing_length_m: must be absent without file\n");
    EXPECT_EQ(after("unit: m", "unit: feet"),
              "structure.surfaces[0].unit: must be m or km, got 'feet'\n");
    EXPECT_EQ(after("depth_km: 15}", "depth_km: 400}"),
              "structure.surfaces[4].depth_m: must be in -10000..300000, got 400000\n");
}

TEST(ValidateVolumes, LimitsOfAFileComeInPairs) {
    EXPECT_EQ(after("min_depth_km: 5, ", ""), "structure.surfaces[2].min_depth_m: must be given\n");
    EXPECT_EQ(after("max_depth_km: 100", "max_depth_km: 4"),
              "structure.surfaces[2].max_depth_m: must be > min_depth_m = 5000, got 4000\n");
    EXPECT_EQ(after("max_depth_km: 100", "max_depth_km: 300"),
              "structure.surfaces[2].max_depth_m: must be < region.depth_m = 300000, got 300000\n");
}

TEST(ValidateVolumes, NamesAreUniqueAndKnown) {
    EXPECT_EQ(after("name: conrad", "name: moho"),
              "structure.surfaces[4].name: must be unique, got 'moho' as in "
              "structure.surfaces[1]\n"
              "structure.volumes[2].bottom: must name one of structure.surfaces, got 'conrad'\n");
    EXPECT_EQ(after("bottom: slab-moho", "bottom: slab-mojo"),
              "structure.volumes[0].bottom: must name one of structure.surfaces, got 'slab-mojo'; "
              "did you mean slab-moho?\n");
    EXPECT_EQ(after("material: oc", "material: od"),
              "structure.volumes[0].material: must name one of structure.materials, got 'od'; did "
              "you mean oc?\n");
    EXPECT_EQ(after("free_surface: topography", "free_surface: topografy"),
              "structure.free_surface: must name one of structure.surfaces, got 'topografy'; "
              "did you mean topography?\n");
    EXPECT_EQ(after("- {name: lid", "- {name: crust"),
              "structure.volumes[2].name: must be unique, got 'crust' as in "
              "structure.volumes[1]\n");
    EXPECT_EQ(after("- {name: lid", "- {name: The lid"),
              "structure.volumes[2].name: must be 1 to 63 lower-case letters, digits, '-' and '_', "
              "beginning with a letter or digit, got 'The lid'\n");
}

TEST(ValidateVolumes, ACircleOfSurfacesIsToldOnce) {
    EXPECT_EQ(after("name: slab-top, file: slab2.grd, min_depth_km: 5, max_depth_km: 100, "
                    "smoothing_length_km: 10",
                    "name: slab-top, below: slab-moho, thickness_km: 1"),
              "structure.surfaces[2].below: must not lead back to the surface itself, got "
              "'slab-moho'\n");
    EXPECT_EQ(after("below: slab-top, thickness_km: 7", "below: slab-moho, thickness_km: 0"),
              "structure.surfaces[3].thickness_m: must be > 0, got 0\n"
              "structure.surfaces[3].below: must not lead back to the surface itself, got "
              "'slab-moho'\n");
}

TEST(ValidateVolumes, OnlyTheLastVolumeHasNoBounds) {
    EXPECT_EQ(after("name: lid, bottom: conrad", "name: lid"),
              "structure.volumes[2]: must have top, bottom or both: only the last volume has "
              "none\n");
    EXPECT_EQ(after("- {name: mantle, profile", "- {name: mantle, top: moho, profile"),
              "structure.volumes[3]: must have neither top nor bottom: the last volume is what the "
              "others leave\n");
    EXPECT_EQ(after("bottom: slab-moho, size", "bottom: slab-top, size"),
              "structure.volumes[0].bottom: must be another surface than top, got 'slab-top'\n");
    EXPECT_EQ(after("name: lid, bottom: conrad", "name: lid, bottom: topography"),
              "structure.volumes[2].bottom: must not be the free surface, got 'topography'\n");
}

TEST(ValidateVolumes, AVolumeIsFilledInOneWay) {
    EXPECT_EQ(after("material: oc, ", ""),
              "structure.volumes[0]: must have exactly one of material, profile and columns\n");
    EXPECT_EQ(after("name: mantle, profile: ", "name: mantle, material: oc, profile: "),
              "structure.volumes[3]: must have exactly one of material, profile and columns\n");
    EXPECT_EQ(after(", layer: upper_crust, viscosity_pa_s: 1e25", ", viscosity_pa_s: 0"),
              "structure.volumes[1].columns.layer: must be given\n"
              "structure.volumes[1].columns.viscosity_pa_s: must be > 0, got 0\n");
    EXPECT_EQ(after("file: prem.nd, ", "steps: 2000, "),
              "structure.volumes[3].profile.file: must name a file\n"
              "structure.volumes[3].profile.steps: must be in 0..1000, got 2000\n");
}

TEST(ValidateVolumes, VolumesMayHaveAllMaterialsFromFiles) {
    v1::GreensBatch batch = read_yaml(kVolumesYaml);
    v1::Structure& structure = *batch.mutable_structure();
    structure.clear_materials();
    structure.mutable_volumes()->DeleteSubrange(0, 1);
    structure.mutable_volumes()->DeleteSubrange(1, 1);

    EXPECT_EQ(lines(validate(batch)), "");
}

TEST(ValidateVolumes, SurfacesNeedVolumes) {
    v1::GreensBatch batch = read_yaml(kVolumesYaml);
    batch.mutable_structure()->clear_volumes();

    EXPECT_EQ(lines(validate(batch)), "structure.volumes: must have at least one volume\n");
}

TEST(ValidateVolumes, SizesStayBelowTheLargest) {
    EXPECT_EQ(after("size_at_surface_km: 20", "size_at_surface_km: 70"),
              "mesh.size_at_surface_m: must not exceed size_far_m = 60000, got 70000\n");
    EXPECT_EQ(after("size_at_stations_km: 10", "size_at_stations_km: -1"),
              "mesh.size_at_stations_m: must be >= 0, got -1000\n");
    EXPECT_EQ(after("size_km: 20}", "size_km: 80}"),
              "structure.volumes[0].size_m: must not exceed mesh.size_far_m = 60000, got 80000\n");
}

TEST(ValidateVolumes, SizesByDepthGrow) {
    EXPECT_EQ(after("{depth_km: 100, size_km: 30}", "{depth_km: 30, size_km: 30}"),
              "mesh.sizes_by_depth[1].depth_m: must be > 40000, that of the entry before, got "
              "30000\n");
    EXPECT_EQ(after("{depth_km: 100, size_km: 30}", "{depth_km: 100, size_km: 10}"),
              "mesh.sizes_by_depth[1].size_m: must be > 15000, that of the entry before, which it "
              "would undo; got 10000\n");
    EXPECT_EQ(after("{depth_km: 40, size_km: 15}", "{size_km: 15}"),
              "mesh.sizes_by_depth[0].depth_m: must be given\n");
}

TEST(ValidateVolumes, TheInterfaceIsASurfaceOfTheStructure) {
    EXPECT_EQ(after("of: slab-top", "of: slab"),
              "fault.interface.of: must name one of structure.surfaces, not the free one, got "
              "'slab'\n");
    EXPECT_EQ(after("of: slab-top", "of: topography"),
              "fault.interface.of: must name one of structure.surfaces, not the free one, got "
              "'topography'\n");
    EXPECT_EQ(after("of: slab-top", "surface: slab2.grd\n    max_depth_km: 100"),
              "fault.interface.of: must name one of structure.surfaces: the structure has "
              "volumes\n");
    EXPECT_EQ(after("of: slab-top", "of: slab-top\n    min_depth_km: 8\n    top: surface"),
              "fault.interface.min_depth_m: must be absent: structure.surfaces says it of "
              "'slab-top'\n"
              "fault.interface.top: must be absent: structure.surfaces says it of 'slab-top'\n");
}

TEST(ValidateVolumes, APlaneInVolumesMayBeShallow) {
    v1::GreensBatch batch = read_yaml(kVolumesYaml);
    *batch.mutable_fault() = plane_batch().fault();
    batch.mutable_fault()->mutable_plane()->set_dip_deg(5.0);

    EXPECT_EQ(lines(validate(batch)), "");
    batch.mutable_fault()->mutable_plane()->set_dip_deg(0.5);
    EXPECT_EQ(lines(validate(batch)), "fault.plane.dip_deg: must be in 1..90, got 0.5\n");
}

TEST(ValidateVolumes, LayersMayBeKeptButNotThickerOnesLost) {
    v1::GreensBatch batch = read_yaml(kVolumesYaml);
    batch.mutable_mesh()->set_thinnest_layer(0.0);
    EXPECT_EQ(lines(validate(batch)), "");
    batch.mutable_mesh()->set_thinnest_layer(0.6);
    EXPECT_EQ(lines(validate(batch)), "mesh.thinnest_layer: must be in 0..0.5, got 0.6\n");
}

TEST(ValidateVolumes, LayersAreMeshedAsVolumesAndTakeTheirSizes) {
    v1::GreensBatch batch = plane_batch();
    batch.mutable_mesh()->set_size_at_surface_m(1e4);
    batch.mutable_mesh()->set_max_elements(1000);
    EXPECT_EQ(lines(validate(batch)), "");
    batch.mutable_mesh()->set_size_at_surface_m(1e9);
    EXPECT_NE(lines(validate(batch)).find("mesh.size_at_surface_m"), std::string::npos);

    batch = read_yaml(with(kInterfaceYaml, "surface: slab.csv", "surface: slab.csv\n    of: moho"));
    EXPECT_EQ(lines(validate(batch)),
              "fault.interface.of: must be absent: it is for a structure of volumes\n");
}

TEST(ValidateVolumes, AMeshFileHasVolumesOfItsOwn) {
    v1::GreensBatch batch = read_yaml(kMeshYaml);
    batch.mutable_structure()->add_surfaces()->set_name("moho");
    batch.mutable_structure()->add_volumes()->set_name("crust");
    batch.mutable_mesh()->set_size_at_stations_m(1e3);

    EXPECT_EQ(lines(validate(batch)),
              "structure.surfaces: must be absent: mesh.file says it\n"
              "structure.volumes: must be absent: mesh.file says it\n"
              "mesh.size_at_stations_m: must be absent: mesh.file says it\n");
}

}  // namespace
}  // namespace kaname::request::validate_volumes_test
