// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/slip_in_time.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/unit/worker/jobs/inversion/invert_case.hpp"

namespace kaname::jobs::slip_in_time_test {
namespace {

using test::greens_at;
using test::small_greens;
using test::small_job;

constexpr double kYear = kJulianYear_s;
constexpr int kSteps = 6, kTimes = 40;
constexpr double kSpan_years = 2.0, kSigma_m = 0.002, kJump_m = 0.5, kSeason_m = 0.3;

/// Rate of the dip slip of a patch in the middle of a step [m/year].
double rate_of(std::size_t patch, int step) {
    return (0.2 + 0.1 * static_cast<double>(patch % 4)) *
           std::exp(-std::pow((step - 2.5) / 1.5, 2));
}

constexpr double kEvent_years = 0.9;

/// Sudden dip slip of a patch [m].
double event_slip(std::size_t patch) {
    return 0.5 + 0.2 * static_cast<double>(patch % 3);
}

/// Series of all stations by these rates behind the dataset's relaxation, sums over short times,
/// with an offset, a jump and a season of each, and with an event or without.
ObservationSet series_of_motion(const io::GreensDataset& d, bool with_event = false) {
    constexpr int kParts = 300;
    const auto at_age = [&](std::size_t source, std::size_t n, std::size_t c, double years) {
        const double share = years < 1.0 ? years : (years - 1.0) / 2.0;
        const std::size_t e = years < 1.0 ? 0 : 1;
        return (1.0 - share) * greens_at(d, source, e, n, c) +
               share * greens_at(d, source, e + 1, n, c);
    };
    inversion::Draws noise(3);
    ObservationSet set = test::motion_of(d, {}, 0);
    std::vector<Datum> once = std::move(set.data);
    set.data.clear();
    set.series.annual = true;
    set.series.steps_s = {0.7 * kYear};
    for (int t = 0; t < kTimes; ++t) {
        const double years = kSpan_years * (t + 0.5) / kTimes;
        for (std::size_t k = 0; k < once.size(); ++k) {
            Datum datum = once[k];
            datum.epoch_s = years * kYear;
            datum.sigma = kSigma_m;
            datum.value = 0.1 * static_cast<double>(k) + (years >= 0.7 ? kJump_m : 0.0) +
                          kSeason_m * std::sin(2.0 * std::numbers::pi * years) +
                          kSigma_m * noise.normal();
            for (int step = 0; step < kSteps; ++step) {
                for (int part = 0; part < kParts; ++part) {
                    const double slipped = kSpan_years * (step + (part + 0.5) / kParts) / kSteps;
                    for (std::size_t p = 0; slipped < years && p < 12; ++p) {
                        datum.value += kSpan_years / kSteps / kParts * rate_of(p, step) *
                                       at_age(2 * p + 1, k / 3, k % 3, years - slipped);
                    }
                }
            }
            for (std::size_t p = 0; with_event && years >= kEvent_years && p < 12; ++p) {
                datum.value +=
                    event_slip(p) * at_age(2 * p + 1, k / 3, k % 3, years - kEvent_years);
            }
            set.data.push_back(datum);
        }
    }
    return set;
}

InversionJob history_job(ObservationSet set) {
    InversionJob job = small_job(std::move(set));
    job.regularisation.choice = Regularisation::Choice::Abic;
    job.regularisation.smoothness.clear();
    job.slip.components = {"dip_slip"};
    job.slip.min_m = 0.0;
    job.slip.windows = {{.name = "event",
                         .kind = SlipWindow::Kind::History,
                         .end_s = kSpan_years * kYear,
                         .step_s = kSpan_years * kYear / kSteps}};
    return job;
}

class SlipInTime : public test::InvertCase {
protected:
    /// Largest error of the moment rate over its largest.
    double moment_rate_error() {
        const std::vector<double> found = read("history/moment_rate");
        double worst = 0.0, most = 0.0;
        for (int step = 0; step < kSteps; ++step) {
            double truth = 0.0;
            for (std::size_t p = 0; p < 12; ++p) {
                truth += 3e10 * 4e8 * static_cast<double>(1 + p % 3) * rate_of(p, step);
            }
            most = std::max(most, truth);
            worst = std::max(worst, std::abs(found[static_cast<std::size_t>(step)] - truth));
        }
        return worst / most;
    }
};

TEST_F(SlipInTime, RatesBehindRelaxationAreFoundBesideSeasonsAndJumps) {
    const io::GreensDataset greens = small_greens(8);
    InversionJob job = history_job(series_of_motion(greens));

    const InversionSummary summary = run(job, greens);

    EXPECT_LT(moment_rate_error(), 0.03);
    EXPECT_EQ(summary.unknowns, 12 * kSteps);
    EXPECT_EQ(summary.observations, kTimes * 24);
    EXPECT_NEAR(summary.sets[0].chi2_per_observation, 1.0, 0.15);
    ASSERT_TRUE(summary.history);
    EXPECT_EQ(summary.history->steps, kSteps);
    EXPECT_EQ(summary.history->largest_moment_rate, std::ranges::max(read("history/moment_rate")));
    // Terms: offset, sine, cosine and jump of each series, in the order of its stations.
    const std::vector<double> terms = read("history/term_value");
    ASSERT_EQ(terms.size(), 24u * 4u);
    for (std::size_t series = 0; series < 24; ++series) {
        EXPECT_NEAR(terms[4 * series + 1], kSeason_m, 0.02);
        EXPECT_NEAR(terms[4 * series + 3], kJump_m, 0.02);
    }
    // Slip at the end is that of the window, and the moment's interval holds it.
    const std::vector<double> slip = read("history/slip"), moment = read("history/moment");
    const std::vector<double> of_window = read("slip");
    EXPECT_EQ(std::vector<double>(slip.end() - 24, slip.end()), of_window);
    EXPECT_NEAR(moment.back(), summary.windows[0].moment_n_m, 1e-6 * moment.back());
    EXPECT_GT(read("history/moment_sigma").back(), 0.0);
    EXPECT_EQ(read("history/slip_rate_sigma").size(), 24u * kSteps);
    // The elastic response alone is of another Earth.
    job.slip.windows[0].elastic = true;
    (void)run(job, greens);
    EXPECT_GT(moment_rate_error(), 0.2);
}

TEST_F(SlipInTime, SuddenSlipOfAnEventStandsBesideTheHistory) {
    const io::GreensDataset greens = small_greens(8);
    InversionJob job = history_job(series_of_motion(greens, true));
    job.slip.windows.push_back(
        {.name = "shock", .kind = SlipWindow::Kind::Step, .begin_s = kEvent_years * kYear});
    job.slip.max_m = 0.6;  // of rates alone

    const InversionSummary summary = run(job, greens);

    EXPECT_LT(moment_rate_error(), 0.03);
    double moment = 0.0;
    for (std::size_t p = 0; p < 12; ++p) {
        moment += 3e10 * 4e8 * static_cast<double>(1 + p % 3) * event_slip(p);
    }
    ASSERT_EQ(summary.windows.size(), 2u);
    EXPECT_NEAR(summary.windows[1].moment_n_m, moment, 0.02 * moment);
    EXPECT_EQ(summary.unknowns, 12 * (kSteps + 1));
    EXPECT_TRUE(summary.warnings.empty());
    const std::vector<double> slip = read("slip"), sigma = read("slip_sigma");
    ASSERT_EQ(slip.size(), 48u);
    ASSERT_EQ(sigma.size(), 48u);
    for (std::size_t p = 0; p < 12; ++p) {
        EXPECT_NEAR(slip[24 + 2 * p + 1], event_slip(p), 3.0 * sigma[24 + 2 * p + 1]) << p;
    }
    // The history's slip is without the event's.
    const std::vector<double> of_history = read("history/slip");
    EXPECT_EQ(std::vector<double>(of_history.end() - 24, of_history.end()),
              std::vector<double>(slip.begin(), slip.begin() + 24));
    // Data that all come after an event cannot tell it from offsets.
    job.slip.windows[1].begin_s = 0.0;
    EXPECT_TRUE(std::ranges::any_of(run(job, greens).warnings, [](const std::string& warning) {
        return warning.starts_with("window 'shock': no series has data before and after it");
    }));
}

TEST_F(SlipInTime, SeriesBeyondTheGreensFunctionsAndTooManyStepsAreRefused) {
    const io::GreensDataset greens = small_greens(8);
    InversionJob job = history_job(series_of_motion(greens));
    job.sets[0].data.back().epoch_s = 3.5 * kYear;
    EXPECT_NE(message_of(job, greens).find("elastic: true needs none"), std::string::npos);
    job.sets[0].data.back().epoch_s = kYear;
    job.slip.windows[0].step_s = kSpan_years * kYear / 5000.0;
    EXPECT_EQ(message_of(job, greens).find("slip.windows[0].step_s: must be longer: 5000 steps"),
              0u);
}

}  // namespace
}  // namespace kaname::jobs::slip_in_time_test
