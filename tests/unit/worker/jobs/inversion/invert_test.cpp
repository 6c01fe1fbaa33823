// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/invert.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "tests/unit/worker/jobs/inversion/small_greens.hpp"
#include "worker/jobs/inversion/data_weights.hpp"
#include "worker/jobs/inversion/inversion_equations.hpp"
#include "worker/jobs/inversion/slip_posterior.hpp"

namespace kaname::jobs::invert_test {
namespace {

namespace fs = std::filesystem;
using test::greens_at;
using test::motion_of;
using test::small_greens;
using test::small_job;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Invert : public ::testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
        folder_ = fs::temp_directory_path() / ("kaname_invert_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    InversionSummary run(const InversionJob& job, const io::GreensDataset& greens) {
        io::write_greens_dataset(greens_path(), greens);
        fs::remove(out());
        return invert(job, greens_path(), out(), [](const InversionProgress&) {});
    }
    std::string message_of(const InversionJob& job, const io::GreensDataset& greens) {
        try {
            (void)run(job, greens);
        } catch (const Error& error) {
            EXPECT_FALSE(fs::exists(out()));
            return error.what();
        }
        ADD_FAILURE() << "no error";
        return "";
    }
    [[nodiscard]] std::vector<double> read(const std::string& name) const {
        return h5::File(out(), h5::File::Mode::Read).read<double>(name);
    }
    [[nodiscard]] std::string greens_path() const { return (folder_ / "greens.h5").string(); }
    [[nodiscard]] std::string out() const { return (folder_ / "inversion.h5").string(); }

    fs::path folder_;
};

std::vector<double> some_slip() {
    std::vector<double> slip(24);
    for (std::size_t s = 0; s < slip.size(); ++s) {
        slip[s] = 0.3 + 0.1 * static_cast<double>(s % 7);
    }
    return slip;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted,
                 double tolerance) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(found[i], wanted[i], tolerance) << i;
    }
}

TEST_F(Invert, FindsTheSlipThatMadeTheData) {
    const io::GreensDataset greens = small_greens();
    const InversionSummary summary = run(small_job(motion_of(greens, some_slip(), 1)), greens);

    expect_near(read("slip"), some_slip(), 1e-9);
    EXPECT_NEAR(summary.sets[0].variance_reduction, 1.0, 1e-9);
    EXPECT_EQ(summary.observations, 90);
    EXPECT_EQ(summary.unknowns, 24);
    // Moment: rigidity times potency times the length of the patch's slip vector.
    double moment = 0.0;
    for (std::size_t p = 0; p < 12; ++p) {
        moment += 3e10 * 4e8 * (1 + p % 3) * std::hypot(some_slip()[2 * p], some_slip()[2 * p + 1]);
    }
    EXPECT_NEAR(summary.windows[0].moment_n_m / moment, 1.0, 1e-9);
    EXPECT_NEAR(summary.windows[0].moment_magnitude, (std::log10(moment) - 9.1) / 1.5, 1e-9);
    expect_near(read("resolution_diagonal"), std::vector<double>(24, 1.0), 1e-8);
}

TEST_F(Invert, WarnsOfAWindowWithoutSlip) {
    const io::GreensDataset greens = small_greens();
    std::vector<double> against = some_slip();
    for (double& amount : against) {
        amount = -amount;
    }
    InversionJob job = small_job(motion_of(greens, against, 1));
    EXPECT_TRUE(run(job, greens).warnings.empty());
    job.slip.min_m = 0.0;
    job.slip.max_m = 0.0;

    const InversionSummary summary = run(job, greens);

    ASSERT_EQ(summary.warnings.size(), 1u);
    EXPECT_TRUE(summary.warnings[0].starts_with("window 'coseismic' has no slip at all"));
}

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

TEST_F(Invert, VarianceComponentsFindTheFactorThatIsWarnedOf) {
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

TEST_F(Invert, OutliersAreNamedAndHubersNormCountsThemLess) {
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

TEST_F(Invert, SlipOfMillimetresReadAsMetresIsWarnedOf) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 1));
    for (Datum& datum : job.sets[0].data) {
        datum.value *= 1000.0;
    }

    const InversionSummary summary = run(job, greens);

    ASSERT_EQ(summary.warnings.size(), 1u);
    EXPECT_NE(summary.warnings[0].find("more than any fault's; are the data in the unit"),
              std::string::npos)
        << summary.warnings[0];
}

TEST_F(Invert, TheSmallestWeightOfAListIsWarnedOf) {
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

TEST_F(Invert, RowsWhoseErrorsAreNearlyTheSameAreWarnedOfOrRefused) {
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

TEST_F(Invert, ThePosteriorHoldsTheTruthAndIsKept) {
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

TEST_F(Invert, APosteriorsDamagedCheckpointIsNoHindranceAndNoneIsLeft) {
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

TEST_F(Invert, APosteriorOfTooFewIterationsIsWarnedOf) {
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

TEST_F(Invert, LineOfSightIsTheMotionAlongIt) {
    const io::GreensDataset greens = small_greens();
    ObservationSet insar = motion_of(greens, some_slip(), 0, "insar");
    insar.kind = ObservationKind::Insar;
    const double look[] = {0.6, -0.1, std::sqrt(1.0 - 0.37)};
    std::vector<Datum> data;
    for (std::size_t n = 0; n < greens.stations.size(); ++n) {
        Datum datum = insar.data[3 * n];
        datum.component = "los";
        datum.value = look[0] * insar.data[3 * n].value + look[1] * insar.data[3 * n + 1].value +
                      look[2] * insar.data[3 * n + 2].value;
        datum.east = look[0];
        datum.north = look[1];
        datum.up = look[2];
        data.push_back(datum);
    }
    insar.data = data;
    (void)run(small_job(insar), greens);

    expect_near(read("slip"), some_slip(), 1e-6);  // 30 data, 24 unknowns
}

TEST_F(Invert, WindowsConvolveAndDifferencesSubtract) {
    // Coseismic slip a, afterslip b at a steady pace through the first year; motion between epochs.
    const io::GreensDataset greens = small_greens();
    std::vector<double> a = some_slip(), b(24, 0.0);
    for (std::size_t s = 0; s < 24; s += 2) {
        b[s] = 0.2 + 0.05 * static_cast<double>(s);
    }
    InversionJob job = small_job(motion_of(greens, a, 0, "coseismic"));
    job.slip.windows.push_back({"afterslip", SlipWindow::Kind::Ramp, 0.0, kJulianYear_s});
    ObservationSet later = motion_of(greens, a, 1, "later");
    for (std::size_t n = 0; n < greens.stations.size(); ++n) {
        for (std::size_t c = 0; c < 3; ++c) {
            Datum& datum = later.data[3 * n + c];
            datum.since_s = 0.0;
            for (std::size_t s = 0; s < 24; ++s) {
                // Mean of motion that is linear in between; and without what was there at 0.
                datum.value +=
                    b[s] * 0.5 * (greens_at(greens, s, 0, n, c) + greens_at(greens, s, 1, n, c));
                datum.value -= a[s] * greens_at(greens, s, 0, n, c);
            }
        }
    }
    job.sets.push_back(later);
    const InversionSummary summary = run(job, greens);

    std::vector<double> both = a;
    both.insert(both.end(), b.begin(), b.end());
    expect_near(read("slip"), both, 1e-8);
    EXPECT_EQ(summary.windows[1].name, "afterslip");
}

TEST_F(Invert, CouplingIsSlipThatIsLacking) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.sets[0].velocity = true;
    for (Datum& datum : job.sets[0].data) {
        datum.value = -datum.value;
    }
    job.slip.windows = {{"locked", SlipWindow::Kind::Coupling, 0.0, 0.0}};
    (void)run(job, greens);

    expect_near(read("slip"), some_slip(), 1e-9);
}

TEST_F(Invert, RakesBetweenLimitsAreKept) {
    // Slip of rake 135 with limits 60 to 120: the amounts along 60 vanish.
    const io::GreensDataset greens = small_greens();
    std::vector<double> slip(24);
    for (std::size_t p = 0; p < 12; ++p) {
        slip[2 * p] = -1.0;
        slip[2 * p + 1] = 1.0;
    }
    InversionJob job = small_job(motion_of(greens, slip, 0));
    job.slip.min_m = 0.0;
    job.slip.rake_from_deg = 60.0;
    job.slip.rake_to_deg = 120.0;
    (void)run(job, greens);

    for (const double rake : read("patch_rake")) {
        EXPECT_GE(rake, 60.0 - 1e-9);
        EXPECT_LE(rake, 120.0 + 1e-9);
    }
    job.slip.rake_to_deg = 150.0;
    (void)run(job, greens);
    expect_near(read("slip"), slip, 1e-9);
}

TEST_F(Invert, OneAzimuthGivesItsRake) {
    const io::GreensDataset greens = small_greens();
    // Strike 240, dip 20: towards 125 degrees.
    const double turn = (125.0 - 240.0) * kDegree, dip = 20.0 * kDegree;
    const double rake = std::atan2(-std::sin(turn) / std::cos(dip), std::cos(turn));
    std::vector<double> slip(24);
    for (std::size_t p = 0; p < 12; ++p) {
        slip[2 * p] = (1.0 + 0.1 * static_cast<double>(p)) * std::cos(rake);
        slip[2 * p + 1] = (1.0 + 0.1 * static_cast<double>(p)) * std::sin(rake);
    }
    // The horizontal motion of the hanging wall is towards the azimuth.
    const double along = std::cos(rake), updip = std::sin(rake) * std::cos(dip);
    const double azimuth = 240.0 + std::atan2(-updip, along) / kDegree;
    EXPECT_NEAR(std::remainder(azimuth - 125.0, 360.0), 0.0, 1e-9);
    InversionJob job = small_job(motion_of(greens, slip, 0));
    job.slip.azimuth_deg = 125.0;
    const InversionSummary summary = run(job, greens);

    EXPECT_EQ(summary.unknowns, 12);
    expect_near(read("slip"), slip, 1e-9);
}

TEST_F(Invert, NuisanceIsTakenOutOfTheData) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.sets[0].offset = job.sets[0].rotation = true;
    for (Datum& datum : job.sets[0].data) {
        datum.value += datum.component == "east" ? 0.02 : datum.component == "north" ? -0.03 : 0.5;
        // omega = (0, 0, 1e-8): velocity omega R cos(lat) to the east.
        const double east = 1e-8 * 6371e3 * std::cos(datum.lat_deg * kDegree);
        datum.value += datum.component == "east" ? east : 0.0;
    }
    const InversionSummary summary = run(job, greens);

    expect_near(read("slip"), some_slip(), 1e-6);
    EXPECT_EQ(summary.sets[0].nuisance_names.front(), "offset_east_m");
    EXPECT_NEAR(summary.sets[0].variance_reduction, 1.0, 1e-9);
    ASSERT_EQ(summary.sets[0].nuisance.size(), 6U);
    EXPECT_NEAR(summary.sets[0].nuisance[2], 0.5, 1e-6);
}

TEST_F(Invert, RotationIsAboutTheEarthsCentre) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.sets[0].rotation = true;
    for (Datum& datum : job.sets[0].data) {
        // omega = (0, 0, 1e-8): velocity omega R cos(lat) to the east.
        const double east = 1e-8 * 6371e3 * std::cos(datum.lat_deg * kDegree);
        datum.value += datum.component == "east" ? east : 0.0;
    }
    const InversionSummary summary = run(job, greens);

    EXPECT_EQ(summary.sets[0].nuisance_names.back(), "rotation_z_microrad");
    EXPECT_NEAR(summary.sets[0].nuisance[0], 0.0, 1e-6);
    EXPECT_NEAR(summary.sets[0].nuisance[1], 0.0, 1e-6);
    EXPECT_NEAR(summary.sets[0].nuisance[2], 0.01, 1e-6);
}

TEST_F(Invert, MomentIsHeldWhereItIsAskedFor) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.slip.components = {"dip_slip"};
    job.slip.min_m = 0.0;
    job.slip.moment = {MomentRule::Relation::Equal, 1e20};
    const InversionSummary summary = run(job, greens);

    EXPECT_NEAR(summary.windows[0].moment_n_m, 1e20, 1e11);
    EXPECT_EQ(summary.unknowns, 12);
}

TEST_F(Invert, SourcesThatAreNotDoneAreNamedAndLeftOut) {
    io::GreensDataset greens = small_greens();
    std::vector<double> slip = some_slip();
    slip[5] = 0.0;
    const InversionJob job = small_job(motion_of(greens, slip, 0));
    greens.sources[5].status = 0;
    for (std::size_t k = 0; k < 270; ++k) {
        greens.greens[5 * 270 + k] = std::nan("");
    }
    const InversionSummary summary = run(job, greens);

    EXPECT_EQ(summary.missing, std::vector<std::string>{greens.sources[5].id});
    expect_near(read("slip"), slip, 1e-9);
}

TEST_F(Invert, CrossValidationPrefersSmoothnessForNoisyData) {
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

TEST_F(Invert, CorrelatedErrorsAreWhitenedByTheirCovariance) {
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

TEST_F(Invert, FoldsOfAMatrixWithoutCorrelationAreThoseOfSigmas) {
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

TEST_F(Invert, BootstrapBracketsTheEstimate) {
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

TEST_F(Invert, SyntheticSlipIsRecoveredAndCompared) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.synthetic.emplace();
    job.synthetic->checkerboard = SyntheticSlip::Checkerboard{1, 2, 3.0};
    const InversionSummary board = run(job, greens);

    ASSERT_TRUE(board.reference.has_value());
    EXPECT_NEAR(board.reference->correlation, 1.0, 1e-9);
    EXPECT_NEAR(board.reference->moment_magnitude, board.windows[0].moment_magnitude, 1e-9);
    const std::vector<double> slip = read("slip");
    EXPECT_NEAR(slip[1], 3.0, 1e-9);   // row 0, column 0, dip slip
    EXPECT_NEAR(slip[5], 0.0, 1e-9);   // column 2
    EXPECT_NEAR(slip[9], 0.0, 1e-9);   // row 1, column 0
    EXPECT_NEAR(slip[13], 3.0, 1e-9);  // row 1, column 2

    job.synthetic->checkerboard.reset();
    job.synthetic->rupture = {.lon_deg = 135.2,
                              .lat_deg = 33.2,
                              .length_m = 50e3,
                              .width_m = 50e3,
                              .strike_deg = 240.0,
                              .slip_m = 2.0,
                              .rake_deg = 90.0,
                              .slip_azimuth_deg = std::nullopt};
    (void)run(job, greens);
    EXPECT_NEAR(read("slip")[2 * 5 + 1], 2.0, 1e-9);  // the patch at its centre
    EXPECT_NEAR(read("slip")[2 * 5], 0.0, 1e-9);
    EXPECT_NEAR(read("slip")[2 * 11 + 1], 0.0, 1e-9);

    job.synthetic->rupture.reset();
    job.synthetic->amounts = {{"s09d00/dip_slip", 1.0}};
    EXPECT_NE(message_of(job, greens).find("no source 's09d00/dip_slip'"), std::string::npos);
}

TEST_F(Invert, StationsWithoutGreensFunctionsAreNamedWithTheNearest) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    for (int k = 0; k < 3; ++k) {
        job.sets[0].data[k].station = "ABCD";
        job.sets[0].data[k].lon_deg += 0.03;
    }
    EXPECT_NE(message_of(job, greens)
                  .find("gnss.csv:2: station 'ABCD' has no Green's functions; "
                        "the nearest that has is 'G100', 2.80 km away"),
              std::string::npos);
    job.sets[0].match_distance_m = 3000.0;
    EXPECT_EQ(run(job, greens).warnings.size(), 1U);
    job.sets[0].data[6].lat_deg += 1.0;
    EXPECT_NE(message_of(job, greens).find("must lie where the dataset has it, is 111 km away"),
              std::string::npos);
}

TEST_F(Invert, EpochsOutsideTheDatasetAreNamed) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.sets[0].data[7].epoch_s = 4.0 * kJulianYear_s;
    const std::string message = message_of(job, greens);
    EXPECT_NE(message.find("gnss.csv:4"), std::string::npos) << message;
    EXPECT_NE(message.find("4.000000 years after slip"), std::string::npos) << message;
}

TEST_F(Invert, DatasetsOfOtherSlipAreRefused) {
    io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.slip.components = {"opening"};
    EXPECT_NE(message_of(job, greens)
                  .find("slip.components[0]: must be one of the dataset's "
                        "(dip_slip, strike_slip), got 'opening'"),
              std::string::npos);
    job.slip.components = {"dip_slip"};
    job.slip.azimuth_deg = 125.0;
    EXPECT_NE(message_of(job, greens).find("needs two components of slip on each patch"),
              std::string::npos);
    greens.unit_slip = false;
    EXPECT_NE(message_of(job, greens).find("must be a dataset of unit slip"), std::string::npos);
}

}  // namespace
}  // namespace kaname::jobs::invert_test
