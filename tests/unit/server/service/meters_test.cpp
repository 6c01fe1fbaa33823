// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin/meters.hpp"

#include <gtest/gtest.h>

#include "server/service/admin/metrics.hpp"

namespace kaname::service::meters_test {
namespace {

using std::chrono::seconds;

class MetersTest : public testing::Test {
protected:
    Meters::Clock::time_point now_{seconds(1000)};
    Meters meters_{[this] { return now_; }};
};

TEST_F(MetersTest, HistogramsCountWhatIsAtMostEachBound) {
    Histogram read;
    const std::array bounds = {1.0, 2.0};
    for (const double value : {0.5, 1.0, 1.5, 7.0}) {
        read.observe(bounds, value);
    }
    std::string text;
    Metric(text, "kaname_x_seconds", "histogram", "X").add("verb=\"solve\"", bounds, read);

    EXPECT_EQ(text,
              "# HELP kaname_x_seconds X\n# TYPE kaname_x_seconds histogram\n"
              "kaname_x_seconds_bucket{verb=\"solve\",le=\"1\"} 2\n"
              "kaname_x_seconds_bucket{verb=\"solve\",le=\"2\"} 3\n"
              "kaname_x_seconds_bucket{verb=\"solve\",le=\"+Inf\"} 4\n"
              "kaname_x_seconds_sum{verb=\"solve\"} 10\n"
              "kaname_x_seconds_count{verb=\"solve\"} 4\n");
}

TEST_F(MetersTest, PacksAreAsFullAsTheirTasks) {
    meters_.claimed("solve", std::array{0.0, 3.0, 70.0}, 4);
    meters_.claimed("mesh", std::array{1.0}, 1);  // cannot have more

    const Meters::Readings read = meters_.read();
    EXPECT_EQ(read.fill.n, 1);
    EXPECT_EQ(read.fill.sum, 0.75);
    EXPECT_EQ(read.wait_s.at("solve").n, 3);
    EXPECT_EQ(read.wait_s.at("solve").sum, 73);
    EXPECT_EQ(read.wait_s.at("mesh").n, 1);
}

TEST_F(MetersTest, ARepeatedClaimCountsOnce) {
    meters_.claimed("solve", std::array{1.0}, 4);
    meters_.claimed("solve", std::array{-1.0}, 4);

    EXPECT_EQ(meters_.read().fill.n, 1);
}

TEST_F(MetersTest, LabelsThatWorkersChooseAreBounded) {
    for (int k = 0; k < 1000; ++k) {
        const std::string word = "w" + std::to_string(k);
        meters_.ended("failed", word, word, 1, false);
        meters_.ended("done", "", word, 1, false);
        meters_.called("Service/" + word, 0, 0.1);
    }
    meters_.ended("failed", "NotConverged", "solve", 1, false);

    const Meters::Readings read = meters_.read();
    EXPECT_EQ(read.attempts.at({"failed", "other"}), 1000);
    EXPECT_EQ(read.attempts.at({"failed", "NotConverged"}), 1);
    EXPECT_EQ(read.stage_s.size(), Meters::kMostVerbs + 1);
    EXPECT_EQ(read.call_s.size(), Meters::kMostMethods + 1);
}

TEST_F(MetersTest, SourcesOfTheLastMinutesCount) {
    now_ += seconds(600);
    for (int k = 0; k < 10; ++k) {
        meters_.ended("done", "", "solve", 1, true);
    }
    meters_.ended("done", "", "mesh", 1, false);
    EXPECT_DOUBLE_EQ(meters_.sources_per_minute(), 2);

    now_ += seconds(299);
    EXPECT_DOUBLE_EQ(meters_.sources_per_minute(), 2);
    now_ += seconds(2);
    EXPECT_DOUBLE_EQ(meters_.sources_per_minute(), 0);
    EXPECT_EQ(meters_.read().sources, 10);
}

TEST_F(MetersTest, AYoungServerCountsSinceItsStart) {
    now_ += seconds(60);
    meters_.ended("done", "", "solve", 1, true);

    EXPECT_DOUBLE_EQ(meters_.sources_per_minute(), 1);
}

}  // namespace
}  // namespace kaname::service::meters_test
