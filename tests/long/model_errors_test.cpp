// SPDX-License-Identifier: BSD-3-Clause
// Intervals of the moment hold it again when the structure is wrong, by errors of the structure
// from other structures: whole inversions with posteriors, by files.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/inversion/weights.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "tests/support/okada.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/jobs/inversion/invert.hpp"

namespace kaname::jobs::model_errors_test {
namespace {

constexpr int kColumns = 8, kRows = 6, kStations = 20, kModels = 50;
constexpr double kSize_m = 10e3, kSigma_m = 0.005, kMoment_n_m = 3e10 * kSize_m * kSize_m;

/// A thrust of 48 patches of 10 km by its dip, the depth of its top and how much wider its rows
/// are.
io::GreensDataset thrust(double dip, double top_m, double stretch) {
    io::GreensDataset d;
    d.name = "thrust";
    d.crs_wkt = "LOCAL";
    d.epochs_s = {0.0};
    d.step_time_s = {0.0};
    for (int s = 0; s < kStations; ++s) {
        io::GreensDataset::Station station{.id = "P" + std::to_string(100 + s)};
        station.x_m = -10e3 + 25e3 * (s % 4);
        station.y_m = -40e3 + 20e3 * (s / 4);
        station.lon_deg = station.snapped_lon_deg = station.x_m / 1e5;
        station.lat_deg = station.snapped_lat_deg = station.y_m / 1e5;
        d.stations.push_back(station);
    }
    for (int p = 0; p < kColumns * kRows; ++p) {
        const int row = p / kColumns, column = p % kColumns;
        const double down = stretch * kSize_m * row, middle = down + 0.5 * stretch * kSize_m;
        io::GreensDataset::Source source;
        source.patch_id = "p" + std::to_string(p);
        source.component = "dip_slip";
        source.id = source.patch_id + "/dip_slip";
        source.rake_deg = 90.0;
        source.dip_deg = dip / kDegree;
        source.x_m = middle * std::cos(dip);
        source.y_m = kSize_m * (column + 0.5 - 0.5 * kColumns);
        source.depth_m = top_m + middle * std::sin(dip);
        source.status = 1;
        source.potency_m3 = kSize_m * kSize_m;
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
        const test::OkadaFault patch{
            {down * std::cos(dip), source.y_m, -top_m - down * std::sin(dip)},
            0.0,
            dip,
            kSize_m,
            stretch * kSize_m};
        for (const io::GreensDataset::Station& station : d.stations) {
            const Vec3 u = test::okada_displacement(patch, {0.0, 1.0, 0.0}, {},
                                                    {station.x_m, station.y_m, 0.0});
            d.greens.insert(d.greens.end(), {u[0], u[1], u[2]});
        }
    }
    d.iterations.assign(d.sources.size(), 1);
    d.residual.assign(d.sources.size(), 0.0);
    d.initial_residual.assign(d.sources.size(), 1.0);
    return d;
}

/// Slip that falls off as cos^2 from a place somewhere on the fault [patch].
std::vector<double> rupture(inversion::Draws& draws) {
    const auto between = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(draws.below(1000000)) / 1e6;
    };
    const double x0 = between(0.3, 0.7), y0 = between(0.3, 0.7), size_m = between(1.5, 4.0);
    const double half_x = between(0.25, 0.5), half_y = between(0.3, 0.6);
    std::vector<double> slip;
    for (int p = 0; p < kColumns * kRows; ++p) {
        const double x = (p % kColumns + 0.5) / kColumns, y = (p / kColumns + 0.5) / kRows;
        const double q = std::hypot((x - x0) / half_x, (y - y0) / half_y);
        slip.push_back(q < 1.0 ? size_m * std::pow(std::cos(0.5 * std::numbers::pi * q), 2) : 0.0);
    }
    return slip;
}

/// Parts of the truths that the intervals of 68 and 95 % hold.
struct Coverage {
    double held68 = 0.0, held95 = 0.0, width = 0.0;

    void add(const std::string& file, double truth) {
        const std::vector<double> moment =
            h5::File(file, h5::File::Mode::Read).read<double>("posterior/moment");
        held68 += moment[1] <= truth && truth <= moment[3] ? 1.0 / kModels : 0.0;
        held95 += moment[0] <= truth && truth <= moment[4] ? 1.0 / kModels : 0.0;
        width += (moment[4] - moment[0]) / truth / kModels;
    }
};

TEST(ModelErrors, BringTheCoverageOfMomentsBack) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    const support::TemporaryFolder folder;
    inversion::Draws draws(21);
    std::vector<io::GreensDataset> models;
    std::vector<std::string> paths;
    for (int j = 0; j < kModels; ++j) {
        models.push_back(thrust((15.0 + 0.75 * draws.normal()) * kDegree,
                                5e3 * std::exp(0.05 * draws.normal()),
                                std::exp(0.025 * draws.normal())));
        paths.push_back(folder.path("model" + std::to_string(j) + ".h5"));
        io::write_greens_dataset(paths.back(), models.back());
    }
    const std::string greens = folder.path("greens.h5"), out = folder.path("inversion.h5");
    io::write_greens_dataset(greens, thrust(15.0 * kDegree, 5e3, 1.0));
    Coverage exact, found;
    double ratio = 0.0, changed = 0.0;
    for (int truth = 0; truth < kModels; ++truth) {
        const io::GreensDataset& model = models[static_cast<std::size_t>(truth)];
        const std::vector<double> slip = rupture(draws);
        double moment = 0.0;
        for (const double amount : slip) {
            moment += kMoment_n_m * amount;
        }
        InversionJob job;
        ObservationSet& set = job.sets.emplace_back();
        set.name = "gnss";
        const char* const names[] = {"east", "north", "up"};
        for (std::size_t s = 0; s < model.stations.size(); ++s) {
            for (std::size_t c = 0; c < 3; ++c) {
                Datum datum;
                datum.station = model.stations[s].id;
                datum.lon_deg = datum.lat_deg = std::nan("");
                (c == 0 ? datum.east : c == 1 ? datum.north : datum.up) = 1.0;
                datum.component = names[c];
                datum.sigma = kSigma_m;
                datum.value = kSigma_m * draws.normal();
                for (std::size_t p = 0; p < slip.size(); ++p) {
                    datum.value += slip[p] * model.greens[(p * model.stations.size() + s) * 3 + c];
                }
                set.data.push_back(datum);
            }
        }
        job.regularisation.choice = Regularisation::Choice::Abic;
        job.regularisation.smoothness = {1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0};
        job.regularisation.sparsity = {0.0};
        job.posterior = PosteriorSampling{.iterations = 2000, .draws = 100};
        const auto progress = [](const InversionProgress&) {};
        (void)invert(job, greens, out, progress);
        exact.add(out, moment);
        job.model_errors = ModelErrors{{}, 2};
        for (int j = 0; j < kModels; ++j) {
            if (j != truth) {  // as in life, no dataset has the right structure
                job.model_errors->datasets.push_back(paths[static_cast<std::size_t>(j)]);
            }
        }
        const InversionSummary summary = invert(job, greens, out, progress);
        found.add(out, moment);
        ratio += summary.sets[0].model_error_ratio / kModels;
        changed += std::abs(summary.model_errors->posterior_rounds.back().moment_change) / kModels;
    }
    std::printf(
        "moment held by 95 (68) %% intervals, mean width over the moment: "
        "exact %.2f (%.2f), %.3f; with errors of the structure %.2f (%.2f), %.3f\n"
        "model errors over the data's: %.1f; the last round changed the moment by %.4f\n",
        exact.held95, exact.held68, exact.width, found.held95, found.held68, found.width, ratio,
        changed);
    EXPECT_LT(exact.held95, 0.8);
    EXPECT_GE(found.held95, 0.9);
    EXPECT_GE(found.held68, 0.5);
    EXPECT_LT(changed, 0.05);
}

}  // namespace
}  // namespace kaname::jobs::model_errors_test
