// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/reporter.hpp"

#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace kaname::compute::reporter_test {
namespace {

using std::chrono::milliseconds;

struct Bench {
    std::ostringstream out;
    Reporter::Clock::time_point time{};
    Reporter reporter{out, [this] { return time; }};

    std::vector<run::Progress> progress() const {
        std::vector<run::Progress> result;
        std::istringstream lines(out.str());
        for (std::string line; std::getline(lines, line);) {
            result.push_back(std::get<run::Progress>(run::parse_line(line)));
        }
        return result;
    }
};

TEST(Reporter, DropsProgressThatComesTooSoon) {
    Bench bench;

    bench.reporter.progress("solve", 0.0, "a");
    bench.time += milliseconds(50);
    bench.reporter.progress("solve", 0.1, "b");
    bench.time += milliseconds(200);
    bench.reporter.progress("solve", 0.2, "c");

    const auto seen = bench.progress();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[1].text, "c");
}

TEST(Reporter, ReportsTheEndOnceAndANewStage) {
    Bench bench;

    bench.reporter.progress("mesh", 0.5, "");
    bench.reporter.progress("mesh", 1.0, "");
    bench.reporter.progress("mesh", 1.0, "");
    bench.reporter.progress("solve", 0.0, "");

    EXPECT_EQ(bench.progress().size(), 3u);
}

TEST(Reporter, EtaFollowsTheMeanSpeedSinceTheFirstWorkWasDone) {
    Bench bench;

    bench.reporter.progress("solve", 0.0, "setting up");
    bench.time += milliseconds(100000);
    bench.reporter.progress("solve", 0.25, "the first solve, from zero");
    bench.time += milliseconds(10000);
    bench.reporter.progress("solve", 0.5, "");

    const auto seen = bench.progress();
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_FALSE(seen[0].eta_s);
    EXPECT_FALSE(seen[1].eta_s);
    EXPECT_DOUBLE_EQ(seen[2].eta_s.value(), 20.0);
}

}  // namespace
}  // namespace kaname::compute::reporter_test
