// SPDX-License-Identifier: BSD-3-Clause
// A made-up slow slip event of a usual size: 60 stations, 1,000 days, 100 patches.
#include <chrono>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/inversion/weights.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "tests/support/okada.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/jobs/inversion/invert.hpp"

namespace kaname::jobs::slip_in_time_long_test {
namespace {

constexpr int kColumns = 20, kRows = 5, kStations = 60, kDays = 1000, kSteps = 50;
constexpr double kSize_m = 15e3, kDip = 20.0 * kDegree, kTop_m = 10e3, kRigidity_pa = 3e10;
constexpr double kJump_m = 0.02, kSeason_m = 0.003;

/// Thrust slip on patches of 15 km that dip by 20 degrees, stations over them; after the elastic
/// motion there is a relaxation of a fifth of that of slip 20 km deeper within a year.
io::GreensDataset thrust(inversion::Draws& draws) {
    io::GreensDataset d;
    d.name = "thrust";
    d.crs_wkt = "LOCAL";
    d.specification_json = "{}";
    d.epochs_s = {0.0, kJulianYear_s, 4.0 * kJulianYear_s};
    d.step_time_s = {0.0};
    const auto uniform = [&] { return static_cast<double>(draws.below(1000000)) / 1e6; };
    for (int s = 0; s < kStations; ++s) {
        io::GreensDataset::Station station{.id = "P" + std::to_string(100 + s)};
        station.x_m = station.snapped_x_m = 120e3 * uniform() - 20e3;
        station.y_m = station.snapped_y_m = kSize_m * kColumns * (uniform() - 0.5);
        station.lon_deg = station.snapped_lon_deg = station.x_m / 1e5;
        station.lat_deg = station.snapped_lat_deg = station.y_m / 1e5;
        d.stations.push_back(station);
    }
    for (int p = 0; p < kColumns * kRows; ++p) {
        const int row = p / kColumns, column = p % kColumns;
        const double down = kSize_m * row, along = kSize_m * (column + 0.5 - 0.5 * kColumns);
        io::GreensDataset::Source source;
        source.patch_id = "p" + std::to_string(p);
        source.component = "dip_slip";
        source.id = source.patch_id + "/dip_slip";
        source.rake_deg = 90.0;
        source.dip_deg = kDip / kDegree;
        source.x_m = (down + 0.5 * kSize_m) * std::cos(kDip);
        source.y_m = along;
        source.depth_m = kTop_m + (down + 0.5 * kSize_m) * std::sin(kDip);
        source.lon_deg = source.x_m / 1e5;
        source.lat_deg = source.y_m / 1e5;
        source.status = 1;
        source.potency_m3 = kSize_m * kSize_m;
        source.rigidity_pa = kRigidity_pa;
        source.grid_row = row;
        source.grid_column = column;
        for (const auto& [by_row, by_column] : {std::pair(0, -1), {0, 1}, {-1, 0}, {1, 0}}) {
            const int r = row + by_row, c = column + by_column;
            const bool there = r >= 0 && r < kRows && c >= 0 && c < kColumns;
            source.neighbours.push_back(there ? kColumns * r + c : -1);
        }
        d.sources.push_back(source);
        std::vector<Vec3> at_once, deeper;
        for (const io::GreensDataset::Station& station : d.stations) {
            for (const auto& [motions, below] : {std::pair(&at_once, 0.0), {&deeper, 20e3}}) {
                const test::OkadaFault patch{
                    {down * std::cos(kDip), along, -kTop_m - below - down * std::sin(kDip)},
                    0.0,
                    kDip,
                    kSize_m,
                    kSize_m};
                motions->push_back(test::okada_displacement(patch, {0.0, 1.0, 0.0}, {},
                                                            {station.x_m, station.y_m, 0.0}));
            }
        }
        for (const double part : {0.0, 0.15, 0.2}) {
            for (std::size_t s = 0; s < at_once.size(); ++s) {
                const Vec3 u = at_once[s] + part * deeper[s];
                d.greens.insert(d.greens.end(), {u[0], u[1], u[2]});
            }
        }
    }
    d.iterations.assign(d.sources.size(), 1);
    d.residual.assign(d.sources.size(), 0.0);
    d.initial_residual.assign(d.sources.size(), 1.0);
    return d;
}

/// Rate [m/year] of an event of 0.2 m that goes along the fault by 1 km a day.
double rate_of(const io::GreensDataset::Source& source, double day) {
    const double down = (source.depth_m - kTop_m) / std::sin(kDip);
    const double peak =
        0.2 * std::exp(-std::pow(source.y_m / 60e3, 2) - std::pow((down - 35e3) / 20e3, 2));
    constexpr double kHalf_days = 40.0;
    const double from_peak = (day - 500.0 - source.y_m / 1e3) / kHalf_days;
    return peak * std::exp(-0.5 * from_peak * from_peak) /
           (kHalf_days * std::sqrt(2.0 * std::numbers::pi)) * kJulianYear_s / kDay_s;
}

/// Daily series with white noise, random walks, seasons, and a jump of all stations; a twentieth of
/// the days is missing.
ObservationSet daily_motion(const io::GreensDataset& d, inversion::Draws& draws) {
    constexpr double kSigma_m[] = {0.002, 0.002, 0.006}, kWalk_m = 0.001;
    const std::size_t n_series = 3 * d.stations.size(), n_epochs = d.epochs_s.size();
    ObservationSet set{.name = "gnss"};
    set.series = {
        .annual = true, .semiannual = true, .steps_s = {300.0 * kDay_s}, .random_walk_m = kWalk_m};
    std::vector<double> walk(n_series);
    std::vector<std::vector<double>> slip;  // [day][patch] of the day before
    for (int day = 0; day < kDays; ++day) {
        std::vector<double>& of_day = slip.emplace_back();
        for (const io::GreensDataset::Source& source : d.sources) {
            of_day.push_back(rate_of(source, day - 0.5) * kDay_s / kJulianYear_s);
        }
        std::vector<std::vector<double>> by_epoch(n_epochs, std::vector<double>(d.sources.size()));
        for (int before = 0; before <= day; ++before) {
            const double age_s = (day - before + 0.5) * kDay_s;
            const std::size_t e = age_s < d.epochs_s[1] ? 0 : 1;
            const double share = (age_s - d.epochs_s[e]) / (d.epochs_s[e + 1] - d.epochs_s[e]);
            for (std::size_t p = 0; p < d.sources.size(); ++p) {
                const double m = slip[static_cast<std::size_t>(before)][p];
                by_epoch[e][p] += (1.0 - share) * m;
                by_epoch[e + 1][p] += share * m;
            }
        }
        const double turn = 2.0 * std::numbers::pi * day * kDay_s / kJulianYear_s;
        for (std::size_t i = 0; i < n_series; ++i) {
            walk[i] += kWalk_m * std::sqrt(kDay_s / kJulianYear_s) * draws.normal();
            Datum datum;
            const std::size_t c = i % 3;
            datum.station = d.stations[i / 3].id;
            datum.lon_deg = d.stations[i / 3].lon_deg;
            datum.lat_deg = d.stations[i / 3].lat_deg;
            (c == 0 ? datum.east : c == 1 ? datum.north : datum.up) = 1.0;
            datum.component = c == 0 ? "east" : c == 1 ? "north" : "up";
            datum.epoch_s = day * kDay_s;
            datum.sigma = kSigma_m[c];
            datum.field = "series.csv";
            datum.value = walk[i] + datum.sigma * draws.normal() +
                          kSeason_m * std::sin(turn + static_cast<double>(i)) +
                          (day >= 300 ? kJump_m : 0.0);
            for (std::size_t p = 0; p < d.sources.size(); ++p) {
                for (std::size_t e = 0; e < n_epochs; ++e) {
                    datum.value += by_epoch[e][p] * d.greens[(p * n_epochs + e) * n_series + i];
                }
            }
            if (draws.below(20) > 0) {
                set.data.push_back(datum);
            }
        }
    }
    return set;
}

TEST(SlipInTime, MomentRateOfASlowSlipEventIsFound) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    const support::TemporaryFolder folder;
    inversion::Draws draws(12);
    const io::GreensDataset greens = thrust(draws);
    io::write_greens_dataset(folder.path("greens.h5"), greens);
    InversionJob job;
    job.name = "slow-slip";
    job.sets = {daily_motion(greens, draws)};
    job.slip.min_m = 0.0;
    job.slip.windows = {{.name = "event",
                         .kind = SlipWindow::Kind::History,
                         .end_s = kDays * kDay_s,
                         .step_s = kDays * kDay_s / kSteps}};
    job.regularisation.choice = Regularisation::Choice::Abic;
    const auto began = std::chrono::steady_clock::now();

    const InversionSummary summary =
        invert(job, folder.path("greens.h5"), folder.path("inversion.h5"), [](const auto&) {});

    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    const h5::File file(folder.path("inversion.h5"), h5::File::Mode::Read);
    const auto found = file.read<double>("history/moment_rate");
    const auto sigma = file.read<double>("history/moment_rate_sigma");
    double most = 0.0, worst = 0.0, squares = 0.0, held = 0.0, all = 0.0, of_found = 0.0;
    for (std::size_t step = 0; step < found.size(); ++step) {
        double truth = 0.0;
        constexpr int kParts = 20, kLong = kDays / kSteps;
        for (int part = 0; part < kParts; ++part) {
            for (const io::GreensDataset::Source& source : greens.sources) {
                truth +=
                    kRigidity_pa * kSize_m * kSize_m / kParts *
                    rate_of(source, kLong * (static_cast<double>(step) + (part + 0.5) / kParts));
            }
        }
        std::printf("day %4zu: moment rate %.3g, found %.3g +- %.2g N m/year\n", step * kLong,
                    truth, found[step], sigma[step]);
        most = std::max(most, truth);
        worst = std::max(worst, std::abs(found[step] - truth));
        squares += std::pow(found[step] - truth, 2);
        held += std::abs(found[step] - truth) < 1.96 * sigma[step] ? 1.0 : 0.0;
        all += truth;
        of_found += found[step];
    }
    const double rms = std::sqrt(squares / static_cast<double>(found.size()));
    std::printf(
        "%d unknowns, %d data: %.1f s; smoothness %g, chi2 %.3f; moment rate off by %.1f %% (rms), "
        "%.1f %% (worst) of its largest; moment %.3f times the truth's; bars hold %.0f %%\n",
        summary.unknowns, summary.observations, seconds, summary.smoothness,
        summary.sets[0].chi2_per_observation, 100.0 * rms / most, 100.0 * worst / most,
        of_found / all, 100.0 * held / static_cast<double>(found.size()));
    RecordProperty("seconds", std::to_string(seconds));
    EXPECT_LT(rms, 0.1 * most);
    EXPECT_LT(seconds, 300.0);
}

}  // namespace
}  // namespace kaname::jobs::slip_in_time_long_test
