// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/greens/slip_places.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::mesh_sizes_test {
namespace {

using namespace examples;

const std::string kMesh = "mesh: {size_at_fault_km: 4, size_far_km: 30}\n";

LoadedBatch load(const Folder& folder, const std::string& yaml, const char* name = "spec.yaml") {
    return load_batch_file(folder.write(name, yaml));
}

TEST(MeshSizes, ThatAreGivenAreTakenAsTheyAre) {
    const Folder folder;

    const LoadedBatch loaded = load(folder, kPlaneYaml);

    EXPECT_EQ(loaded.chosen, "");
    EXPECT_EQ(loaded.batch.mesh().size_at_fault_m(), 4e3);
}

TEST(MeshSizes, FollowFromTheFaultAndTheNearestStation) {
    const Folder folder;
    const std::string yaml = with(kPlaneYaml, kMesh, "");

    // 12 km wide, to the ground; stations 19, 2.1 and 0.9 km from it.
    const LoadedBatch far = load(folder, yaml);
    const LoadedBatch near = load(
        folder, with(yaml, "lon_deg: 135.2, lat_deg: 33.1", "lon_deg: 135.022, lat_deg: 33.0"));
    const LoadedBatch on =
        load(folder, with(yaml, "lon_deg: 135.2, lat_deg: 33.1", "lon_deg: 135.01, lat_deg: 33.0"));

    EXPECT_EQ(far.batch.mesh().size_at_fault_m(), 2000.0) << "a sixth of the width";
    EXPECT_EQ(near.batch.mesh().size_at_fault_m(), 1000.0) << "half the distance";
    EXPECT_EQ(on.batch.mesh().size_at_fault_m(), 750.0) << "a sixteenth of the width";
    EXPECT_EQ(far.chosen.find("mesh: size_at_fault 2 km"), 0u) << far.chosen;
    EXPECT_EQ(far.batch.mesh().size_far_m(), 20e3) << "a tenth of the region";
    EXPECT_NE(make_plan(near).mesh_key, make_plan(far).mesh_key);
}

TEST(MeshSizes, ThatWereChosenAreTheSameAsWhenGiven) {
    const Folder folder;
    const LoadedBatch chosen = load(folder, with(kPlaneYaml, kMesh, ""));
    const LoadedBatch given = load(
        folder,
        with(kPlaneYaml, kMesh, "mesh: {size_at_fault_m: 2000, size_far_m: 20000, growth: 0.3}\n"));

    EXPECT_EQ(make_plan(given).mesh_key, make_plan(chosen).mesh_key);
    EXPECT_EQ(load_batch(chosen.batch).chosen, "");
}

TEST(MeshSizes, AreSmallerWhereMoreThanStationsAtTheGroundFeelTheSlip) {
    const Folder folder;
    const std::string yaml = with(kPlaneYaml, kMesh, "");
    const auto size_m = [&](const std::string& text) {
        return load(folder, text).batch.mesh().size_at_fault_m();
    };

    EXPECT_EQ(size_m(with(with(yaml, "bottom_depth_km: 30", "bottom_depth_km: 10"),
                          "viscosity_pa_s: 1e19", "viscosity_pa_s: 1e18")),
              1500.0)
        << "rock that relaxes about the slip";
    EXPECT_EQ(size_m(with(yaml, "lat_deg: 33.1}", "lat_deg: 33.1, depth_km: 1}")), 1500.0)
        << "a station in a well";
}

TEST(SlipPlane, MeasuresTheDistanceFromARectangle) {
    // Strikes north, dips 30 degrees to the east, 40 km long, 20 km wide, under 5 km.
    const SlipPlane plane{{135.0, 0.0}, 5e3, 0.0, 30.0, 40e3, 20e3};
    const auto at = [&](double east_m, double north_m) {
        return plane.distance_m(moved({135.0, 0.0}, east_m, north_m));
    };

    EXPECT_NEAR(at(-12e3, 0.0), 13e3, 10.0) << "from the upper edge";
    EXPECT_NEAR(at(5e3, 0.0), (5e3 + 5e3 * std::tan(kDegree * 30.0)) * std::cos(kDegree * 30.0),
                10.0)
        << "from the plane";
    EXPECT_NEAR(at(-12e3, 20e3 + 84e3), 85e3, 100.0) << "13, 84, 85: from a corner";
}

}  // namespace
}  // namespace kaname::request::mesh_sizes_test
