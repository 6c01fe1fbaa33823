// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/scenario/scenario_response.hpp"

#include <gtest/gtest.h>

#include "tests/unit/worker/jobs/plane_job.hpp"

namespace kaname::jobs::scenario_response_test {
namespace {

/// Ten steps of one second; one model.
class ScenarioResponseTest : public testing::Test {
protected:
    ScenarioResponseTest() {
        steps.grid = {1.0, 10, 0.5};
        scenario.models.resize(1);
    }
    ScenarioEvent& add_event(double time_s) {
        scenario.events.emplace_back();
        scenario.events.back().time_s = time_s;
        return scenario.events.back();
    }
    /// Motion at an epoch when the step response is `response(t)`.
    template <class Response>
    [[nodiscard]] double motion(double epoch_s, const Response& response) const {
        const std::vector<double> epochs = {epoch_s};
        const auto weights = ScenarioResponse(scenario, steps, 10.0, epochs).of_model_by_steps(0);
        double sum = 0.0;
        for (std::size_t k = 0; k < weights.size(); ++k) {
            sum += weights[k] * response(static_cast<double>(k));
        }
        return sum;
    }
    Steps steps;
    Scenario scenario;
};

double line(double t_s) {
    return 1.0 + 0.5 * t_s;
}

TEST_F(ScenarioResponseTest, EventsCountFromTheirTimeOn) {
    add_event(0.0);
    add_event(4.0).scale = 3.0;

    EXPECT_DOUBLE_EQ(motion(3.0, line), line(3.0));
    EXPECT_DOUBLE_EQ(motion(4.0, line), line(4.0) + 3.0 * line(0.0));
    EXPECT_NEAR(motion(6.5, line), line(6.5) + 3.0 * line(2.5), 1e-12);
}

TEST_F(ScenarioResponseTest, RepeatsAreEventsOfTheirOwn) {
    ScenarioEvent& event = add_event(1.0);
    event.repeats = 3;
    event.interval_s = 3.0;

    EXPECT_DOUBLE_EQ(motion(6.0, line), line(5.0) + line(2.0));
    EXPECT_DOUBLE_EQ(motion(7.0, line), line(6.0) + line(3.0) + line(0.0));
}

// int_0^t U(t - t') r dt' with U = 1 + t / 2.
TEST_F(ScenarioResponseTest, ARateGoesOnBeyondItsDuration) {
    ScenarioEvent& event = add_event(2.0);
    event.history.kind = HistoryKind::Steady;
    event.history.duration_s = 4.0;
    const double t = 6.0;

    EXPECT_NEAR(motion(8.0, line), (t + 0.25 * t * t) / 4.0, 1e-12);
}

TEST_F(ScenarioResponseTest, AnEpochBeyondTheStepsIsRefused) {
    add_event(0.0);

    EXPECT_THROW((void)motion(10.5, line), Error);
}

}  // namespace
}  // namespace kaname::jobs::scenario_response_test
