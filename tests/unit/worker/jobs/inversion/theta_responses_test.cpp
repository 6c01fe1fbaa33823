// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/theta_responses.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/jobs/inversion/small_greens.hpp"
#include "worker/jobs/inversion/invert.hpp"

namespace kaname::jobs::theta_responses_test {
namespace {

namespace fs = std::filesystem;
constexpr double kEnd_s = 3.0 * kJulianYear_s, kSoft = 3e18, kStiff = 8e18, kSigma_m = 0.05;

/// small_greens() with a reduced model of two groups of rock, whose viscosities have ranges.
io::GreensDataset ranged_greens() {
    io::GreensDataset d = test::small_greens();
    d.specification_json = "{}";
    inversion::Draws draws(4);
    io::ReducedRange range{.parameter = {"upper", "lower"},
                           .from_pa_s = {1e18, 1e18},
                           .to_pa_s = {1e20, 1e20},
                           .reference_pa_s = {1e19, 1e19},
                           .mu_pa = {3e10, 6e10},
                           .relaxed_mu_pa = {0.0, 0.0},
                           .kelvin_mu_pa = {0.0, 0.0},
                           .viscosity_pa_s = {0.0, 0.0},
                           .kelvin_viscosity_pa_s = {0.0, 0.0},
                           .viscosity = {0, 1},
                           .kelvin_viscosity = {-1, -1},
                           .bulk = {0, 0},
                           .tolerance = 1e-3,
                           .end_s = kEnd_s,
                           .left = 1e-6,
                           .least = 1e-9};
    range.factor.assign(36, 0.0);  // two forces, and the parts of two basis vectors in three sums
    range.factor.front() = 1e-5;
    range.seen = {1.0, 0.0, 0.0, 1.0};
    range.sample_log_g = {-0.5, -0.5};
    range.sample_motion = {1.0};
    const io::ReducedMatrices matrices{.n_basis = 2,
                                       .A_el = {0.05, 0.0, 0.0, 0.05},
                                       .A = {0.95, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.95},
                                       .b = {1.0, 0.0, 0.0, 1.0},
                                       .n_branches = {1, 1},
                                       .share = {1.0, 1.0},
                                       .rate_per_s = {3e-9, 6e-9},
                                       .range = range};
    for (std::size_t s = 0; s < d.sources.size(); ++s) {
        io::GreensDataset::Reduced& reduced = d.reduced.emplace_back();
        reduced.matrices = matrices;
        for (std::size_t k = 0; k < 3 * 3 * d.stations.size(); ++k) {
            reduced.fields.push_back(draws.normal());
        }
    }
    d.shift_per_s.assign(d.sources.size(), io::GreensDataset::kNone);
    const Answers answers(d);
    d.greens = answers.at(answers.rheology({}).relaxation,
                          answers.times(d.epochs_s, {{HistoryKind::Step}, kEnd_s}), answers.all());
    return d;
}

/// Slip on half of the patches, and what stations saw of it for two viscosities, at epochs of
/// which the dataset has not all.
ObservationSet ranged_motion(const io::GreensDataset& d) {
    const Answers answers(d);
    std::vector<double> slip_m(d.sources.size()), epochs_s;
    for (std::size_t s = 0; s < slip_m.size(); ++s) {
        slip_m[s] = s < slip_m.size() / 2 ? 0.5 : 0.0;
    }
    for (const double years : {0.0, 0.4, 1.0, 1.7, 3.0}) {
        epochs_s.push_back(years * kJulianYear_s);
    }
    const std::vector<double> motion =
        answers.sum(answers.rheology({{"upper", kSoft}, {"lower", kStiff}}).relaxation,
                    answers.times(epochs_s, {{HistoryKind::Step}, kEnd_s}), slip_m);
    ObservationSet all{.name = "gnss"};
    inversion::Draws noise(9);
    for (std::size_t t = 0; t < epochs_s.size(); ++t) {
        const ObservationSet at_once = test::motion_of(d, {}, 0);
        for (std::size_t k = 0; k < at_once.data.size(); ++k) {
            Datum datum = at_once.data[k];
            datum.epoch_s = epochs_s[t];
            datum.sigma = kSigma_m;
            datum.value = motion[t * at_once.data.size() + k] + kSigma_m * noise.normal();
            all.data.push_back(datum);
        }
    }
    return all;
}

class ThetaResponsesTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }

    InversionSummary run(const InversionJob& job, const io::GreensDataset& greens) {
        io::write_greens_dataset(path("greens.h5"), greens);
        fs::remove(path("inversion.h5"));
        return invert(job, path("greens.h5"), path("inversion.h5"), [](const auto&) {});
    }
    std::string message_of(const InversionJob& job, const io::GreensDataset& greens) {
        try {
            (void)run(job, greens);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }
    [[nodiscard]] std::string path(const char* name) const { return folder_.path(name); }
    [[nodiscard]] std::vector<double> read(const std::string& name) const {
        return h5::File(path("inversion.h5"), h5::File::Mode::Read).read<double>(name);
    }

    support::TemporaryFolder folder_;
};

TEST_F(ThetaResponsesTest, SlipAndTwoViscositiesAreSampledTogether) {
    const io::GreensDataset greens = ranged_greens();
    InversionJob job = test::small_job(ranged_motion(greens));
    job.slip.min_m = 0.0;
    job.sets[0].offset = true;
    job.posterior = PosteriorSampling{.iterations = 800, .draws = 20, .theta = {"lower", "upper"}};

    const InversionSummary summary = run(job, greens);

    const InversionSummary::Posterior& posterior = *summary.posterior;
    ASSERT_EQ(posterior.theta.size(), 2u);
    const double truths[] = {kStiff, kSoft};
    for (std::size_t p = 0; p < 2; ++p) {
        const InversionSummary::Posterior::Theta& theta = posterior.theta[p];
        EXPECT_LT(theta.viscosity_pa_s.low, truths[p]) << theta.name;
        EXPECT_GT(theta.viscosity_pa_s.high, truths[p]) << theta.name;
        EXPECT_LT(theta.viscosity_pa_s.high, 1.2 * theta.viscosity_pa_s.low) << theta.name;
        EXPECT_NEAR(theta.from_pa_s, 1e18, 1e6);
        EXPECT_NEAR(theta.to_pa_s, 1e20, 1e8);
    }
    EXPECT_LT(posterior.interpolation_error, 0.05);
    EXPECT_GT(posterior.interpolation_error, 0.0);
    EXPECT_GT(posterior.certified_error, 0.0);
    EXPECT_GT(posterior.acceptance, 0.1);
    EXPECT_TRUE(posterior.converged) << posterior.effective_theta << " " << posterior.r_hat;
    EXPECT_NEAR(posterior.factors.at(0).median, 1.0, 0.1);
    EXPECT_EQ(read("posterior/viscosity")[2 * 2], posterior.theta[0].viscosity_pa_s.median);
    EXPECT_EQ(read("posterior/theta_draws").size(), 2u * 20u * 2u);
    EXPECT_EQ(read("posterior/theta_range").size(), 4u);
    EXPECT_EQ(read("posterior/certified_error").front(), posterior.certified_error);
    const std::vector<double> slip = read("posterior/slip");
    int held = 0;
    for (std::size_t s = 0; s < 24; ++s) {
        const double truth = s < 12 ? 0.5 : 0.0;
        held += slip[s] <= truth && truth <= slip[4 * 24 + s] ? 1 : 0;
    }
    EXPECT_GE(held, 21);
}

TEST_F(ThetaResponsesTest, UnknownViscositiesAndSourcesWithoutAModelAreRefused) {
    io::GreensDataset greens = ranged_greens();
    InversionJob job = test::small_job(ranged_motion(greens));
    job.slip.min_m = 0.0;
    job.posterior = PosteriorSampling{.iterations = 100, .theta = {"upper", "crust"}};

    EXPECT_EQ(message_of(job, greens),
              "posterior.theta[1]: must be a viscosity with a range in the dataset (upper, lower), "
              "got 'crust'");
    job.posterior->theta = {"upper"};
    greens.reduced[7] = {};
    greens.reduced[7].matrices.A_el = {};
    EXPECT_NE(message_of(job, greens).find("posterior.theta: needs a reduced model"),
              std::string::npos);
    EXPECT_NE(message_of(job, test::small_greens()).find("answers for no other viscosities"),
              std::string::npos);
}

}  // namespace
}  // namespace kaname::jobs::theta_responses_test
