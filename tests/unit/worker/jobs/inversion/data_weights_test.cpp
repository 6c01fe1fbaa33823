// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/data_weights.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include "solvers/fault/unit_source.hpp"
#include "tests/support/okada_thrust.hpp"
#include "tests/unit/worker/jobs/inversion/invert_case.hpp"
#include "worker/jobs/inversion/model_errors.hpp"

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

constexpr int kColumns = 7, kRows = 3;
constexpr double kLength_m = 60e3, kWidth_m = 18e3, kSlip_m = 2.0;

/// Motion by slip that varies over a vertical plane from the ground down, cell by cell of 500 m.
std::vector<Vec3> motion_of(const io::GreensDataset& d,
                            const std::function<double(fault::FaultCoordinates)>& slip_m) {
    constexpr double kCell_m = 500.0;
    const test::OkadaPatches cells(
        {{}, 0.0, 90.0 * kDegree, kLength_m, kWidth_m}, static_cast<int>(kLength_m / kCell_m),
        static_cast<int>(kWidth_m / kCell_m), [&](int column, int row) {
            return slip_m({(column + 0.5) * kCell_m - 0.5 * kLength_m, (row + 0.5) * kCell_m});
        });
    std::vector<Vec3> motion;
    for (const io::GreensDataset::Station& station : d.stations) {
        motion.push_back(cells.displacement({}, {station.x_m, station.y_m, 0.0})[0]);
    }
    return motion;
}

/// 7 x 3 hats on a vertical plane of 60 km x 18 km that slip up to the ground, as a request with
/// top_depth 0 has them, and stations about it, one of them beside the trace.
io::GreensDataset strike_slip_to_the_ground(posterior::RandomStream& random) {
    io::GreensDataset d = test::okada_thrust(50, random);
    d.sources.clear();
    d.greens.clear();
    for (io::GreensDataset::Station& station : d.stations) {
        station.x_m = station.snapped_x_m = 80e3 * (random.uniform() - 0.5);
        station.y_m = station.snapped_y_m = 140e3 * (random.uniform() - 0.5);
    }
    d.stations[9].x_m = d.stations[9].snapped_x_m = -400.0;
    d.stations[9].y_m = d.stations[9].snapped_y_m = -21.2e3;
    d.projected = false;
    const double length_m = kLength_m / (kColumns + 1), width_m = kWidth_m / (kRows + 0.5);
    for (int row = 0; row < kRows; ++row) {
        for (int column = 0; column < kColumns; ++column) {
            fault::Patch hat{"",
                             {(column + 1) * length_m - 0.5 * kLength_m, (row + 0.5) * width_m},
                             length_m,
                             width_m};
            hat.open_top = row == 0;
            io::GreensDataset::Source source;
            source.patch_id = "p" + std::to_string(kColumns * row + column);
            source.component = "strike_slip";
            source.id = source.patch_id + "/strike_slip";
            source.rake_deg = 0.0;
            source.dip_deg = 90.0;
            source.y_m = hat.centre.s;
            source.depth_m = hat.centre.d;
            source.length_m = length_m;
            source.width_m = width_m;
            for (int corner = 0; corner < 4; ++corner) {
                source.outline_y_m[corner] =
                    hat.centre.s + (corner % 3 == 0 ? -0.5 : 0.5) * length_m;
                source.outline_depth_m[corner] = hat.centre.d + (corner < 2 ? -0.5 : 0.5) * width_m;
            }
            source.status = 1;
            source.potency_m3 = length_m * width_m;
            source.rigidity_pa = 3e10;
            source.grid_row = row;
            source.grid_column = column;
            for (const auto& [r, c] : {std::pair(row, column - 1),
                                       {row, column + 1},
                                       {row - 1, column},
                                       {row + 1, column}}) {
                const bool there = r >= 0 && r < kRows && c >= 0 && c < kColumns;
                source.neighbours.push_back(there ? r * kColumns + c : -1);
            }
            d.sources.push_back(source);
            for (const Vec3& u :
                 motion_of(d, [&](fault::FaultCoordinates at) { return hat.shape(at); })) {
                d.greens.insert(d.greens.end(), {u[0], u[1], u[2]});
            }
        }
    }
    d.iterations.assign(d.sources.size(), 1);
    d.residual.assign(d.sources.size(), 0.0);
    d.initial_residual.assign(d.sources.size(), 1.0);
    return d;
}

TEST_F(DataWeightsOfAThrust, SlipWithinPatchesAtTheGroundIsAnErrorOfStationsBesideThem) {
    posterior::RandomStream random(9);
    const io::GreensDataset greens = strike_slip_to_the_ground(random);
    const auto moved = motion_of(greens, [](fault::FaultCoordinates at) {
        return std::abs(at.s) < 20e3 && at.d < 12e3 ? kSlip_m : 0.0;
    });
    ObservationSet set = test::thrust_data(greens, {}, 0, 50, false, 0.002, 0.0, random);
    for (std::size_t i = 0; i < set.data.size(); ++i) {
        set.data[i].sigma *= i % 3 == 2 ? 2.0 : 1.0;
        set.data[i].value = moved[i / 3][i % 3] + set.data[i].sigma * random.normal();
    }

    summary_ = run(test::thrust_job({set}), greens);

    EXPECT_LT(summary_.sets[0].chi2_per_observation, 1.5);
    EXPECT_LT(summary_.windows[0].largest_slip_m, 3.5);
    const double moment = 3e10 * 40e3 * 12e3 * kSlip_m;
    EXPECT_NEAR(summary_.windows[0].moment_n_m, moment, 0.05 * moment);
    ASSERT_FALSE(summary_.warnings.empty());
    EXPECT_NE(summary_.warnings[0].find("m of it (rms) is counted as errors of motion near the "
                                        "fault"),
              std::string::npos)
        << summary_.warnings[0];
    const h5::File file(out(), h5::File::Mode::Read);
    const double unresolved = file.read<double>("data/gnss/unresolved_slip").at(0);
    // An eighth of a patch is as finely as its nearest place is looked for.
    EXPECT_NEAR(file.read<double>("data/gnss/sigma").at(27),
                std::hypot(0.002, unresolved * unresolved_motion(std::hypot(400.0, 362.5), 7500.0)),
                1e-6);
}

TEST(UnresolvedMotion, IsHalfTheSlipBesideTheFaultAndNothingPatchesAway) {
    EXPECT_DOUBLE_EQ(unresolved_motion(0.0, 7e3), 0.5);
    // E_2(1) = exp(-1) - E_1(1), E_1(1) = 0.21938393439552 (Abramowitz and Stegun, table 5.1).
    EXPECT_NEAR(unresolved_motion(1e3, 2e3 * std::numbers::pi),
                0.5 * std::sqrt(std::exp(-1.0) - 0.21938393439552), 1e-12);
    EXPECT_LT(unresolved_motion(3e4, 1e4), 1e-4);
    EXPECT_DOUBLE_EQ(unresolved_motion(std::numeric_limits<double>::infinity(), 0.0), 0.0);
}

}  // namespace
}  // namespace kaname::jobs::data_weights_test
