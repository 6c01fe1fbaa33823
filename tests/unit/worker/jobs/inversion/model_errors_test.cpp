// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/model_errors.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/worker/jobs/inversion/invert_case.hpp"

namespace kaname::jobs::model_errors_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::expect_near;
using test::greens_at;
using test::motion_of;
using test::small_greens;
using test::small_job;
using test::some_slip;

constexpr double kSigma_m = 0.01;
constexpr int kRank = 4;  // of eight datasets in pairs

class ModelErrorsOfAnInversion : public test::InvertCase {
protected:
    /// `n` datasets whose numbers differ from those of `greens_` at random, by `part` of them, in
    /// pairs with `greens_` in their middle; the job names them.
    void ask(InversionJob& job, int n, int rounds, double part = 0.02) {
        job.model_errors = ModelErrors{{}, rounds};
        members_.clear();
        for (int j = 0; j < n; ++j) {
            members_.push_back(greens_);
            inversion::Draws draws(5 + static_cast<std::uint64_t>(j / 2));
            for (double& value : members_.back().greens) {
                value *= 1.0 + (j % 2 == 0 ? part : -part) * draws.normal();
            }
            job.model_errors->datasets.push_back(
                (folder_.path() / ("member" + std::to_string(j) + ".h5")).string());
            io::write_greens_dataset(job.model_errors->datasets.back(), members_.back());
        }
    }
    /// Observations of the first member at an epoch, with errors of the data.
    ObservationSet observed(const std::string& name, std::size_t epoch, double sigma_m) const {
        inversion::Draws draws(8 + epoch);
        ObservationSet set = motion_of(members_.front(), some_slip(), epoch, name);
        for (Datum& datum : set.data) {
            datum.value += sigma_m * draws.normal();
        }
        return set;
    }
    /// C_p of sets at epochs 0, 1, ... by what `slip` moves in each member.
    MatrixXd covariance(const std::vector<double>& slip, std::size_t n_epochs = 1) const {
        MatrixXd motion;
        for (std::size_t j = 0; j < members_.size(); ++j) {
            std::vector<double> moved;
            for (std::size_t epoch = 0; epoch < n_epochs; ++epoch) {
                for (const Datum& datum : motion_of(members_[j], slip, epoch).data) {
                    moved.push_back(datum.value);
                }
            }
            motion.resize(static_cast<Index>(moved.size()), motion.cols());
            motion.conservativeResize(Eigen::NoChange, static_cast<Index>(j) + 1);
            motion.col(static_cast<Index>(j)) =
                Eigen::Map<const VectorXd>(moved.data(), static_cast<Index>(moved.size()));
        }
        const MatrixXd apart = motion.colwise() - motion.rowwise().mean().eval();
        return apart * apart.transpose() / static_cast<double>(members_.size() - 1);
    }
    InversionSummary run(const InversionJob& job) { return InvertCase::run(job, greens_); }

    io::GreensDataset greens_ = small_greens();
    std::vector<io::GreensDataset> members_;
};

TEST_F(ModelErrorsOfAnInversion, AreAddedToTheCovarianceOfTheData) {
    InversionJob job = small_job({});
    ask(job, 8, 1);
    job.sets = {observed("gnss", 0, kSigma_m)};
    job.covariance = true;
    using Choice = Regularisation::Choice;
    for (const Choice choice : {Choice::Fixed, Choice::Abic, Choice::CrossValidation}) {
        job.regularisation.choice = choice;
        job.regularisation.folds = 3;
        job.regularisation.smoothness = {0.01};
        if (choice != Choice::Fixed) {
            job.regularisation.smoothness = {1e-4, 1e-2, 1.0};
        }
        InversionJob plain = job;
        plain.model_errors.reset();
        (void)run(plain);
        const MatrixXd of_model = covariance(read("slip"));
        const MatrixXd whole =
            of_model + kSigma_m * kSigma_m * MatrixXd::Identity(of_model.rows(), of_model.cols());
        plain.sets[0].covariance.assign(whole.data(), whole.data() + whole.size());
        const InversionSummary wanted = run(plain);
        const std::vector<double> slip = read("slip"), matrix = read("covariance"),
                                  score = read("choice/score"), abic = read("choice/abic");

        const InversionSummary found = run(job);

        expect_near(read("slip"), slip, 1e-8);
        expect_near(read("covariance"), matrix, 1e-8);
        if (choice == Choice::CrossValidation) {
            expect_near(read("choice/score"), score, 1e-7 * score[0]);
        }
        expect_near(read("choice/abic"), abic, 1e-6);
        EXPECT_NEAR(found.sets[0].chi2_per_observation, wanted.sets[0].chi2_per_observation, 1e-8);
        EXPECT_NEAR(found.sets[0].variance_reduction, wanted.sets[0].variance_reduction, 1e-8);
        EXPECT_EQ(found.observations, wanted.observations);
        EXPECT_EQ(found.unknowns, wanted.unknowns);

        const std::vector<double> sigmas = read("data/gnss/model_error");
        double ratio = 0.0;
        for (std::size_t i = 0; i < sigmas.size(); ++i) {
            const double sigma = std::sqrt(of_model(static_cast<Index>(i), static_cast<Index>(i)));
            EXPECT_NEAR(sigmas[i], sigma, 1e-10);
            ratio += sigma * sigma / (kSigma_m * kSigma_m) / static_cast<double>(sigmas.size());
        }
        EXPECT_NEAR(found.sets[0].model_error_ratio, std::sqrt(ratio), 1e-8);
        ASSERT_TRUE(found.model_errors);
        EXPECT_EQ(found.model_errors->members, 8);
        EXPECT_EQ(found.model_errors->rank, kRank);
        ASSERT_EQ(found.model_errors->rounds.size(), 1u);
        EXPECT_NEAR(found.model_errors->rounds[0].trace_ratio, ratio, 1e-8 * ratio);
        EXPECT_EQ(found.model_errors->rounds[0].covariance_change, 1.0);
    }
}

TEST_F(ModelErrorsOfAnInversion, AreTakenAtTheSlipOfTheRoundBefore) {
    InversionJob job = small_job({}, 0.01);
    ask(job, 8, 1);
    job.sets = {observed("gnss", 0, kSigma_m)};
    const InversionSummary one = run(job);
    InversionJob plain = job;
    plain.model_errors.reset();
    const std::vector<double> after_one = read("slip");
    (void)run(plain);
    const MatrixXd first = covariance(read("slip")), second = covariance(after_one);
    const MatrixXd whole =
        second + kSigma_m * kSigma_m * MatrixXd::Identity(second.rows(), second.cols());
    plain.sets[0].covariance.assign(whole.data(), whole.data() + whole.size());
    const double moment = run(plain).windows[0].moment_n_m;
    const std::vector<double> wanted = read("slip");

    job.model_errors->rounds = 2;
    const InversionSummary two = run(job);

    expect_near(read("slip"), wanted, 1e-8);
    const auto& rounds = two.model_errors->rounds;
    ASSERT_EQ(rounds.size(), 2u);
    EXPECT_NEAR(rounds[1].covariance_change, (second - first).norm() / second.norm(), 1e-6);
    EXPECT_NEAR(rounds[1].moment_n_m / moment, 1.0, 1e-8);
    EXPECT_NEAR(rounds[1].moment_change, 1.0 - one.windows[0].moment_n_m / moment, 1e-8);
}

/// Factors are right where a set's weighted residuals are as large as they should be by the sum of
/// all covariances: d'P V_k P d = tr(P V_k), V_k = s_k^2 C_k, V = blockdiag(V_k) + C_p,
/// P = V^-1 - V^-1 A (A'V^-1 A)^-1 A'V^-1 (Foerstner 1979).
TEST_F(ModelErrorsOfAnInversion, LeaveFactorsOfSetsToTheErrorsOfTheData) {
    InversionJob job = small_job({});
    ask(job, 12, 1);
    job.sets = {observed("a", 0, 3.0 * kSigma_m), observed("b", 1, kSigma_m)};
    job.regularisation.variance_components = true;
    InversionJob plain = job;
    plain.model_errors.reset();
    const InversionSummary exact = run(plain);
    const MatrixXd of_model = covariance(read("slip"), 2);

    const InversionSummary found = run(job);

    const Index n = of_model.rows(), half = n / 2;
    MatrixXd a(n, 24);
    VectorXd d(n);
    for (Index i = 0; i < n; ++i) {
        const Index at = i % half;
        d[i] =
            job.sets[static_cast<std::size_t>(i / half)].data[static_cast<std::size_t>(at)].value;
        for (Index s = 0; s < 24; ++s) {
            a(i, s) =
                greens_at(greens_, static_cast<std::size_t>(s), static_cast<std::size_t>(i / half),
                          static_cast<std::size_t>(at / 3), static_cast<std::size_t>(at % 3));
        }
    }
    VectorXd variance(n);
    for (std::size_t k = 0; k < 2; ++k) {
        const double sigma = kSigma_m * found.sets[k].sigma_factor;
        variance.segment(static_cast<Index>(k) * half, half).setConstant(sigma * sigma);
    }
    const MatrixXd whole = of_model + MatrixXd(variance.asDiagonal());
    const MatrixXd inverse = whole.llt().solve(MatrixXd::Identity(n, n));
    const MatrixXd p =
        inverse - inverse * a * (a.transpose() * inverse * a).llt().solve(a.transpose() * inverse);
    const VectorXd residual = p * d;
    for (Index k = 0; k < 2; ++k) {
        const auto own = Eigen::seqN(k * half, half);
        const double chi2 = (variance(own).array() * residual(own).array().square()).sum();
        const double wanted = variance(own).dot(p.diagonal()(own));
        EXPECT_NEAR(chi2 / wanted, 1.0, 0.05) << k;
    }
    // Taken as exact, the dataset's errors would be errors of the data.
    EXPECT_NEAR(found.sets[0].sigma_factor, 3.0, 0.75);
    EXPECT_NEAR(found.sets[1].sigma_factor, 1.0, 0.4);
    EXPECT_GT(exact.sets[1].sigma_factor, 2.0 * found.sets[1].sigma_factor);
}

TEST_F(ModelErrorsOfAnInversion, AreNoErrorsOfTheDataInThePosterior) {
    InversionJob job = small_job({}, 0.01);
    ask(job, 20, 2, 0.03);
    job.sets = {observed("gnss", 0, kSigma_m)};
    job.slip.min_m = 0.0;
    job.posterior = PosteriorSampling{.iterations = 500};
    InversionJob plain = job;
    plain.model_errors.reset();
    const InversionSummary exact = run(plain), found = run(job);

    // The factor on the errors stands for both kinds where the dataset is taken as exact.
    EXPECT_GT(exact.posterior->factors[0].median, 5.0);
    EXPECT_NEAR(found.posterior->factors[0].median, 1.0, 0.5);
    ASSERT_EQ(found.model_errors->posterior_rounds.size(), 2u);
    EXPECT_LT(found.model_errors->posterior_rounds[1].covariance_change, 0.5);
    EXPECT_FALSE(std::filesystem::exists(out() + ".posterior.first"));
}

TEST_F(ModelErrorsOfAnInversion, AreOfDatasetsThatAreAlikeInAllButTheStructure) {
    InversionJob job = small_job({});
    ask(job, 4, 1);
    job.sets = {observed("gnss", 0, kSigma_m)};
    const std::vector<std::string>& paths = job.model_errors->datasets;
    const auto write = [&](std::size_t j, const auto& change) {
        io::GreensDataset other = members_[j];
        change(other);
        io::write_greens_dataset(paths[j], other);
    };
    write(0, [](io::GreensDataset& d) { std::swap(d.sources[2].id, d.sources[3].id); });
    write(1, [](io::GreensDataset& d) { d.stations[4].id = "X"; });
    write(2, [](io::GreensDataset& d) { d.epochs_s[1] += 86400.0; });
    write(3, [](io::GreensDataset& d) { d.sources[7].status = 0; });

    const std::string message = message_of(job, greens_);

    const std::string rule =
        ": must have the sources, stations and epochs of greens, in their order, but ";
    for (const std::string& part :
         {"model_errors.datasets[0]: " + paths[0] + rule +
              "source 3 is 's01d00/dip_slip', in greens "
              "it is 's01d00/strike_slip'",
          "model_errors.datasets[1]: " + paths[1] + rule +
              "station 5 is 'X', in greens it is "
              "'G104'",
          "model_errors.datasets[2]: " + paths[2] + rule + "epoch 2 is at",
          "model_errors.datasets[3]: " + paths[3] + rule +
              "lacks the values of source "
              "'s03d00/dip_slip'"}) {
        EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
    }
}

TEST_F(ModelErrorsOfAnInversion, WarnOfFewDatasetsAndOfOneThatIsNotAmongThem) {
    InversionJob job = small_job({}, 0.01);
    ask(job, 5, 1, 0.01);
    job.sets = {observed("gnss", 0, kSigma_m)};
    for (double& value : greens_.greens) {
        value *= 1.1;
    }

    const InversionSummary found = run(job);

    std::string all;
    for (const std::string& warning : found.warnings) {
        all += warning + "\n";
    }
    EXPECT_NE(all.find("model_errors: 5 datasets tell errors of the structure in 3 directions"),
              std::string::npos)
        << all;
    EXPECT_NE(all.find("standard deviations of the datasets from their mean"), std::string::npos)
        << all;
}

TEST(ModelErrorWarnings, AreOfRoundsThatHaveNotSettled) {
    InversionSummary::ModelErrors errors;
    errors.members = 20;
    errors.off_centre = 1.9;
    errors.rounds = {{.covariance_change = 1.0}};  // there was none before
    EXPECT_TRUE(model_error_warnings(errors).empty());
    errors.rounds.push_back({.covariance_change = 0.23});
    errors.posterior_rounds = {{.covariance_change = 0.4}};

    const std::vector<std::string> warnings = model_error_warnings(errors);

    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_EQ(warnings[0],
              "model_errors: the covariance of the estimate changed by 23 % in the last of 2 "
              "rounds; raise model_errors.rounds");
    EXPECT_TRUE(
        warnings[1].starts_with("model_errors: the covariance of the posterior changed by "
                                "40 % in the last of 1 round"))
        << warnings[1];
}

}  // namespace
}  // namespace kaname::jobs::model_errors_test
