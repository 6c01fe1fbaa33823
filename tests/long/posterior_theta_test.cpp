// SPDX-License-Identifier: BSD-3-Clause
// Viscosities that are sampled with slip are those of a dense grid on which slip is integrated out.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/posterior/sampling.hpp"
#include "tests/support/okada.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/jobs/inversion/slip_field.hpp"
#include "worker/jobs/inversion/theta_responses.hpp"

namespace kaname::jobs::posterior_theta_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kColumns = 14, kRows = 6, kStations = 200, kEpochs = 30;
constexpr double kSize_m = 10e3, kDip = 15.0 * kDegree, kTop_m = 5e3, kSigma_m = 0.005;
constexpr double kEnd_s = 3.0 * kJulianYear_s, kSoft = 3e18, kStiff = 8e18;

/// Two groups of rock whose viscosities have ranges: a reduced model of two basis vectors, made up.
io::ReducedMatrices two_groups() {
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
    range.factor.assign(36, 0.0);
    range.factor.front() = 1e-5;
    range.seen = {1.0, 0.0, 0.0, 1.0};
    range.sample_log_g = {-0.5, -0.5};
    range.sample_motion = {1.0};
    return {.n_basis = 2,
            .A_el = {0.05, 0.0, 0.0, 0.05},
            .A = {0.95, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.95},
            .b = {1.0, 0.0, 0.0, 1.0},
            .n_branches = {1, 1},
            .share = {1.0, 1.0},
            .rate_per_s = {3e-9, 6e-9},
            .range = range};
}

/// Thrust patches of 10 km; relaxation moves the ground like slip 20 and 40 km deeper.
io::GreensDataset thrust() {
    io::GreensDataset d;
    d.name = "thrust";
    d.crs_wkt = "LOCAL";
    d.specification_json = "{}";
    d.epochs_s = {0.0, kJulianYear_s, kEnd_s};
    d.step_time_s = {0.0};
    inversion::Draws draws(11);
    const auto uniform = [&] { return static_cast<double>(draws.below(1000000)) / 1e6; };
    for (int s = 0; s < kStations; ++s) {
        io::GreensDataset::Station station{.id = "P" + std::to_string(100 + s)};
        station.x_m = 100e3 * uniform() - 10e3;
        station.y_m = kSize_m * kColumns * (uniform() - 0.5);
        station.lon_deg = station.snapped_lon_deg = station.x_m / 1e5;
        station.lat_deg = station.snapped_lat_deg = station.y_m / 1e5;
        d.stations.push_back(station);
    }
    for (int p = 0; p < kColumns * kRows; ++p) {
        const double down = kSize_m * (p / kColumns);
        io::GreensDataset::Source source;
        source.patch_id = "p" + std::to_string(p);
        source.component = "dip_slip";
        source.id = source.patch_id + "/dip_slip";
        source.rake_deg = 90.0;
        source.dip_deg = kDip / kDegree;
        source.x_m = (down + 0.5 * kSize_m) * std::cos(kDip);
        source.y_m = kSize_m * (p % kColumns + 0.5 - 0.5 * kColumns);
        source.depth_m = kTop_m + (down + 0.5 * kSize_m) * std::sin(kDip);
        source.status = 1;
        source.potency_m3 = kSize_m * kSize_m;
        source.rigidity_pa = 3e10;
        d.sources.push_back(source);
        io::GreensDataset::Reduced& reduced = d.reduced.emplace_back();
        reduced.matrices = two_groups();
        for (const double below_m : {0.0, 20e3, 40e3}) {
            const test::OkadaFault patch{
                {down * std::cos(kDip), source.y_m, -kTop_m - below_m - down * std::sin(kDip)},
                0.0,
                kDip,
                kSize_m,
                kSize_m};
            for (const io::GreensDataset::Station& station : d.stations) {
                const Vec3 u = test::okada_displacement(patch, {0.0, 1.0, 0.0}, {},
                                                        {station.x_m, station.y_m, 0.0});
                reduced.fields.insert(reduced.fields.end(), {u[0], u[1], u[2]});
            }
        }
    }
    d.shift_per_s.assign(d.sources.size(), io::GreensDataset::kNone);
    d.iterations.assign(d.sources.size(), 1);
    d.residual.assign(d.sources.size(), 0.0);
    d.initial_residual.assign(d.sources.size(), 1.0);
    const Answers answers(d);
    d.greens = answers.at(answers.rheology({}).relaxation,
                          answers.times(d.epochs_s, {{HistoryKind::Step}, kEnd_s}), answers.all());
    return d;
}

/// All stations at thirty epochs after slip of up to 3 m in the middle of the fault.
ObservationSet motion(const io::GreensDataset& d) {
    const Answers answers(d);
    std::vector<double> slip_m, epochs_s;
    for (const io::GreensDataset::Source& source : d.sources) {
        slip_m.push_back(3.0 * std::exp(-std::pow(source.y_m / 25e3, 2) -
                                        std::pow((source.depth_m - 13e3) / 5e3, 2)));
    }
    for (int t = 0; t < kEpochs; ++t) {
        epochs_s.push_back(kEnd_s * t / (kEpochs - 1));
    }
    const std::vector<double> moved =
        answers.sum(answers.rheology({{"upper", kSoft}, {"lower", kStiff}}).relaxation,
                    answers.times(epochs_s, {{HistoryKind::Step}, kEnd_s}), slip_m);
    ObservationSet set{.name = "gnss"};
    inversion::Draws noise(9);
    for (std::size_t k = 0; k < moved.size(); ++k) {
        const io::GreensDataset::Station& station = d.stations[k / 3 % kStations];
        Datum datum;
        datum.station = station.id;
        datum.lon_deg = station.lon_deg;
        datum.lat_deg = station.lat_deg;
        (k % 3 == 0 ? datum.east : k % 3 == 1 ? datum.north : datum.up) = 1.0;
        datum.component = k % 3 == 0 ? "east" : k % 3 == 1 ? "north" : "up";
        datum.epoch_s = epochs_s[k / (3 * kStations)];
        datum.sigma = kSigma_m;
        datum.value = moved[k] + kSigma_m * noise.normal();
        set.data.push_back(datum);
    }
    return set;
}

/// Mean and standard deviation of each of two parameters.
using Marginals = std::array<std::pair<double, double>, 2>;

Marginals marginals_of(const posterior::Sampling& sampling) {
    Marginals found;
    for (std::size_t p = 0; p < 2; ++p) {
        double n = 0.0, sum = 0.0, squares = 0.0;
        for (const posterior::ChainDraws& chain : sampling.draws()) {
            for (const double x : chain.parameter[p]) {
                n += 1.0;
                sum += x;
                squares += x * x;
            }
        }
        found[p] = {sum / n, std::sqrt(squares / n - sum * sum / n / n)};
    }
    return found;
}

/// Logarithm of the posterior density of x, slip integrated out in closed form: the sum over
/// correlations, lambda (log-uniform) and s^2 (InvGamma(1, 1)) on a grid of their logarithms. In
/// the basis of S = C C', C'H C = U D U', b = U'C'g,
///   -2 log p = c/s^2 - sum b^2/s^4 / (D/s^2 + lambda) + freedom log s^2
///              + sum log((D/s^2 + lambda)/lambda).
double log_density(const posterior::RectifiedProblem& problem, const posterior::DataSet& set) {
    constexpr int kLambdas = 60, kVariances = 40;
    const posterior::FieldPrior& field = problem.fields[0];
    std::vector<double> logs;
    for (const MatrixXd& covariance : field.covariance) {
        const MatrixXd root = covariance.llt().matrixL();
        const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(root.transpose() * set.h * root);
        const Eigen::ArrayXd d = solver.eigenvalues().array().max(0.0);
        const Eigen::ArrayXd b2 =
            (solver.eigenvectors().transpose() * (root.transpose() * set.g)).array().square();
        // s^2 lies within some standard deviations, of a percent, of that of the best slip.
        const double best = (set.c - (b2 / d.max(1e-12 * d.maxCoeff())).sum()) / set.freedom;
        for (int v = 0; v < kVariances; ++v) {
            const double s2 = best * std::exp(0.12 * ((v + 0.5) / kVariances - 0.4));
            for (int l = 0; l < kLambdas; ++l) {
                const double lambda =
                    std::pow(field.most_sigma, -2.0) *
                    std::pow(field.most_sigma / field.least_sigma, 2.0 * (l + 0.5) / kLambdas);
                const Eigen::ArrayXd q = d / s2 + lambda;
                logs.push_back(-0.5 * (set.c / s2 - (b2 / (s2 * s2) / q).sum() +
                                       set.freedom * std::log(s2) + (q / lambda).log().sum()) -
                               std::log(s2) - 1.0 / s2);
            }
        }
    }
    const double most = *std::ranges::max_element(logs);
    double sum = 0.0;
    for (const double log : logs) {
        sum += std::exp(log - most);
    }
    return most + std::log(sum);
}

/// On a grid of five standard deviations of `about` to both sides.
Marginals dense_grid(const posterior::RectifiedProblem& problem, const Marginals& about) {
    constexpr int kPoints = 21;
    constexpr double kWide = 5.0;
    std::vector<posterior::DataSet> sets;
    const auto at = [&](std::size_t p, int k) {
        return about[p].first + kWide * about[p].second * (2.0 * k / (kPoints - 1) - 1.0);
    };
    std::vector<std::array<double, 3>> points;  // x and the log of their density
    double most = -kInf;
    for (int i = 0; i < kPoints; ++i) {
        for (int j = 0; j < kPoints; ++j) {
            const std::array x = {at(0, i), at(1, j)};
            problem.family->at(x, sets);
            points.push_back({x[0], x[1], log_density(problem, sets[0])});
            most = std::max(most, points.back()[2]);
        }
    }
    double total = 0.0;
    std::array<double, 2> sum{}, squares{};
    for (const std::array<double, 3>& x : points) {
        const double weight = std::exp(x[2] - most);
        total += weight;
        for (std::size_t p = 0; p < 2; ++p) {
            sum[p] += weight * x[p];
            squares[p] += weight * x[p] * x[p];
        }
    }
    Marginals found;
    for (std::size_t p = 0; p < 2; ++p) {
        const double mean = sum[p] / total;
        found[p] = {mean, std::sqrt(squares[p] / total - mean * mean)};
    }
    return found;
}

TEST(SlipPosterior, ViscositiesWith84PatchesAreThoseOfADenseGrid) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    const support::TemporaryFolder folder;
    const std::string path = folder.path("greens.h5");
    const io::GreensDataset greens = thrust();
    io::write_greens_dataset(path, greens);
    InversionJob job;
    job.sets = {motion(greens)};
    job.slip.min_m = -std::numeric_limits<double>::infinity();
    job.posterior = PosteriorSampling{.lengths_m = {30e3}, .theta = {"upper", "lower"}};
    const MatchedData matched = match_stations(job.sets, greens);
    const SlipAmounts amounts = slip_amounts(job.slip, greens);
    const Nuisance nuisance(job.sets);
    std::vector<VectorXd> values = {VectorXd(static_cast<Index>(job.sets[0].data.size()))};
    for (Index i = 0; i < values[0].size(); ++i) {
        values[0][i] = job.sets[0].data[static_cast<std::size_t>(i)].value;
    }
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point then) {
        return std::chrono::duration<double>(Clock::now() - then).count();
    };
    auto began = Clock::now();
    const ThetaResponses theta({job, path, greens, matched, amounts, nuisance, values},
                               [](double) {});
    std::printf("answers at all nodes: %.1f s\n", since(began));
    posterior::RectifiedProblem problem = rectified_problem(job, amounts, greens, {});
    problem.family = theta.family();
    problem.family->at(std::array{0.0, 0.0}, problem.sets);

    began = Clock::now();
    constexpr int kFree = 6000, kBounded = 10000;
    posterior::Sampling free(problem, {.iterations = kFree});
    free.run({});
    std::printf("without bounds: %.1f s, %.2f of steps taken\n", since(began), free.acceptance());
    began = Clock::now();
    const Marginals found = marginals_of(free), wanted = dense_grid(problem, found);
    std::printf("dense grid: %.1f s\n", since(began));
    for (std::size_t p = 0; p < 2; ++p) {
        std::printf("x[%zu]: %.5f +- %.5f, grid %.5f +- %.5f\n", p, found[p].first, found[p].second,
                    wanted[p].first, wanted[p].second);
        EXPECT_NEAR(found[p].first, wanted[p].first, 0.1 * wanted[p].second) << p;
        EXPECT_NEAR(found[p].second / wanted[p].second, 1.0, 0.05) << p;
    }

    problem.lower.setZero();
    began = Clock::now();
    posterior::Sampling bounded(problem, {.iterations = kBounded});
    bounded.run({});
    const double seconds = since(began);
    RecordProperty("iterations_per_second", std::to_string(kBounded / seconds));
    std::printf("with bounds: %d iterations in %.1f s\n", kBounded, seconds);
    for (std::size_t p = 0; p < 2; ++p) {
        std::vector<std::vector<double>> series;
        for (const posterior::ChainDraws& chain : bounded.draws()) {
            series.push_back(chain.parameter[p]);
        }
        const posterior::Diagnostics diagnosed = posterior::diagnose(series);
        const std::string name = job.posterior->theta[p];
        RecordProperty("effective_" + name, std::to_string(diagnosed.effective));
        RecordProperty("r_hat_" + name, std::to_string(diagnosed.r_hat));
        std::printf("%s: %.0f effective samples, R-hat %.3f\n", name.c_str(), diagnosed.effective,
                    diagnosed.r_hat);
        EXPECT_GT(diagnosed.effective, 100.0);
    }
}

}  // namespace
}  // namespace kaname::jobs::posterior_theta_test
