// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/service/jobs/progress_board.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service::stage_times_test {
namespace {

using std::chrono::seconds;

/// 10 s of mesh, 5 of set-up, 10 sources in 3 packs of 100 s, 3 s of dataset.
StageTimes job_times() {
    return {{{"mesh", 0.0, 10.0, 1, 1}, {"solve", 5.0, 100.0, 10, 3}, {"package", 0.0, 3.0, 1, 1}},
            1.5};
}

TEST(StageTimes, AddUpWhatIsLeft) {
    const StageTimes times = job_times();

    EXPECT_DOUBLE_EQ(times.total_s(), 318.0);
    EXPECT_DOUBLE_EQ(times.seconds({{"solve", {5.0, true}}, {"package", {1.0}}}), 153.0);
    EXPECT_DOUBLE_EQ(times.seconds({{"solve", {5.0}}, {"package", {1.0}}}), 158.0);
    EXPECT_DOUBLE_EQ(times.seconds({{"solve", {0.0}}, {"package", {0.5}}, {"dream", {7.0}}}), 1.5);
}

TEST(StageTimes, ComeBackFromTheirText) {
    const auto times = StageTimes::parse(job_times().to_text());

    ASSERT_TRUE(times);
    EXPECT_DOUBLE_EQ(times->total_s(), 318.0);
    EXPECT_DOUBLE_EQ(times->spread, 1.5);
    EXPECT_EQ(times->stages[1].n_packs, 3);
    EXPECT_FALSE(StageTimes::parse(""));
}

TEST(StageTimes, OfAJobThatAnEarlierVersionStored) {
    const auto times = StageTimes::parse(
        R"({"mesh_s":10.0,"n_packs":3,"n_sources":10,"pack_s":100.0,"package_s":3.0,"setup_s":5.0,)"
        R"("spread":1.5})");

    ASSERT_TRUE(times);
    EXPECT_DOUBLE_EQ(times->total_s(), 318.0);
    EXPECT_DOUBLE_EQ(times->spread, 1.5);
    EXPECT_EQ(times->stages[1].n_tasks, 10);
}

TEST(StageTimes, ATextThatIsNoneIsNamed) {
    try {
        (void)StageTimes::parse(R"({"spread":"long"})");
        FAIL();
    } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what())
                        .starts_with("estimate of a job: must be a kaname.v1.StageTimesRecord in "
                                     "JSON: (spread): "))
            << error.what();
    }
}

struct Paced {
    PaceBoard board;
    PaceBoard::Clock::time_point start{};

    double eta_s(int at_s, double left_s, bool begun = true) {
        return board.eta_s("job", left_s, 100.0, begun, start + seconds(at_s));
    }
};

TEST(PaceBoard, BeginsWithThePrediction) {
    Paced paced;
    EXPECT_DOUBLE_EQ(paced.eta_s(0, 100.0, false), 100.0);
    EXPECT_DOUBLE_EQ(paced.eta_s(500, 100.0, false),
                     100.0);  // in the queue no time of the job goes by
    EXPECT_DOUBLE_EQ(paced.eta_s(500, 100.0), 100.0);
}

TEST(PaceBoard, KeepsToAPredictionThatComesTrue) {
    Paced paced;
    for (int at = 0; at <= 100; at += 10) {
        EXPECT_DOUBLE_EQ(paced.eta_s(at, 100.0 - at), 100.0 - at);
    }
}

TEST(PaceBoard, LearnsFromTheWorkDone) {
    Paced paced;
    (void)paced.eta_s(0, 100.0);

    // Thrice as slow as predicted: 150 s for the first half, and as much to come.
    const double eta_s = paced.eta_s(150, 50.0);
    EXPECT_GT(eta_s, 100.0);
    EXPECT_LT(eta_s, 150.0);
    EXPECT_NEAR(paced.eta_s(297, 1.0), 2.6, 0.1);
}

TEST(PaceBoard, ForgetsAJobThatWaitsAnew) {
    Paced paced;
    (void)paced.eta_s(0, 100.0);
    (void)paced.eta_s(1000, 99.0);

    EXPECT_DOUBLE_EQ(paced.eta_s(1001, 99.0, false), 99.0);
    EXPECT_DOUBLE_EQ(paced.eta_s(1002, 99.0), 99.0);
}

TEST(PaceBoard, WorkThatIsDoneAgainIsNotNegative) {
    Paced paced;
    (void)paced.eta_s(0, 20.0);

    EXPECT_GT(paced.eta_s(10, 80.0), 0.0);
    EXPECT_DOUBLE_EQ(paced.eta_s(90, 0.0), 0.0);
}

}  // namespace
}  // namespace kaname::service::stage_times_test
