// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "proto/request/greens/box.hpp"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::layer_sizes_test {
namespace {

using namespace examples;

/// Slip under a lid of 20 km; the station stands so many degrees east of it.
std::string lid(double lon_deg, const std::string& end, const std::string& mesh = "") {
    return "schema: kaname.v1.GreensBatch\nname: lid\n"
           "structure:\n"
           "  materials:\n"
           "    - {name: crust, lambda_gpa: 30, mu_gpa: 30}\n"
           "    - {name: mantle, lambda_gpa: 60, mu_gpa: 60, viscosity_pa_s: 1e19}\n"
           "  layers:\n"
           "    - {material: crust, bottom_depth_km: 20}\n"
           "    - {material: mantle}\n"
           "fault:\n"
           "  plane: {centre_lon_deg: 135, centre_lat_deg: 0, top_depth_km: 30, strike_deg: 0,\n"
           "          dip_deg: 45, length_km: 60, width_km: 30, rake_deg: [90]}\n"
           "stations:\n"
           "  list:\n"
           "    - {id: near, lon_deg: 135.3, lat_deg: 0}\n"
           "    - {id: far, lon_deg: " +
           std::to_string(lon_deg) + ", lat_deg: 0}\n" + mesh + "time: {end_years: " + end +
           ", epochs_years: [" + end + "]}\n";
}

TEST(LayerSizes, KeepLayersAsFarAsAStationFeelsThem) {
    const Folder folder;

    const LoadedBatch loaded = load_batch_file(folder.write("spec.yaml", lid(139.0, "20")));

    const v1::Mesh& mesh = loaded.batch.mesh();
    ASSERT_EQ(mesh.sizes_by_depth_size(), 1);
    EXPECT_EQ(mesh.sizes_by_depth(0).depth_m(), 20e3);
    EXPECT_EQ(mesh.sizes_by_depth(0).size_m(), 2.0 * 20e3);
    EXPECT_GT(mesh.sizes_by_depth(0).reach_m(), 2.3 * 430e3) << "a relaxing mantle's reach";
    EXPECT_NE(loaded.chosen.find("mesh: sizes_by_depth "), std::string::npos) << loaded.chosen;
}

TEST(LayerSizes, OfAThinLidReachLessFarButAreNotLarger) {
    const Folder folder;
    const std::string thin = with(lid(139.5, "20"), "bottom_depth_km: 20}", "bottom_depth_km: 12}");

    const LoadedBatch loaded = load_batch_file(folder.write("spec.yaml", thin));

    const v1::Mesh& mesh = loaded.batch.mesh();
    ASSERT_EQ(mesh.sizes_by_depth_size(), 1) << loaded.chosen;
    EXPECT_EQ(mesh.sizes_by_depth(0).size_m(), 24e3);
    EXPECT_GT(mesh.sizes_by_depth(0).reach_m(), 600e3);
    EXPECT_LT(mesh.sizes_by_depth(0).reach_m(), 800e3);
}

TEST(LayerSizes, AreLeftOutWhereNoStationIsFar) {
    const Folder folder;

    const LoadedBatch loaded = load_batch_file(folder.write("spec.yaml", lid(135.8, "20")));

    EXPECT_EQ(loaded.batch.mesh().sizes_by_depth_size(), 0);
    EXPECT_EQ(loaded.chosen.find("sizes_by_depth"), std::string::npos) << loaded.chosen;
}

TEST(LayerSizes, NeedNotReachAsFarRightAfterTheSlip) {
    const Folder folder;

    const LoadedBatch late = load_batch_file(folder.write("late.yaml", lid(139.0, "20")));
    const LoadedBatch at_once = load_batch_file(folder.write("once.yaml", lid(139.0, "0")));

    ASSERT_EQ(at_once.batch.mesh().sizes_by_depth_size(), 1);
    EXPECT_LT(at_once.batch.mesh().sizes_by_depth(0).reach_m(),
              0.6 * late.batch.mesh().sizes_by_depth(0).reach_m());
}

/// A soft layer of 10 km on a stiff one, together the lid.
std::string soft_over_stiff(double lon_deg) {
    std::string text = lid(lon_deg, "20");
    text = with(text, "- {name: crust, lambda_gpa: 30, mu_gpa: 30}",
                "- {name: soft, lambda_gpa: 15, mu_gpa: 12}\n    - {name: crust, lambda_gpa: 50, "
                "mu_gpa: 45}");
    return with(text, "- {material: crust, bottom_depth_km: 20}",
                "- {material: soft, bottom_depth_km: 10}\n    - {material: crust, "
                "bottom_depth_km: 30}");
}

TEST(LayerSizes, KeepALayerOfOtherStiffnessInTheLid) {
    const Folder folder;

    const LoadedBatch loaded = load_batch_file(folder.write("spec.yaml", soft_over_stiff(139.0)));

    const v1::Mesh& mesh = loaded.batch.mesh();
    ASSERT_EQ(mesh.sizes_by_depth_size(), 3) << loaded.chosen;
    EXPECT_EQ(mesh.sizes_by_depth(0).depth_m(), 10e3);
    EXPECT_LT(mesh.sizes_by_depth(0).size_m(), 2.5 * 10e3);
    EXPECT_LT(mesh.sizes_by_depth(0).reach_m(), mesh.sizes_by_depth(2).reach_m());
    for (int k = 1; k < 3; ++k) {
        EXPECT_GT(mesh.sizes_by_depth(k).depth_m(), mesh.sizes_by_depth(k - 1).depth_m());
        EXPECT_GT(mesh.sizes_by_depth(k).size_m(), mesh.sizes_by_depth(k - 1).size_m());
    }
}

TEST(LayerSizes, NeedNotKeepRockThatRelaxesSlowlyAboveRockThatRelaxesFast) {
    const Folder folder;
    std::string text = lid(139.0, "30");
    text = with(text, "    - {name: mantle,",
                "    - {name: slow, lambda_gpa: 60, mu_gpa: 52, viscosity_pa_s: 1e20}\n"
                "    - {name: mantle,");
    text = with(text, "- {material: crust, bottom_depth_km: 20}",
                "- {material: crust, bottom_depth_km: 28}\n    - {material: slow, "
                "bottom_depth_km: 36}");

    const LoadedBatch loaded = load_batch_file(folder.write("spec.yaml", text));

    ASSERT_GT(loaded.batch.mesh().sizes_by_depth_size(), 0) << loaded.chosen;
    for (const v1::DepthSize& wish : loaded.batch.mesh().sizes_by_depth()) {
        EXPECT_GE(wish.size_m(), 50e3) << "8 km of rock that relaxes slowly";
    }
}

TEST(LayerSizes, OfALayerThatCannotBeKeptAreNotChosen) {
    const Folder folder;

    // So far away its elements would be too many.
    const LoadedBatch loaded = load_batch_file(folder.write("spec.yaml", soft_over_stiff(151.0)));

    EXPECT_GT(loaded.batch.mesh().sizes_by_depth(0).depth_m(), 10e3) << loaded.chosen;
}

TEST(LayerSizes, ThatWereGivenStayAsTheyAre) {
    const Folder folder;
    const std::string mesh =
        "mesh: {size_at_fault_km: 5, sizes_by_depth: [{depth_km: 20, size_km: 60}]}\n";

    const LoadedBatch given = load_batch_file(folder.write("given.yaml", lid(139.0, "20", mesh)));
    const LoadedBatch chosen = load_batch_file(folder.write("chosen.yaml", lid(139.0, "20")));

    ASSERT_EQ(given.batch.mesh().sizes_by_depth_size(), 1);
    EXPECT_EQ(given.batch.mesh().sizes_by_depth(0).size_m(), 60e3);
    EXPECT_EQ(make_plan(load_batch(chosen.batch)).mesh_key, make_plan(chosen).mesh_key);
    EXPECT_EQ(load_batch(chosen.batch).chosen, "");
}

}  // namespace
}  // namespace kaname::request::layer_sizes_test
