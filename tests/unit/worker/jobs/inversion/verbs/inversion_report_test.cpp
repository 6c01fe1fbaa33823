// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <gtest/gtest.h>

#include "worker/jobs/inversion/verbs/inversion_kind.hpp"

namespace kaname::compute::inversion_report_test {
namespace {

jobs::InversionJob asked() {
    jobs::InversionJob job;
    job.sets.resize(2);
    job.sets[0].name = "land";
    job.sets[1].name = "rates";
    job.sets[1].velocity = true;
    job.slip.windows = {{"coseismic", jobs::SlipWindow::Kind::Step, 0.0, 0.0},
                        {"later", jobs::SlipWindow::Kind::Steady, 0.0, 1.0}};
    return job;
}

jobs::InversionSummary found() {
    jobs::InversionSummary summary;
    summary.sets = {{"land", 30, 10, 1.03, 0.0123, 0.981, 1.0, {"offset_east"}, {0.0012}},
                    {"rates", 2, 1, 0.5, 0.001, 0.5, 1.0, {}, {}}};
    summary.windows = {{"coseismic", 6.1e19, 7.12, 3.21, "s00d01"},
                       {"later", 0.0, -1e300, 0.0, ""}};
    summary.windows[1].moment_magnitude = -std::numeric_limits<double>::infinity();
    summary.stations = {{"land", "A", 1.0, 0.01}, {"land", "B", 4.0, 0.02}};
    summary.choice = "cross_validation";
    summary.smoothness = 0.01;
    summary.score = 1.25;
    summary.missing = {"a", "b", "c", "d", "e", "f"};
    summary.warnings = {"rough"};
    summary.unknowns = 24;
    summary.observations = 32;
    return summary;
}

TEST(InversionReport, TellsPeopleWhatWasFound) {
    const v1::InversionReport report = report_of(found(), asked(), "out.h5", {"units"});

    EXPECT_EQ(report.text(),
              "24 unknowns, 32 observations\n"
              "weights: smoothness 0.01, sparsity 0 by cross_validation, score 1.25\n"
              "slip\n"
              "  coseismic  Mw 7.12, moment 6.1e+19 N m, largest slip 3.21 m at s00d01\n"
              "  later      moment 0 N m/year, largest slip 0 m/year\n"
              "data\n"
              "  land   30 observations at 10 stations, chi2/observation 1.03, rms 0.0123 m, "
              "variance reduction 98.1 %\n"
              "           offset_east 0.0012\n"
              "  rates  2 observations at 1 station, chi2/observation 0.5, rms 0.001 m/year, "
              "variance reduction 50.0 %\n"
              "worst stations\n"
              "  B (land)  chi2/observation 4, rms 0.02 m\n"
              "  A (land)  chi2/observation 1, rms 0.01 m\n"
              "missing in the dataset, taken as without slip: a, b, c, d, e and 1 more\n"
              "warning: units\n"
              "warning: rough\n");
    EXPECT_EQ(report.file(), "out.h5");
    EXPECT_EQ(report.windows(1).moment_magnitude(), 0.0);
    EXPECT_FALSE(report.has_reference());
}

TEST(InversionReport, ComparesWithKnownSlip) {
    jobs::InversionSummary summary = found();
    summary.choice = "fixed";
    summary.reference = jobs::InversionSummary::Reference{7.5, 0.9123, 0.2};

    const v1::InversionReport report = report_of(summary, asked(), "out.h5", {});

    EXPECT_NE(report.text().find("weights: smoothness 0.01, sparsity 0 by fixed\n"),
              std::string::npos);
    EXPECT_NE(report.text().find("known slip: Mw 7.50, correlation with what was found 0.912, rms "
                                 "difference 0.2 m\n"),
              std::string::npos);
    EXPECT_EQ(report.reference().correlation(), 0.9123);
}

TEST(InversionReport, TellsOfThePosteriorAndOfFactorsOnErrors) {
    jobs::InversionSummary summary = found();
    summary.sets[0].sigma_factor = 3.0;
    summary.sets[1].sigma_factor = 1.1;
    jobs::InversionSummary::Posterior& posterior = summary.posterior.emplace();
    posterior.windows = {{"coseismic",
                          {5e19, 6e19, 7e19},
                          {7.07, 7.12, 7.16},
                          {{"shallow north", {0.0, 1e19, 2e19}}},
                          {0.5, 1.0, 2.0},
                          {2e4, 3e4, 4e4}}};
    posterior.factors = {{0.8, 1.0, 1.25}, {0.5, 0.7, 2.0}};
    posterior.theta = {{"mantle", 1e18, 1e20, {3e18, 4e18, 5.5e18}}};
    posterior.effective_theta = 640.0;
    posterior.acceptance = 0.27;
    posterior.interpolation_error = 0.012;
    posterior.certified_error = 4e-4;
    posterior.chains = 2;
    posterior.iterations = 2200;
    posterior.most_iterations = 10000;
    posterior.effective_slip = 912.0;
    posterior.effective_moment = 4074.0;
    posterior.effective_lambda = 1539.0;
    posterior.r_hat = 1.0034;
    posterior.converged = true;

    jobs::InversionJob job = asked();
    job.posterior = jobs::PosteriorSampling{.effective_samples = 900};

    const v1::InversionReport report = report_of(summary, job, "out.h5", {});

    EXPECT_NE(report.text().find(
                  "posterior: median (95 % of the draws), 2 chains of 2200 iterations\n"
                  "  ended after 2200 of 10000 iterations, since each number has the 900 effective "
                  "samples that were asked for\n"
                  "  coseismic  Mw 7.12 (7.07 to 7.16), moment 6e+19 (5e+19 to 7e+19) N m\n"
                  "    shallow north  moment 1e+19 (0 to 2e+19) N m\n"
                  "    field that is rectified: standard deviation 1 (0.5 to 2) m, correlated over "
                  "3e+04 (2e+04 to 4e+04) m\n"
                  "  errors of land  1 (0.8 to 1.25) times their standard deviations\n"
                  "  errors of rates  0.7 (0.5 to 2) times their standard deviations\n"
                  "  viscosity of mantle  4e+18 (3e+18 to 5.5e+18) Pa s, within 1e+18 to 1e+20\n"
                  "    640 effective samples at least, 0.27 of steps taken; errors of the "
                  "responses: interpolation 0.012 standard deviations of the data (rms), reduced "
                  "model 0.0004 of the largest change\n"
                  "  effective samples: slip 912 at least, moment 4074, standard deviation of the "
                  "field 1539; R-hat 1.003 at most\n"),
              std::string::npos)
        << report.text();
    EXPECT_NE(report.text().find("         standard deviations times 3, for the residuals are "
                                 "larger than they say\n"),
              std::string::npos);
    EXPECT_NE(report.text().find("         standard deviations times 1.1\n"), std::string::npos);
    EXPECT_TRUE(report.posterior().converged());
}

TEST(InversionReport, HasTheWorstStationsFirstAndNoMoreThanPeopleRead) {
    jobs::InversionSummary summary = found();
    summary.stations.assign(kReportedStations + 5, {"land", "A", 1.0, 0.01});
    summary.stations.back() = {"land", "worst", 9.0, 0.01};

    const v1::InversionReport report = report_of(summary, asked(), "out.h5", {});

    EXPECT_EQ(report.stations_size(), static_cast<int>(kReportedStations));
    EXPECT_EQ(report.stations(0).station(), "worst");
}

}  // namespace
}  // namespace kaname::compute::inversion_report_test
