// SPDX-License-Identifier: BSD-3-Clause
// Slip of a bilinear hat in a crust and lid over a Maxwell mantle, with gravity, against the answer
// of tests/support/layered_halfspace.hpp. A hat has no edges to be smeared over an element; uniform
// slip is in tests/long.
#include "tests/convergence/layered_earth.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::layered_earth_test {
namespace {

constexpr double kYear_s = 31557600.0;

TEST_F(LayeredEarth, HatsMoveTheSurfaceAsWithoutAMesh) {
    const test::OkadaFault whole = {{0.0, 0.0, -5e3}, 0.0, 35.0 * kDegree, 48e3, 36e3};
    describe(true, 3000e3, 25, 90e3);
    plane(whole, 1, 2);
    job_.mesh.size_at_fault_m = 7e3;
    job_.mesh.size_far_m = 400e3;
    epochs({0.0, kYear_s, 10.0 * kYear_s});
    // Without gravity the vertical change is off by 4 and 10 %.
    constexpr double kMost = 0.025;

    const GreensDataset data = run();

    ASSERT_EQ(data.sources.size(), 2u);
    for (int row = 0; row < 2; ++row) {
        // A hat reaches half the length to both sides, a third of the width: a rectangle half as
        // long and a third as wide whose edges fall off over its whole length and width.
        test::OkadaFault patch = whole;
        patch.length_m = whole.length_m / 2.0;
        patch.width_m = whole.width_m / 3.0;
        const double down_m = (row + 0.5) * patch.width_m;
        patch.top_centre.x += down_m * std::cos(whole.dip_rad);
        patch.top_centre.z -= down_m * std::sin(whole.dip_rad);
        const auto wanted = exact(patch, {patch.length_m, patch.width_m});
        for (std::size_t epoch = 0; epoch < 3; ++epoch) {
            const double off = error(data, row, epoch, wanted),
                         up = error(data, row, epoch, wanted, 2);
            RecordProperty("off_" + std::to_string(row) + "_" + std::to_string(epoch),
                           std::to_string(off) + " up " + std::to_string(up));
            EXPECT_LT(off, kMost) << row << ' ' << epoch;
            EXPECT_LT(up, kMost) << row << ' ' << epoch;
        }
    }
}

}  // namespace
}  // namespace kaname::convergence::layered_earth_test

#endif
