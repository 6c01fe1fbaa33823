// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/data_weights.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/okada_thrust.hpp"
#include "tests/unit/worker/jobs/inversion/invert_case.hpp"

namespace kaname::jobs::data_weights_test {
namespace {

constexpr int kCases = 5;  // one of each kind of slip; tests/long has 36
constexpr double kSigma_m = 0.005, kTooSmall = 10.0;

class DataWeightsOfAThrust : public test::InvertCase {
protected:
    double error_of(const InversionJob& job, const io::GreensDataset& greens,
                    const std::vector<double>& truth) {
        summary_ = run(job, greens);
        return test::slip_error(read("slip"), truth);
    }
    InversionSummary summary_;
};

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

TEST_F(DataWeightsOfAThrust, TenTimesTooSmallStandardDeviationsAreFoundAndSlipIsAsIfKnown) {
    posterior::RandomStream random(36);
    std::vector<double> ratios, errors;
    for (int k = 0; k < kCases; ++k) {
        const io::GreensDataset greens = test::okada_thrust(48, random);
        const std::vector<double> truth = test::slip_of_kind(k, random);
        InversionJob job = test::thrust_job(
            {test::thrust_data(greens, truth, 0, 12, false, kSigma_m, 1.0, random),
             test::thrust_data(greens, truth, 12, 48, true, kSigma_m, kTooSmall, random)});
        const double error = error_of(job, greens, truth);
        ratios.push_back(summary_.sets[1].sigma_factor / summary_.sets[0].sigma_factor);
        job.regularisation.variance_components = false;
        for (Datum& datum : job.sets[1].data) {
            datum.sigma *= kTooSmall;
        }
        errors.push_back(error / error_of(job, greens, truth));
    }
    EXPECT_NEAR(median_of(ratios), kTooSmall, 0.15 * kTooSmall);
    EXPECT_LE(median_of(errors), 1.12);
}

TEST_F(DataWeightsOfAThrust, OutlierOfFiftySigmaHardlyMovesSlipByHubersNormAndTheBiweight) {
    posterior::RandomStream random(62);
    std::vector<double> errors;
    for (int k = 0; k < kCases; ++k) {
        const io::GreensDataset greens = test::okada_thrust(12, random);
        const std::vector<double> truth = test::slip_of_kind(k, random);
        InversionJob job = test::thrust_job(
            {test::thrust_data(greens, truth, 0, 12, false, kSigma_m, 1.0, random)});
        const double error = error_of(job, greens, truth);
        job.sets[0].data[static_cast<std::size_t>(3 * k)].value += 50.0 * kSigma_m;
        job.regularisation.norm = Regularisation::Norm::Huber;
        errors.push_back(error_of(job, greens, truth) / error);
    }
    EXPECT_LE(median_of(errors), 1.1);
    // Huber's norm alone has 1.2 in the median and 1.54 in the worst of these.
    EXPECT_LE(*std::ranges::max_element(errors), 1.3);
}

TEST_F(DataWeightsOfAThrust, OutliersDoNotEnlargeTheFactorsOfSets) {
    posterior::RandomStream random(41);
    const io::GreensDataset greens = test::okada_thrust(48, random);
    const std::vector<double> truth = test::slip_of_kind(0, random);
    InversionJob job = test::thrust_job(
        {test::thrust_data(greens, truth, 0, 12, false, kSigma_m, 1.0, random),
         test::thrust_data(greens, truth, 12, 48, true, kSigma_m, kTooSmall, random)});
    (void)error_of(job, greens, truth);
    const double factors[] = {summary_.sets[0].sigma_factor, summary_.sets[1].sigma_factor};
    job.sets[0].data[4].value += 50.0 * kSigma_m;
    job.sets[1].data[7].value += 50.0 * kTooSmall * kSigma_m;
    job.regularisation.norm = Regularisation::Norm::Huber;
    (void)error_of(job, greens, truth);
    // By Huber's norm alone they are four and two times as large.
    EXPECT_NEAR(summary_.sets[0].sigma_factor / factors[0], 1.0, 0.15);
    EXPECT_NEAR(summary_.sets[1].sigma_factor / factors[1], 1.0, 0.15);
}

}  // namespace
}  // namespace kaname::jobs::data_weights_test
