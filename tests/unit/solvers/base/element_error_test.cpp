// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/predicted_error.hpp"

namespace kaname::element_error_test {
namespace {

/// Runs of docs/measured/accuracy.md in a uniform half-space: what nine of ten stations are below.
struct Measured {
    double size, distance, growth, error;
};

TEST(ElementError, AboutAStationIsWithinAFactorOfWhatWasFound) {
    for (const Measured& run : {Measured{0.0, 1.0, 0.15, 0.0009}, Measured{0.0, 1.0, 0.2, 0.0020},
                                Measured{0.0, 1.0, 0.25, 0.0025}, Measured{0.0, 1.0, 0.3, 0.0050},
                                Measured{0.0, 1.0, 0.4, 0.0082}, Measured{0.0, 1.0, 0.5, 0.0086}}) {
        const double times = station_error(run.growth * run.distance, run.distance) / run.error;

        EXPECT_GT(times, 1.0) << run.growth;
        EXPECT_LT(times, 1.9) << run.growth;
    }
}

TEST(ElementError, AtTheSlipIsWithinAFactorOfWhatWasFound) {
    for (const Measured& run : {Measured{0.37, 1.0, 0.0, 0.0052}, Measured{0.37, 1.0, 0.0, 0.0089},
                                Measured{0.52, 1.0, 0.0, 0.0063}, Measured{0.52, 1.0, 0.0, 0.0152},
                                Measured{0.70, 1.0, 0.0, 0.0147}, Measured{0.70, 1.0, 0.0, 0.0302},
                                Measured{0.95, 1.0, 0.0, 0.0356}, Measured{0.95, 1.0, 0.0, 0.0421},
                                Measured{1.35, 1.0, 0.0, 0.0646}}) {
        const double times = fault_error(run.size, run.distance) / run.error;

        EXPECT_GT(times, 0.5) << run.size;
        EXPECT_LT(times, 2.0) << run.size;
    }
}

TEST(ElementError, IsAtMostAllOfTheMotion) {
    EXPECT_EQ(fault_error(1e3, 0.0), 1.0);
    EXPECT_EQ(station_error(1e6, 1.0), 1.0);
    EXPECT_EQ(station_error(-1.0, 1e3), 0.0) << "smaller ones than at the fault";
}

TEST(ErrorParts, AddAsCausesOfTheirOwn) {
    const ErrorParts parts{.fault = 0.03, .stations = 0.0, .layers = 0.0, .box = 0.04, .dip = 0.0};

    EXPECT_DOUBLE_EQ(parts.total(), 0.05);
    EXPECT_DOUBLE_EQ((ErrorParts{.fault = 1.0, .box = 1.0}).total(), 1.0);
}

}  // namespace
}  // namespace kaname::element_error_test
