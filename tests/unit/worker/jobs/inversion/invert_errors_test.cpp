// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "tests/unit/worker/jobs/inversion/invert_case.hpp"
#include "worker/jobs/inversion/data_weights.hpp"
#include "worker/jobs/inversion/inversion_equations.hpp"
#include "worker/jobs/inversion/invert.hpp"
#include "worker/jobs/inversion/slip_posterior.hpp"

namespace kaname::jobs::invert_errors_test {
namespace {

namespace fs = std::filesystem;
using test::expect_near;
using test::motion_of;
using test::small_greens;
using test::small_job;
using test::some_slip;

class InvertErrors : public test::InvertCase {};

/// Motion of some slip with noise of `off` times what the standard deviations say.
ObservationSet noisy_motion(const io::GreensDataset& greens, const std::string& name, double off,
                            std::uint64_t seed) {
    ObservationSet set = motion_of(greens, some_slip(), 1, name);
    inversion::Draws draws(seed);
    for (Datum& datum : set.data) {
        datum.value += off * datum.sigma * draws.normal();
    }
    return set;
}

/// The first warning that holds some words; empty: none does.
std::string warning_with(const InversionSummary& summary, const std::string& words) {
    const auto found = std::ranges::find_if(summary.warnings, [&](const std::string& warning) {
        return warning.find(words) != warning.npos;
    });
    return found == summary.warnings.end() ? "" : *found;
}

double slip_error(const std::vector<double>& found) {
    double sum = 0.0;
    for (std::size_t s = 0; s < found.size(); ++s) {
        sum += std::pow(found[s] - some_slip()[s], 2);
    }
    return std::sqrt(sum / static_cast<double>(found.size()));
}

TEST_F(InvertErrors, VarianceComponentsFindTheFactorThatIsWarnedOf) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(noisy_motion(greens, "good", 1.0, 3));
    job.sets.push_back(noisy_motion(greens, "bad", 10.0, 4));

    const InversionSummary told = run(job, greens);
    const double before = slip_error(read("slip"));
    job.regularisation.variance_components = true;
    const InversionSummary found = run(job, greens);

    // The bad set pulls slip away from the good one, which may be told of as well.
    const std::string of_bad = warning_with(told, "data set 'bad': chi2 is ");
    EXPECT_NE(of_bad.find("times too small"), std::string::npos) << of_bad;
    EXPECT_NEAR(found.sets[0].sigma_factor, 1.0, 0.25);
    EXPECT_NEAR(found.sets[1].sigma_factor, 10.0, 2.0);
    EXPECT_LT(slip_error(read("slip")), 0.5 * before);
    EXPECT_TRUE(found.warnings.empty()) << found.warnings[0];
}

TEST_F(InvertErrors, OutliersAreNamedAndHubersNormCountsThemLess) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(noisy_motion(greens, "gnss", 1.0, 3));
    (void)run(job, greens);
    const double clean = slip_error(read("slip"));
    job.sets[0].data[40].value += 50.0 * job.sets[0].data[40].sigma;

    const InversionSummary told = run(job, greens);
    const double before = slip_error(read("slip"));
    job.regularisation.norm = Regularisation::Norm::Huber;
    const InversionSummary robust = run(job, greens);

    ASSERT_GE(told.warnings.size(), 1u);
    EXPECT_NE(told.warnings[0].find("1 of 90 observations miss the fit by more than 5 standard "
                                    "deviations: north of 'G113' (gnss.csv:15) by "),
              std::string::npos)
        << told.warnings[0];
    EXPECT_GT(before, 2.0 * clean);
    EXPECT_LT(slip_error(read("slip")), 1.5 * clean);
    EXPECT_NE(robust.warnings.at(0).find("G113"), std::string::npos);
}

TEST_F(InvertErrors, OutliersNearerThanAPatchIsLargeAreThoseOfItsSize) {
    io::GreensDataset greens = small_greens();
    const auto buried = [&](double depth_m) {
        for (io::GreensDataset::Source& source : greens.sources) {
            source.length_m = 20e3;
            source.width_m = 19e3;
            for (int corner = 0; corner < 4; ++corner) {
                source.outline_lon_deg[corner] = source.lon_deg + (corner % 3 == 0 ? -0.1 : 0.1);
                source.outline_lat_deg[corner] = source.lat_deg + (corner < 2 ? -0.1 : 0.1);
                source.outline_depth_m[corner] = depth_m;
            }
        }
    };
    InversionJob job = small_job(noisy_motion(greens, "gnss", 1.0, 3));
    job.sets[0].data[40].value += 50.0 * job.sets[0].data[40].sigma;

    buried(3e3);
    const InversionSummary near = run(job, greens);
    buried(21e3);
    const InversionSummary far = run(job, greens);

    const std::string of_patches = "patches are too large for stations that miss the fit: ";
    EXPECT_NE(warning_with(near, of_patches + "'G113' 3 km from patches of 20 km x 19 km"), "");
    EXPECT_EQ(warning_with(near, "leave outliers out"), "");
    EXPECT_EQ(warning_with(far, of_patches), "");
    EXPECT_NE(warning_with(far, "leave outliers out"), "");
}

TEST_F(InvertErrors, TheSmallestWeightOfAListIsWarnedOf) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 1));
    job.regularisation.choice = Regularisation::Choice::Abic;
    job.regularisation.smoothness = {1e-4, 1e-2, 1.0};

    const InversionSummary summary = run(job, greens);

    EXPECT_NE(warning_with(summary,
                           "regularisation.smoothness: 0.0001, which abic chose, is the "
                           "smallest that was tried"),
              "");
}

TEST_F(InvertErrors, RowsWhoseErrorsAreNearlyTheSameAreWarnedOfOrRefused) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(noisy_motion(greens, "sar", 1.0, 3));
    job.sets[0].correlation_length_m = 10e3;
    EXPECT_TRUE(run(job, greens).warnings.empty());
    for (int k = 0; k < 3; ++k) {  // a metre beside the first station
        job.sets[0].data[3 + k].lon_deg = job.sets[0].data[k].lon_deg + 1e-5;
        job.sets[0].data[3 + k].lat_deg = job.sets[0].data[k].lat_deg;
    }

    const Eigen::MatrixXd covariance = covariance_of(job.sets[0]);
    const std::string told = near_singular_rows(job.sets[0], covariance);
    EXPECT_NE(told.find("'G100' (sar.csv:2)"), std::string::npos) << told;
    EXPECT_NE(told.find("m apart, are correlated by 0.9999"), std::string::npos) << told;
    for (int k = 0; k < 3; ++k) {
        job.sets[0].data[3 + k].lon_deg = job.sets[0].data[k].lon_deg;
    }
    EXPECT_THROW((void)covariance_of(job.sets[0]), Error);
}

TEST_F(InvertErrors, ThePosteriorHoldsTheTruthAndIsKept) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(noisy_motion(greens, "gnss", 3.0, 3));
    job.slip.min_m = 0.0;
    job.sets[0].offset = true;
    job.posterior = PosteriorSampling{.iterations = 500, .draws = 20};

    const InversionSummary summary = run(job, greens);

    ASSERT_TRUE(summary.posterior);
    const InversionSummary::Posterior& posterior = *summary.posterior;
    EXPECT_TRUE(posterior.converged) << posterior.effective_slip << " " << posterior.r_hat;
    ASSERT_EQ(posterior.windows.size(), 1u);
    double moment = 0.0;
    for (std::size_t p = 0; p < 12; ++p) {
        moment += 3e10 * 4e8 * (1 + p % 3) * std::hypot(some_slip()[2 * p], some_slip()[2 * p + 1]);
    }
    const auto holds = [](const InversionSummary::Interval& interval, double truth) {
        return interval.low < truth && truth < interval.high;
    };
    EXPECT_TRUE(holds(posterior.windows[0].moment_n_m, moment));
    EXPECT_TRUE(holds(posterior.factors.at(0), 3.0)) << posterior.factors[0].median;
    EXPECT_EQ(posterior.windows[0].parts.size(), 4u);
    const std::vector<double> slip = read("posterior/slip");
    ASSERT_EQ(slip.size(), 5u * 24u);
    int held = 0;
    for (std::size_t s = 0; s < 24; ++s) {
        held += slip[s] < some_slip()[s] && some_slip()[s] < slip[4 * 24 + s] ? 1 : 0;
    }
    EXPECT_GE(held, 21);
    EXPECT_EQ(read("posterior/slip_draws").size(), 2u * 20u * 24u);
    EXPECT_EQ(read("posterior/probability"), std::vector<double>(12, 1.0));
    // Parts of the fault are all of it.
    const std::vector<double> quantiles = read("posterior/quantile");
    EXPECT_EQ(quantiles, (std::vector<double>{0.025, 0.16, 0.5, 0.84, 0.975}));
    EXPECT_GT(read("posterior/effective_number").front(), kLeastEffective);
}

TEST_F(InvertErrors, APosteriorsDamagedCheckpointIsNoHindranceAndNoneIsLeft) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(noisy_motion(greens, "gnss", 3.0, 3));
    job.slip.min_m = 0.0;
    job.posterior = PosteriorSampling{.iterations = 100};
    (void)run(job, greens);
    const std::vector<double> whole = read("posterior/slip");
    const std::string checkpoint = out() + ".posterior";
    std::ofstream(checkpoint) << "kaname posterior 1";

    (void)run(job, greens);

    EXPECT_EQ(read("posterior/slip"), whole);
    EXPECT_FALSE(fs::exists(checkpoint));
}

TEST_F(InvertErrors, APosteriorEndsWithTheEffectiveSamplesThatAreAskedFor) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(noisy_motion(greens, "gnss", 3.0, 3));
    job.slip.min_m = 0.0;
    job.posterior = PosteriorSampling{.iterations = 100000, .draws = 20, .effective_samples = 700};

    const InversionSummary found = run(job, greens);

    ASSERT_TRUE(found.posterior->converged);
    EXPECT_GE(found.posterior->iterations, 1000);
    EXPECT_LT(found.posterior->iterations, 20000);
    EXPECT_EQ(found.posterior->most_iterations, 100000);
    for (const char* const of : {"posterior/effective_amount", "posterior/effective_number"}) {
        EXPECT_GE(std::ranges::min(read(of)), 700.0) << of;
    }
    const h5::File file(out(), h5::File::Mode::Read);
    EXPECT_EQ(file.int_attribute("posterior/moment_draws", "discarded"),
              found.posterior->iterations / 5);
    EXPECT_EQ(warning_with(found, "were asked for"), "");

    job.posterior->iterations = 1200;
    job.posterior->effective_samples = 100000;
    const InversionSummary short_of = run(job, greens);
    EXPECT_EQ(short_of.posterior->iterations, 1200);
    EXPECT_NE(warning_with(short_of, "posterior: 1200 iterations gave "), "");
}

TEST_F(InvertErrors, APosteriorOfTooFewIterationsIsWarnedOf) {
    const io::GreensDataset greens = small_greens(5);
    InversionJob job = small_job(noisy_motion(greens, "gnss", 1.0, 3));
    job.slip.min_m = 0.0;
    job.posterior = PosteriorSampling{.iterations = 20};

    const InversionSummary summary = run(job, greens);

    EXPECT_FALSE(summary.posterior->converged);
    EXPECT_NE(warning_with(summary, "posterior: it has not converged: effective samples of slip "),
              "");
    EXPECT_NE(warning_with(summary, "posterior: there are 5 stations; "), "");
}

TEST_F(InvertErrors, CrossValidationPrefersSmoothnessForNoisyData) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, std::vector<double>(24, 1.0), 0));
    inversion::Draws draws(8);
    for (Datum& datum : job.sets[0].data) {
        datum.sigma = 8.0;
        datum.value += 8.0 * draws.normal();
    }
    job.regularisation.choice = Regularisation::Choice::CrossValidation;
    job.regularisation.edges = Regularisation::Edges::Free;
    job.regularisation.smoothness = {1e-6, 1e-3, 1.0, 10.0};
    const InversionSummary summary = run(job, greens);

    EXPECT_GE(summary.smoothness, 1.0);
    const std::vector<double> score = read("choice/score");
    ASSERT_EQ(score.size(), 4U);
    EXPECT_NEAR(summary.score, *std::min_element(score.begin(), score.end()), 1e-12);
    job.regularisation.folds = 31;
    EXPECT_NE(message_of(job, greens)
                  .find("regularisation.folds must be at most the number of "
                        "stations with data, 30, got 31"),
              std::string::npos);
}

TEST_F(InvertErrors, CorrelatedErrorsAreWhitenedByTheirCovariance) {
    // With as many data as unknowns any covariance gives the same slip; chi^2 is r'C^-1 r.
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0), 1e-3);
    job.sets[0].correlation_length_m = 30e3;
    const InversionSummary model = run(job, greens);
    const std::vector<double> by_model = read("slip");
    const std::size_t n = job.sets[0].data.size();
    job.sets[0].correlation_length_m = 0.0;
    job.sets[0].covariance.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const Datum &a = job.sets[0].data[i], &b = job.sets[0].data[j];
            if (a.component == b.component) {
                // On a sphere of 6371 km.
                const double half_lat = 0.5 * (a.lat_deg - b.lat_deg) * kDegree;
                const double half_lon = 0.5 * (a.lon_deg - b.lon_deg) * kDegree;
                const double h = std::pow(std::sin(half_lat), 2) +
                                 std::cos(a.lat_deg * kDegree) * std::cos(b.lat_deg * kDegree) *
                                     std::pow(std::sin(half_lon), 2);
                job.sets[0].covariance[i * n + j] =
                    1e-4 * std::exp(-2.0 * 6371e3 * std::asin(std::sqrt(h)) / 30e3);
            }
        }
    }
    const InversionSummary matrix = run(job, greens);

    expect_near(read("slip"), by_model, 1e-9);
    EXPECT_NEAR(model.sets[0].chi2_per_observation, matrix.sets[0].chi2_per_observation, 1e-9);
    job.bootstrap = 10;
    EXPECT_NE(message_of(job, greens).find("appraisal.bootstrap"), std::string::npos);
    job.bootstrap = 0;
    job.sets[0].covariance[1] = job.sets[0].covariance[n] = 1.0;
    EXPECT_NE(message_of(job, greens).find("must be positive definite"), std::string::npos);
}

TEST_F(InvertErrors, FoldsOfAMatrixWithoutCorrelationAreThoseOfSigmas) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.regularisation.choice = Regularisation::Choice::CrossValidation;
    job.regularisation.smoothness = {1e-3, 1.0};
    job.regularisation.folds = 4;
    (void)run(job, greens);
    const std::vector<double> score = read("choice/score");
    const std::size_t n = job.sets[0].data.size();
    job.sets[0].covariance.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        job.sets[0].covariance[i * n + i] = 1e-4;
    }
    (void)run(job, greens);

    const std::vector<double> by_matrix = read("choice/score");
    for (std::size_t i = 0; i < score.size(); ++i) {
        EXPECT_NEAR(by_matrix[i] / score[i], 1.0, 1e-9);
    }
}

TEST_F(InvertErrors, BootstrapBracketsTheEstimate) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    inversion::Draws draws(5);
    for (Datum& datum : job.sets[0].data) {
        datum.value += 0.01 * draws.normal();
    }
    job.bootstrap = 60;
    (void)run(job, greens);

    const std::vector<double> low = read("slip_low"), high = read("slip_high"), slip = read("slip");
    int inside = 0;
    for (std::size_t i = 0; i < 24; ++i) {
        EXPECT_LT(low[i], high[i]);
        inside += low[i] <= slip[i] && slip[i] <= high[i];
    }
    EXPECT_GE(inside, 22);
}

}  // namespace
}  // namespace kaname::jobs::invert_errors_test
