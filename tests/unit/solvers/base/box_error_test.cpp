// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/predicted_error.hpp"

namespace kaname::box_error_test {
namespace {

/// Runs of docs/user/accuracy.md: a cube's half width, lid, station [km], Maxwell times, the
/// difference from a box of 4,000 km.
struct Measured {
    double side_km, lid_km, station_km, maxwell_times, error;
};
constexpr Measured kRuns[] = {
    {500, 30, 50, 0, 0.0042},     {500, 30, 100, 0, 0.0162},   {500, 30, 200, 0, 0.0921},
    {500, 30, 300, 0, 0.2679},    {250, 30, 100, 0, 0.0762},   {1000, 30, 200, 0, 0.0166},
    {1000, 30, 400, 0, 0.0896},   {500, 30, 50, 10.3, 0.0144}, {500, 30, 100, 10.3, 0.0390},
    {500, 30, 200, 10.3, 0.128},  {250, 30, 100, 10.3, 0.179}, {1000, 30, 100, 10.3, 0.0076},
    {500, 30, 100, 2.06, 0.0236}, {500, 60, 100, 0, 0.0150},   {500, 60, 100, 10.3, 0.0449},
    {500, 60, 300, 10.3, 0.404},  {500, 15, 50, 10.3, 0.0099}, {500, 15, 100, 10.3, 0.0232},
};

TEST(BoxError, IsWithinAFactorOfWhatWasFound) {
    for (const Measured& run : kRuns) {
        const double predicted = box_error(
            {1e3 * run.station_km, 1e3 * run.side_km, 1e3 * run.lid_km, run.maxwell_times});

        EXPECT_LT(predicted, 1.4 * run.error) << run.side_km << ' ' << run.station_km;
        EXPECT_GT(predicted, run.error / 1.4) << run.side_km << ' ' << run.station_km;
    }
}

TEST(BoxError, IsAllAtTheSidesAndBeyond) {
    EXPECT_DOUBLE_EQ(box_error({500e3, 500e3, 30e3, 0.0}), 1.0);
    EXPECT_DOUBLE_EQ(box_error({600e3, 500e3, 30e3, 0.0}), 1.0);
    EXPECT_LE(box_error({499e3, 500e3, 400e3, 1e6}), 1.0);
}

TEST(BoxError, TheSidesNeededLeaveThatError) {
    for (const double T : {0.0, 10.0}) {
        const double side_m = side_needed_m({150e3, 1.0, 30e3, T}, 0.02);

        EXPECT_NEAR(box_error({150e3, side_m, 30e3, T}), 0.02, 1e-4);
    }
}

}  // namespace
}  // namespace kaname::box_error_test
