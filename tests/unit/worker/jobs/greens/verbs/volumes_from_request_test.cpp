// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/jobs/frame/from_request.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::compute::volumes_from_request_test {
namespace {

const std::string kData = std::string(KANAME_SOURCE_DIR) + "/tests/e2e/data/";

/// tests/e2e/data/tiny_volumes.yaml with its files beside it.
class TinyVolumes : public testing::Test {
protected:
    TinyVolumes() {
        std::ofstream slab(folder_.path() / "slab.csv");
        slab << "lon_deg,lat_deg,depth_km\n";
        std::ofstream ground(folder_.path() / "ground.csv");
        ground << "lon_deg,lat_deg,elevation_m\n";
        for (int j = 0; j <= 8; ++j) {
            for (int i = 0; i <= 8; ++i) {
                const double lon = 133.0 + 0.5 * i;
                const double lat = 32.0 + 0.5 * j;
                slab << lon << ',' << lat << ',' << 8 + 5.0 * j << '\n';
                ground << lon << ',' << lat << ',' << 100 * i << '\n';
            }
        }
    }
    /// The job after `change` of the text.
    jobs::GreensJob job(const std::string& from = "", const std::string& to = "") const {
        std::string text = read_file_if_any(kData + "tiny_volumes.yaml");
        if (!from.empty()) {
            const std::size_t at = text.find(from);
            EXPECT_NE(at, std::string::npos) << from;
            text.replace(at, from.size(), to);
        }
        write_file(folder_.path() / "job.yaml", text);
        return job_from_request(request::load_batch_file(folder_.path() / "job.yaml"), "{}");
    }
    /// tests/e2e/data/tiny_interface.yaml between two layers on either side.
    jobs::GreensJob interface_in_layers(const std::string& more = "") const {
        std::string text = read_file_if_any(kData + "tiny_interface.yaml");
        const std::string depth = "    max_depth_km: 60\n";
        text.replace(text.find(depth), depth.size(), depth + "    " + more + "\n");
        write_file(folder_.path() / "spec.yaml", text);
        auto made = job_from_request(request::load_batch_file(folder_.path() / "spec.yaml"), "{}");
        for (const char* name : {"wedge", "slab", "mantle"}) {
            made.structure.materials.push_back(made.structure.materials[0]);
            made.structure.materials.back().name = name;
            made.structure.materials.back().viscosity_pa_s = 1e19;
        }
        made.structure.layers = {{0, 15e3}, {1, std::nullopt}};
        made.structure.below_interface = {{2, 7e3}, {3, std::nullopt}};
        return made;
    }

    TemporaryFolder folder_;
};

TEST_F(TinyVolumes, SurfacesAndVolumesBecomeTheModelsDescription) {
    const jobs::GreensJob made =
        job("growth: 0.6}",
            "growth: 0.6, size_at_surface_km: 20, size_at_stations_km: 5, max_elements: 70000, "
            "thinnest_layer: 0.25, "
            "sizes_by_depth: [{depth_km: 30, size_km: 25}]}");

    ASSERT_TRUE(made.volumes);
    const earth::VolumeLayout& layout = *made.volumes;
    ASSERT_EQ(layout.surfaces.size(), 4u);
    EXPECT_EQ(layout.surfaces[0].path, (folder_.path() / "ground.csv").string());
    EXPECT_EQ(layout.surfaces[1].depth_m, 30e3);
    EXPECT_TRUE(layout.surfaces[2].has_limits);
    EXPECT_EQ(layout.surfaces[2].max_depth_m, 60e3);
    EXPECT_FALSE(layout.surfaces[3].has_limits);
    EXPECT_EQ(layout.surfaces[3].below, "slab-top");
    EXPECT_EQ(layout.surfaces[3].thickness_m, 12e3);
    EXPECT_EQ(layout.surfaces[3].field, "structure.surfaces[3]");
    EXPECT_EQ(layout.free_surface, "ground");
    ASSERT_EQ(layout.volumes.size(), 3u);
    EXPECT_EQ(layout.volumes[0].top, "slab-top");
    EXPECT_EQ(layout.volumes[0].bottom, "slab-bottom");
    EXPECT_EQ(layout.volumes[2].material, 1);
    EXPECT_EQ(made.mesh.sizes.at_surface_m, 20e3);
    EXPECT_EQ(made.mesh.sizes.at_stations_m, 5e3);
    EXPECT_EQ(made.mesh.sizes.by_depth.at(0).size_m, 25e3);
    EXPECT_EQ(made.mesh.sizes.max_elements, 70000);
    EXPECT_EQ(made.mesh.sizes.thinnest_layer, 0.25);
    EXPECT_EQ(job().mesh.sizes.thinnest_layer, 0.1);
    EXPECT_EQ(std::get<jobs::InterfaceGeometry>(made.fault).of, "slab-top");
}

TEST_F(TinyVolumes, MaterialsThatNoVolumeUsesAreLeftOut) {
    const jobs::GreensJob made = job();

    ASSERT_EQ(made.volumes->materials.size(), 2u);
    EXPECT_EQ(made.volumes->materials[1].name, "mantle");
    EXPECT_EQ(made.volumes->materials[1].viscosity_pa_s, 6e18);
}

TEST_F(TinyVolumes, ProfilesAndColumnsAreReadWhereTheyAre) {
    write_file(folder_.path() / "prem.csv", "depth_km,vp,vs,density\n");
    const jobs::GreensJob made =
        job("- {name: mantle, material: mantle}",
            "- {name: mantle, profile: {file: prem.csv, viscosity_pa_s: 1e19}}");

    const earth::VolumeDefinition& mantle = made.volumes->volumes.at(2);
    EXPECT_EQ(mantle.profile_path, (folder_.path() / "prem.csv").string());
    EXPECT_EQ(mantle.steps, 20);
    EXPECT_EQ(mantle.viscosity_pa_s, 1e19);
    EXPECT_EQ(mantle.material, -1);
    EXPECT_EQ(made.volumes->materials.size(), 1u);
}

TEST_F(TinyVolumes, EveryStageHasTheModelsMaterials) {
    jobs::GreensJob made = job();
    EXPECT_THROW(jobs::JobGeometry{made}, Error);  // not before the files are read

    jobs::build_volumes(made);

    ASSERT_TRUE(made.volume_model);
    EXPECT_EQ(made.structure.materials.size(), made.volume_model->model->materials.size());
    EXPECT_EQ(made.structure.materials.at(0).name, "crust");
    EXPECT_EQ(made.structure.used_materials().size(), 2u);
    EXPECT_EQ(made.volume_model->model->size_u_m, 200e3);
    const jobs::JobGeometry geometry(made);
    EXPECT_TRUE(geometry.check().empty()) << geometry.check()[0].message;
    EXPECT_NEAR(geometry.domain().ground_m(0.0, 0.0), 400.0, 20.0);
}

TEST_F(TinyVolumes, WhatIsWrongWithAFileIsToldInTheFieldOfTheSpecification) {
    jobs::GreensJob made = job("file: ground.csv", "file: ground.csv, column: height_m");

    try {
        jobs::build_volumes(made);
        FAIL() << "not refused";
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().at(0).field, "structure.surfaces[0].file");
        EXPECT_NE(error.violations().at(0).message.find("height_m"), std::string::npos);
    }
}

TEST_F(TinyVolumes, LayersAroundAnInterfaceAreVolumesThatItCutsThrough) {
    jobs::GreensJob made = interface_in_layers();

    jobs::build_volumes(made);

    ASSERT_TRUE(made.volume_model);
    EXPECT_EQ(std::get<jobs::InterfaceGeometry>(made.fault).of, "interface");
    const earth::VolumeModel& model = *made.volume_model->model;
    ASSERT_EQ(model.surfaces.at(1).name, "interface");
    for (const double v : {-60e3, 0.0, 60e3}) {
        const double depth_m = -model.surfaces[1].height.z(0.0, v);
        EXPECT_NEAR(depth_m, 28e3 + 0.09 * v, 300.0);
        for (const double z : {-1e3, -14.9e3, -15.1e3, -depth_m + 50.0, -depth_m - 50.0,
                               -depth_m - 6.9e3, -depth_m - 7.1e3, -140e3}) {
            const earth::Volume& volume = model.volumes.at(model.volume_at(0.0, v, z));
            EXPECT_EQ(volume.material->material_at(0.0, v, z),
                      made.structure.material_at(-z, depth_m))
                << v << ' ' << z;
        }
    }
    const auto found = jobs::stages_of(made).preflight(made);
    EXPECT_TRUE(found.violations.empty());
}

TEST_F(TinyVolumes, LayersThatAreNowhereAreNoError) {
    jobs::GreensJob made = interface_in_layers();
    made.structure.layers[0].bottom_depth_m = 70e3;  // deeper than the interface: no second one

    jobs::build_volumes(made);

    ASSERT_TRUE(made.volume_model);
    EXPECT_TRUE(jobs::stages_of(made).preflight(made).violations.empty());
}

TEST_F(TinyVolumes, AnInterfaceThatReachesTheSurfaceGoesOnOverIt) {
    const std::string shallow = "depth_km\n133,33.5,0\n133,36,80\n137,33.5,0\n137,36,80\n";
    write_file(folder_.path() / "slab.csv", "lon_deg,lat_deg," + shallow);
    jobs::GreensJob made = interface_in_layers("top: surface");

    jobs::build_volumes(made);

    ASSERT_TRUE(made.volume_model);
    EXPECT_GT(made.volume_model->model->surfaces.at(1).height.highest(), 1000.0);
}

TEST_F(TinyVolumes, WhatIsWrongWithAnInterfacesFileIsToldOfTheInterface) {
    jobs::GreensJob made = interface_in_layers();
    std::get<jobs::InterfaceGeometry>(made.fault).surface_path = folder_.path() / "none.csv";

    try {
        jobs::build_volumes(made);
        FAIL() << "not refused";
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().at(0).field, "fault.interface.surface");
    }
}

TEST_F(TinyVolumes, LayersAroundAPlaneAreVolumesBetweenFlatSurfaces) {
    jobs::GreensJob made = job_from_request(request::load_batch_file(kData + "tiny.yaml"), "{}");
    const std::vector<earth::Material> materials = made.structure.materials;

    jobs::build_volumes(made);

    ASSERT_TRUE(made.volume_model);
    ASSERT_EQ(made.structure.materials.size(), materials.size());
    const earth::VolumeModel& model = *made.volume_model->model;
    for (const double depth_m : {100.0, 19.9e3, 20.1e3, 79e3}) {
        const int volume = model.volume_at(0.0, 0.0, -depth_m);
        ASSERT_GE(volume, 0);
        const int material = model.volumes[volume].material->material_at(0.0, 0.0, -depth_m);
        EXPECT_EQ(material, made.structure.material_at(depth_m, 0.0)) << depth_m;
        EXPECT_EQ(made.structure.materials[material].name, materials[material].name);
    }
    EXPECT_TRUE(jobs::stages_of(made).preflight(made).violations.empty());
}

}  // namespace
}  // namespace kaname::compute::volumes_from_request_test
