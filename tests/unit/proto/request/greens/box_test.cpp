// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/box.hpp"

#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::box_test {
namespace {

using namespace examples;

const std::string kRegion =
    "region: {centre_lon_deg: 135, centre_lat_deg: 33, size_east_km: 200, size_north_km: 200, "
    "depth_km: 100}\n";

LoadedBatch load(const Folder& folder, const std::string& region, const char* name = "spec.yaml") {
    return load_batch_file(folder.write(name, with(kPlaneYaml, kRegion, region)));
}

TEST(Box, ThatIsGivenIsTakenAsItIs) {
    const Folder folder;

    const LoadedBatch loaded = load(folder, kRegion);

    EXPECT_EQ(loaded.chosen, "");
    EXPECT_EQ(loaded.batch.region().size_east_m(), 200e3);
}

TEST(Box, FollowsFromTheFaultTheStationsAndTheTime) {
    const Folder folder;

    const LoadedBatch loaded = load(folder, "");

    const v1::Region& region = loaded.batch.region();
    EXPECT_NEAR(region.centre_lon_deg(), 135.0, 0.3);
    EXPECT_NEAR(region.centre_lat_deg(), 33.0, 0.3);
    EXPECT_GT(region.size_east_m(), 400e3);
    EXPECT_EQ(region.size_east_m(), region.size_north_m());
    EXPECT_GT(region.depth_m(), 200e3);
    EXPECT_EQ(loaded.chosen.find("region: "), 0u);
}

TEST(Box, OfARangeIsThatOfItsLowestViscosity) {
    const Folder folder;
    const auto size_m = [&](const std::string& viscosity) {
        std::string text = with(kPlaneYaml, kRegion, "");
        text = with(text, "step_days: 30, ", "");
        text = with(text, "viscosity_pa_s: 1e19", "viscosity_pa_s: " + viscosity);
        return load_batch_file(folder.write("spec.yaml", text)).batch.region().size_east_m();
    };

    EXPECT_EQ(size_m("{from: 1e18, to: 1e21}"), size_m("1e18"));
    EXPECT_GT(size_m("{from: 1e18, to: 1e21}"), size_m("3e19"));  // of the reference alone
}

TEST(Box, ElementsGrowLessAboutGentleSlipInRockThatRelaxes) {
    const Folder folder;
    std::string gentle = with(kPlaneYaml, "dip_deg: 90", "dip_deg: 10");
    gentle = with(gentle, "top_depth_km: 0", "top_depth_km: 32");
    gentle = with(gentle, "end_years: 2, epochs_years: [0, 1, 2]", "end_years: 10");
    const auto growth = [&](const std::string& text) {
        return load_batch_file(folder.write("spec.yaml", text)).batch.mesh().growth();
    };

    EXPECT_EQ(growth(gentle), 0.15);
    EXPECT_EQ(growth(with(gentle, ", size_far_km: 30", "")), 0.15);
    EXPECT_EQ(growth(with(gentle, "size_far_km: 30", "size_far_km: 30, growth: 0.5")), 0.5);
    EXPECT_EQ(growth(with(gentle, "dip_deg: 10", "dip_deg: 30")), 0.3);
    EXPECT_EQ(growth(with(gentle, "top_depth_km: 32", "top_depth_km: 20")), 0.3);  // in the lid
    EXPECT_EQ(growth(with(gentle, "end_years: 10", "end_years: 1")), 0.3);
}

TEST(Box, GrowsWithTheReachOfStations) {
    const Folder folder;
    std::string far = with(kPlaneYaml, kRegion, "");
    far = with(far, "lon_deg: 135.2", "lon_deg: 139.2");

    const LoadedBatch near = load(folder, "");
    const LoadedBatch wide = load_batch_file(folder.write("far.yaml", far));

    EXPECT_GT(wide.batch.region().size_east_m(), 2.0 * near.batch.region().size_east_m());
    EXPECT_NE(make_plan(wide).mesh_key, make_plan(near).mesh_key);
}

TEST(Box, ThatWasChosenIsTheSameAsWhenGiven) {
    const Folder folder;
    const LoadedBatch chosen = load(folder, "");
    const v1::Region& region = chosen.batch.region();
    char text[400];
    std::snprintf(text, sizeof text,
                  "region: {centre_lon_deg: %.17g, centre_lat_deg: %.17g, size_east_m: %.17g, "
                  "size_north_m: %.17g, depth_m: %.17g}\n",
                  region.centre_lon_deg(), region.centre_lat_deg(), region.size_east_m(),
                  region.size_north_m(), region.depth_m());

    const LoadedBatch given = load(folder, text, "given.yaml");

    EXPECT_EQ(make_plan(given).mesh_key, make_plan(chosen).mesh_key);
    EXPECT_EQ(load_batch(chosen.batch).chosen, "");
}

TEST(Box, KeepsWhatIsGivenAndChoosesTheRest) {
    const Folder folder;

    const LoadedBatch loaded = load(folder, "region: {depth_km: 300}\n");

    EXPECT_EQ(loaded.batch.region().depth_m(), 300e3);
    EXPECT_GT(loaded.batch.region().size_east_m(), 400e3);
}

TEST(Box, OfSlipThatAFileHasMustBeGiven) {
    const Folder folder;
    std::string yaml = with(kPlaneYaml, kRegion, "");
    yaml = with(yaml, "    centre_lon_deg: 135\n", "");

    const std::string error =
        error_of([&] { return load_batch_file(folder.write("s.yaml", yaml)); });

    EXPECT_NE(error.find("region.size_east_m: must be > 0"), std::string::npos) << error;
}

}  // namespace
}  // namespace kaname::request::box_test
