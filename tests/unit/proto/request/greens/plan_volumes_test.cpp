// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/plan.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::plan_volumes_test {
namespace {

using namespace examples;

class VolumesPlan : public ::testing::Test {
protected:
    VolumesPlan() {
        for (const char* file : {"gebco.asc", "crust1.csv", "slab2.grd", "prem.nd"}) {
            folder_.write(file, file);
        }
    }
    Plan plan_of(const std::string& from = "", const std::string& to = "") const {
        return make_plan(load_batch_file(folder_.write(
            "spec.yaml", from.empty() ? kVolumesYaml : with(kVolumesYaml, from, to))));
    }

    Folder folder_;
};

TEST_F(VolumesPlan, WhatShapesTheMeshIsInItsKey) {
    const Plan base = plan_of();
    for (const auto& [from, to] :
         {std::pair{"thickness_km: 7", "thickness_km: 8"},
          std::pair{"depth_km: 15}", "depth_km: 16}"},
          std::pair{"smoothing_length_km: 10", "smoothing_length_km: 11"},
          std::pair{"column: top_mantle_km", "column: top_other_km"},
          std::pair{"free_surface: topography\n", "\n"},
          std::pair{"name: lid, bottom: conrad", "name: lid, bottom: moho"},
          std::pair{"size_km: 20}", "size_km: 25}"}, std::pair{"of: slab-top", "of: moho"},
          std::pair{"n_dip: 2", "n_dip: 3"}, std::pair{"layer: upper_crust", "layer: lower_crust"},
          std::pair{"size_at_surface_km: 20", "size_at_surface_km: 21"},
          std::pair{"size_km: 15}", "size_km: 14}"}, std::pair{"depth_km: 300", "depth_km: 310"},
          std::pair{"lon_deg: 135.2", "lon_deg: 135.3"}}) {
        const Plan other = plan_of(from, to);

        EXPECT_NE(other.mesh_key, base.mesh_key) << to;
        EXPECT_NE(other.sources.at(0).key, base.sources.at(0).key) << to;
    }
}

TEST_F(VolumesPlan, FilesCountByTheirBytes) {
    const Plan base = plan_of();
    for (const char* file : {"gebco.asc", "crust1.csv", "slab2.grd", "prem.nd"}) {
        folder_.write(file, "other");
        EXPECT_NE(plan_of().mesh_key, base.mesh_key) << file;
        folder_.write(file, file);
    }
    EXPECT_EQ(plan_of().mesh_key, base.mesh_key);
    folder_.write("moved/slab2.grd", "slab2.grd");
    EXPECT_EQ(plan_of("file: slab2.grd", "file: moved/slab2.grd").mesh_key, base.mesh_key);
}

TEST_F(VolumesPlan, WhatDoesNotShapeTheMeshIsNotInItsKey) {
    const Plan base = plan_of();
    for (const auto& [from, to] :
         {std::pair{"viscosity_pa_s: 1e19}\n  surfaces", "viscosity_pa_s: 2e19}\n  surfaces"},
          std::pair{"viscosity_pa_s: 1e25", "viscosity_pa_s: 1e24"},
          std::pair{"prem.nd, viscosity_pa_s: 1e19", "prem.nd, viscosity_pa_s: 1e20"},
          std::pair{"end_years: 2", "end_years: 3"},
          std::pair{"vs_km_per_s: 4.0", "vs_km_per_s: 3.9"}}) {
        const Plan other = plan_of(from, to);

        EXPECT_EQ(other.mesh_key, base.mesh_key) << to;
        EXPECT_NE(other.sources.at(0).key, base.sources.at(0).key) << to;
    }
    const Plan epochs = plan_of("epochs_years: [0]", "epochs_years: [0, 1]");
    EXPECT_EQ(epochs.mesh_key, base.mesh_key);
    EXPECT_EQ(epochs.sources.at(0).key, base.sources.at(0).key);
    const Plan merged = plan_of("mesh: {", "mesh: {thinnest_layer: 0.3, ");
    EXPECT_NE(merged.mesh_key, base.mesh_key);
    const Plan bounded = plan_of("mesh: {", "mesh: {max_elements: 1000000, ");
    EXPECT_EQ(bounded.mesh_key, base.mesh_key);
    EXPECT_EQ(bounded.package_key, base.package_key);
}

TEST_F(VolumesPlan, StationsAreInTheMeshKeyOnlyWhereItIsFinerAroundThem) {
    const std::string finer = "size_at_stations_km: 10,\n       ";
    const std::string plain = with(kVolumesYaml, finer, "\n       ");
    const Plan base = make_plan(load_batch_file(folder_.write("spec.yaml", plain)));
    const Plan moved = make_plan(load_batch_file(
        folder_.write("spec.yaml", with(plain, "lon_deg: 135.2", "lon_deg: 135.3"))));

    EXPECT_EQ(moved.mesh_key, base.mesh_key);
    EXPECT_EQ(moved.sources.at(0).key, base.sources.at(0).key);
    EXPECT_NE(moved.package_key, base.package_key);
}

TEST_F(VolumesPlan, StationsWithAHeightAreStoredBecauseTheGroundHasRelief) {
    const Plan base = plan_of();
    const Plan raised = plan_of("lat_deg: 33.1}", "lat_deg: 33.1, depth_m: -100}");

    EXPECT_NE(raised.sources.at(0).key, base.sources.at(0).key);
}

TEST_F(VolumesPlan, TheMessageSurvivesJson) {
    const LoadedBatch loaded = load_batch_file(folder_.write("spec.yaml", kVolumesYaml));
    const LoadedBatch again = load_batch_json(folder_.write("spec.json", to_json(loaded.batch)));

    EXPECT_EQ(canonical_json(again.batch), canonical_json(loaded.batch));
    EXPECT_EQ(make_plan(again).package_key, make_plan(loaded).package_key);
    EXPECT_EQ(canonical_json(loaded.batch).find(folder_.path()), std::string::npos);
}

}  // namespace
}  // namespace kaname::request::plan_volumes_test
