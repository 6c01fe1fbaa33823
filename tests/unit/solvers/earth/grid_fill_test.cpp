// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/grid_fill.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::earth::grid_fill_test {
namespace {

const PlanGrid kGrid{101, 101, 1000.0};

std::size_t at(int i, int j) {
    return static_cast<std::size_t>(j) * kGrid.nu() + i;
}

TEST(FillSmoothly, MembraneBetweenTwoEdgesIsLinear) {
    std::vector<double> value(101 * 101, -1.0);
    std::vector<unsigned char> data(value.size(), 0);
    for (int j = 0; j < 101; ++j) {
        value[at(0, j)] = 1000.0;
        value[at(100, j)] = 5000.0;
        data[at(0, j)] = data[at(100, j)] = 1;
    }

    fill_smoothly(kGrid, data, 0.0, value);

    for (int i = 0; i < 101; i += 10) {
        EXPECT_NEAR(value[at(i, 37)], 1000.0 + 40.0 * i, 40.0) << i;
    }
}

TEST(FillSmoothly, CarriesSlopeOnAndLevelsOff) {
    // Data on the left half with slope 0.1: beyond it the slope is 0.1 exp(-distance / decay).
    std::vector<double> value(101 * 101, 0.0);
    std::vector<unsigned char> data(value.size(), 0);
    for (int j = 0; j < 101; ++j) {
        for (int i = 0; i <= 50; ++i) {
            value[at(i, j)] = 10000.0 + 100.0 * i;
            data[at(i, j)] = 1;
        }
    }

    fill_smoothly(kGrid, data, 10000.0, value);

    for (const int steps : {1, 5, 10, 30}) {
        const double expected = 15000.0 + 0.1 * 10000.0 * (1.0 - std::exp(-0.1 * steps));
        EXPECT_NEAR(value[at(50 + steps, 50)], expected, 15.0) << steps;
    }
}

TEST(FillSmoothly, LeavesDataUntouchedAndMakesNoCliff) {
    std::vector<double> value(101 * 101, 0.0);
    std::vector<unsigned char> data(value.size(), 0);
    for (int j = 20; j < 80; ++j) {
        for (int i = 30; i < 60 + j / 4; ++i) {
            value[at(i, j)] = 8000.0 + 200.0 * (j - 20);
            data[at(i, j)] = 1;
        }
    }
    const std::vector<double> before = value;

    fill_smoothly(kGrid, data, 30000.0, value);

    double steepest = 0.0;
    for (int j = 0; j < 100; ++j) {
        for (int i = 0; i < 100; ++i) {
            if (data[at(i, j)]) {
                ASSERT_EQ(value[at(i, j)], before[at(i, j)]);
            }
            steepest = std::max({steepest, std::abs(value[at(i + 1, j)] - value[at(i, j)]),
                                 std::abs(value[at(i, j + 1)] - value[at(i, j)])});
        }
    }
    EXPECT_LT(steepest, 2.0 * 200.0);
}

TEST(FillSmoothly, CarriesSlopeOnAlongEitherSideOfAnOblongGrid) {
    for (const bool along_u : {true, false}) {
        const PlanGrid grid = along_u ? PlanGrid{121, 47, 1000.0} : PlanGrid{47, 121, 1000.0};
        std::vector<double> value(121 * 47, 0.0);
        std::vector<unsigned char> data(value.size(), 0);
        const auto node = [&](int along, int across) {
            return static_cast<std::size_t>(along_u ? across * 121 + along : along * 47 + across);
        };
        for (int along = 0; along <= 60; ++along) {
            for (int across = 0; across < 47; ++across) {
                value[node(along, across)] = 100.0 * along;
                data[node(along, across)] = 1;
            }
        }

        fill_smoothly(grid, data, 10000.0, value);
        smooth_gaussian(grid, 500.0, value);

        for (const int steps : {5, 10, 30}) {
            const double expected = 6000.0 + 0.1 * 10000.0 * (1.0 - std::exp(-0.1 * steps));
            EXPECT_NEAR(value[node(60 + steps, 23)], expected, 15.0) << along_u << " " << steps;
        }
        EXPECT_NEAR(value[node(30, 5)], 3000.0, 1e-6);
    }
}

TEST(FillSmoothly, RefusesGridWithoutData) {
    std::vector<double> value(101 * 101, 0.0);

    EXPECT_THROW(fill_smoothly(kGrid, std::vector<unsigned char>(value.size(), 0), 0.0, value),
                 Error);
}

TEST(SmoothGaussian, DampsAWaveByItsTransferFunction) {
    std::vector<double> value(101 * 101);
    const double k = 2.0 * M_PI / 20000.0;
    for (int j = 0; j < 101; ++j) {
        for (int i = 0; i < 101; ++i) {
            value[at(i, j)] = std::cos(k * 1000.0 * i);
        }
    }

    smooth_gaussian(kGrid, 3000.0, value);

    EXPECT_NEAR(value[at(40, 50)], std::exp(-0.5 * std::pow(k * 3000.0, 2)), 1e-3);
}

TEST(FillSmoothly, ACoarseningGridCarriesOnAsAnEvenOneDoes) {
    // A tilted square of data, 200 km wide, in a box of 1,200 km.
    const auto fill = [](const HeightField::Grid& grid) {
        std::vector<double> value;
        std::vector<unsigned char> data;
        for (int j = 0; j < grid.nv; ++j) {
            for (int i = 0; i < grid.nu; ++i) {
                data.push_back(std::max(std::abs(grid.u(i)), std::abs(grid.v(j))) <= 100e3);
                value.push_back(data.back() ? 20e3 + 0.1 * grid.u(i) : 0.0);
            }
        }
        fill_smoothly(PlanGrid(grid), data, 30e3, value);
        return HeightField(grid, value);
    };
    const HeightField even = fill({-600e3, -600e3, 5e3, 5e3, 241, 241});
    const GridStretch stretch{-140e3, 140e3, 60e3};
    const HeightField coarsening = fill({-300e3, -300e3, 5e3, 5e3, 121, 121, stretch, stretch});

    for (const double u : {-300e3, -130e3, 0.0, 120e3, 200e3, 500e3}) {
        for (const double v : {-50e3, 0.0, 180e3}) {
            EXPECT_NEAR(coarsening.z(u, v), even.z(u, v), 150.0) << u << ' ' << v;
        }
    }
}

}  // namespace
}  // namespace kaname::earth::grid_fill_test
