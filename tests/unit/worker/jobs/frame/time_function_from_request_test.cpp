// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "worker/jobs/frame/from_request.hpp"

namespace kaname::compute::time_function_from_request_test {
namespace {

v1::TimeFunction kind(const char* name) {
    v1::TimeFunction function;
    function.set_kind(name);
    return function;
}

TEST(TimeFunctionFromRequest, PulsesHaveTheirCentreOrADefaultThatIsLateEnough) {
    v1::TimeFunction ricker = kind("ricker");
    ricker.set_frequency_hz(2.0);
    EXPECT_EQ(time_function_of(ricker).at(0.5), 1.0);
    EXPECT_LT(std::abs(time_function_of(ricker).at(0.0)), 2e-3);
    ricker.set_centre_s(0.0);
    EXPECT_EQ(time_function_of(ricker).at(0.0), 1.0);

    v1::TimeFunction gaussian = kind("gaussian");
    gaussian.set_width_s(0.3);
    EXPECT_DOUBLE_EQ(time_function_of(gaussian).at(1.2), 1.0);

    v1::TimeFunction band = kind("band");
    band.set_from_hz(1.0);
    band.set_to_hz(3.0);
    EXPECT_EQ(time_function_of(band).at(1.0), 1.0);
    EXPECT_EQ(time_function_of(band).highest_hz(), 3.0);
}

TEST(TimeFunctionFromRequest, RatesBeginAtTheirOnset) {
    for (const char* name : {"triangle", "cosine"}) {
        v1::TimeFunction function = kind(name);
        function.set_duration_s(2.0);
        function.set_onset_s(0.5);
        const source_time::TimeFunction made = time_function_of(function);
        EXPECT_DOUBLE_EQ(made.at(1.5), 1.0) << name;
        EXPECT_DOUBLE_EQ(made.area(), 1.0) << name;
        EXPECT_DOUBLE_EQ(made.span().from_s, 0.5) << name;
    }
    v1::TimeFunction cosine = kind("cosine");
    cosine.set_duration_s(2.0);
    EXPECT_NE(time_function_of(cosine).at(0.25), 0.25);  // a triangle's

    v1::TimeFunction brune = kind("brune");
    brune.set_tau_s(0.4);
    brune.set_onset_s(1.0);
    EXPECT_DOUBLE_EQ(time_function_of(brune).at(1.4), 1.0);

    v1::TimeFunction step = kind("smoothed_step");
    step.set_duration_s(2.0);
    EXPECT_LT(time_function_of(step).at(1.5), 1.0);
    EXPECT_EQ(time_function_of(step).at(2.0), 1.0);
}

TEST(TimeFunctionFromRequest, YoffesSmoothingIsATenthOfTheRiseTimeWhenAbsent) {
    v1::TimeFunction yoffe = kind("yoffe");
    yoffe.set_rise_time_s(3.0);
    const source_time::TimeFunction absent = time_function_of(yoffe);
    yoffe.set_smoothing_s(0.3);
    EXPECT_NEAR(absent.at(1.0), time_function_of(yoffe).at(1.0), 1e-12);
    yoffe.set_smoothing_s(0.6);
    EXPECT_GT(std::abs(absent.at(1.0) - time_function_of(yoffe).at(1.0)), 0.01);
    EXPECT_DOUBLE_EQ(absent.span().until_s, 3.0);
}

TEST(TimeFunctionFromRequest, TablesAreTheirRows) {
    v1::TimeFunction table = kind("table");
    for (const double value : {1.0, 2.0, 4.0}) {
        table.add_times_s(value);
        table.add_values(10.0 * value);
    }
    EXPECT_EQ(time_function_of(table).at(3.0), 30.0);
    EXPECT_EQ(time_function_of(table).at(4.5), 0.0);
}

}  // namespace
}  // namespace kaname::compute::time_function_from_request_test
