// SPDX-License-Identifier: BSD-3-Clause
// Uniform slip on 60 km x 30 km in a crust and lid over a Maxwell mantle, stations to 200 km, up to
// a century, with everything by default but the sizes: against tests/support/layered_halfspace.hpp.
#include "tests/convergence/layered_earth.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::layered_thrust_test {
namespace {

constexpr double kYear_s = 31557600.0;

class LayeredThrust : public LayeredEarth, public testing::WithParamInterface<bool> {};

TEST_P(LayeredThrust, MovesTheSurfaceAsWithoutAMesh) {
    const test::OkadaFault fault = {{0.0, 0.0, -5e3}, 30.0 * kDegree, 35.0 * kDegree, 60e3, 30e3};
    describe(GetParam(), 8000e3, 50, 200e3);
    plane(fault, 1, 1);
    job_.mesh.growth = 0.3;
    job_.mesh.size_at_fault_m = 3e3;
    job_.mesh.size_far_m = 800e3;
    epochs({0.0, kYear_s, 10.0 * kYear_s, 50.0 * kYear_s, 100.0 * kYear_s});

    const GreensDataset data = run();

    ASSERT_EQ(data.sources.size(), 1u);
    // Right after the slip its edges, which are not as sharp as the rectangle's, are most of it.
    const double most[] = {0.01, 0.005, 0.006, 0.008, 0.009};
    const double most_up[] = {0.04, 0.01, 0.01, 0.011, 0.011};
    const auto wanted = exact(fault, {});
    for (std::size_t epoch = 0; epoch < job_.time.epochs_s.size(); ++epoch) {
        const double off = error(data, 0, epoch, wanted), up = error(data, 0, epoch, wanted, 2);
        RecordProperty("off_" + std::to_string(epoch),
                       std::to_string(off) + " up " + std::to_string(up));
        EXPECT_LT(off, most[epoch]) << epoch;
        EXPECT_LT(up, most_up[epoch]) << epoch;
    }
}

INSTANTIATE_TEST_SUITE_P(Gravity, LayeredThrust, testing::Bool(),
                         [](const auto& info) { return info.param ? "with" : "without"; });

}  // namespace
}  // namespace kaname::convergence::layered_thrust_test

#endif
