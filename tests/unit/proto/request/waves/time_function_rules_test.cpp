// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "proto/request/waves/wave_requests.hpp"

namespace kaname::request::time_function_rules_test {
namespace {

v1::TimeFunction kind(const char* name) {
    v1::TimeFunction function;
    function.set_kind(name);
    return function;
}

/// "field: message" of all that is wrong.
std::vector<std::string> broken(const v1::TimeFunction& function) {
    Rules rules;
    check_time_function(function, "s", rules);
    std::vector<std::string> found;
    for (const Violation& violation : rules.take()) {
        found.push_back(violation.field + ": " + violation.message);
    }
    return found;
}

using Found = std::vector<std::string>;

TEST(TimeFunctionRules, EveryKindIsTakenWithItsNumbers) {
    for (const char* name : {"triangle", "cosine", "smoothed_step"}) {
        v1::TimeFunction function = kind(name);
        function.set_duration_s(2.0);
        function.set_onset_s(1.0);
        EXPECT_EQ(broken(function), Found{}) << name;
    }
    v1::TimeFunction brune = kind("brune");
    brune.set_tau_s(0.1);
    EXPECT_EQ(broken(brune), Found{});
    v1::TimeFunction yoffe = kind("yoffe");
    yoffe.set_rise_time_s(2.0);
    EXPECT_EQ(broken(yoffe), Found{});
    yoffe.set_smoothing_s(0.9);
    EXPECT_EQ(broken(yoffe), Found{});
    v1::TimeFunction ricker = kind("ricker");
    ricker.set_frequency_hz(2.0);
    ricker.set_centre_s(1.0);
    EXPECT_EQ(broken(ricker), Found{});
}

TEST(TimeFunctionRules, WhatAKindNeedsMustBeThereAndNothingElse) {
    EXPECT_EQ(broken(kind("triangle")), Found{"s.duration_s: must be > 0, got 0"});
    EXPECT_EQ(broken(kind("brune")), Found{"s.tau_s: must be > 0, got 0"});

    v1::TimeFunction gaussian = kind("gaussian");
    gaussian.set_width_s(1.0);
    gaussian.set_duration_s(1.0);
    gaussian.set_smoothing_s(1.0);
    gaussian.set_onset_s(-1.0);
    EXPECT_EQ(broken(gaussian),
              (Found{"s.duration_s: must be left out of a time function 'gaussian'",
                     "s.smoothing_s: must be left out of a time function 'gaussian'",
                     "s.onset_s: must be left out of a time function 'gaussian'"}));

    v1::TimeFunction cosine = kind("cosine");
    cosine.set_duration_s(1.0);
    cosine.set_centre_s(0.0);
    cosine.add_times_s(1.0);
    EXPECT_EQ(broken(cosine), (Found{"s.centre_s: must be left out of a time function 'cosine'",
                                     "s.times_s: must be left out of a time function 'cosine'"}));
}

TEST(TimeFunctionRules, SmoothingFitsIntoTheRiseTime) {
    v1::TimeFunction yoffe = kind("yoffe");
    yoffe.set_rise_time_s(2.0);
    yoffe.set_smoothing_s(1.0);
    EXPECT_EQ(broken(yoffe), Found{"s.smoothing_s: must be < half of rise_time_s = 2, got 1"});
    yoffe.set_smoothing_s(-1.0);
    EXPECT_EQ(broken(yoffe), Found{"s.smoothing_s: must be >= 0, got -1"});
}

TEST(TimeFunctionRules, WhatWouldLieBeforeTimeZeroIsNotCutOffSilently) {
    v1::TimeFunction gaussian = kind("gaussian");
    gaussian.set_width_s(0.8);
    EXPECT_EQ(broken(gaussian), Found{}) << "late enough by default";
    gaussian.set_centre_s(0.0);
    EXPECT_EQ(broken(gaussian),
              Found{"s.centre_s: must be >= 1.864: runs begin at time 0, and what comes before it "
                    "is lost, here 50 % of it, got 0"});
    gaussian.set_centre_s(2.0);
    EXPECT_EQ(broken(gaussian), Found{});

    v1::TimeFunction triangle = kind("triangle");
    triangle.set_duration_s(4.0);
    triangle.set_onset_s(-2.0);
    EXPECT_EQ(broken(triangle),
              Found{"s.onset_s: must be >= 0: runs begin at time 0, and what comes before it is "
                    "lost, here 50 % of it, got -2"});

    v1::TimeFunction table = kind("table");
    for (const auto& [time_s, value] : {std::pair(-1.0, 0.0), {0.0, 1.0}, {3.0, 0.0}}) {
        table.add_times_s(time_s);
        table.add_values(value);
    }
    EXPECT_EQ(broken(table), Found{"s.times_s[0]: must be >= 0: runs begin at time 0, and what "
                                   "comes before it is lost, here 25 % of it, got -1"});
    table.set_values(1, 0.0);
    table.set_values(2, 1.0);
    EXPECT_EQ(broken(table), Found{}) << "nothing before 0";
}

}  // namespace
}  // namespace kaname::request::time_function_rules_test
