// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/predicted_error.hpp"

namespace kaname::layer_error_test {
namespace {

TEST(LayerError, GrowsWithElementsAndWithTime) {
    const LayerCase late{50e3, 25e3, 100.0};
    const LayerCase early{50e3, 25e3, 0.1};
    const LayerCase elastic{50e3, 25e3, 0.0};

    EXPECT_LT(layer_error(early), layer_error(late));
    EXPECT_LT(layer_error(elastic), layer_error(early));
    EXPECT_NEAR(layer_error({100e3, 25e3, 100.0}) / layer_error(late), 16.0, 1e-9);
    EXPECT_EQ(layer_error({1000e3, 25e3, 100.0}), 1.0);
}

TEST(LayerError, IsWhatWasFoundUnderALid) {
    // 3 km at the fault and growth 0.4, ten Maxwell times: 20, 25 and 93 % at 172, 237 and 327 km.
    const auto at = [](double km) { return layer_error({3e3 + 0.4 * 2e3 * km, 25e3, 10.0}); };

    EXPECT_NEAR(at(172.0) / 0.20, 1.0, 0.6);
    EXPECT_NEAR(at(237.0) / 0.25, 1.0, 0.8);
    EXPECT_NEAR(at(327.0) / 0.93, 1.0, 0.6);
}

TEST(LayerError, OfALayerThatIsRaggedIsLarge) {
    // A lid of 12 km, 7.6 Maxwell times: elements of 21 and 31 km as far as the stations.
    EXPECT_LT(layer_error({21e3, 12e3, 7.6, 21e3}), 0.005);
    EXPECT_NEAR(layer_error({31e3, 12e3, 7.6, 31e3}), 0.15, 0.05);
    EXPECT_NEAR(layer_error({31e3, 12e3, 0.0, 31e3}), 0.014, 0.005);
}

}  // namespace
}  // namespace kaname::layer_error_test
