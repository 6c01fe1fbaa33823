// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/inversion/weights.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "tests/bench/inversion/synthetic_region.hpp"
#include "tests/bench/resident.hpp"
#include "tests/bench/suites.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/jobs/inversion/invert.hpp"

namespace kaname::bench {
namespace {

/// Cross-validated lasso of non-negative amounts, ours; the problem is left for scikit-learn, which
/// the script solves with the same folds and weights: prints its seconds and the difference. Solves
/// nothing where scikit-learn is not installed.
void compare_with_sklearn(const support::TemporaryFolder& scratch, const Row& base,
                          Report& report) {
    if (std::system("/usr/bin/python3 -c 'import sklearn.linear_model' 2> /dev/null") != 0) {
        std::fprintf(stderr, "no comparison: scikit-learn (python3-sklearn) cannot be run\n");
        return;
    }
    constexpr Eigen::Index kData = 30000, kUnknowns = 372;
    constexpr int kFolds = 5;
    inversion::Draws draws(9);
    // Neighbouring columns are alike, as Green's functions of neighbouring patches are.
    inversion::Rows rows(kData, kUnknowns);
    for (Eigen::Index i = 0; i < kData; ++i) {
        double walk = draws.normal();
        for (Eigen::Index j = 0; j < kUnknowns; ++j) {
            walk = 0.9 * walk + 0.436 * draws.normal();
            rows(i, j) = walk;
        }
    }
    Eigen::VectorXd truth = Eigen::VectorXd::Zero(kUnknowns);
    truth.segment(100, 40).setOnes();
    const Eigen::VectorXd values =
        rows * truth + Eigen::VectorXd::NullaryExpr(kData, [&] { return 10.0 * draws.normal(); });

    const Clock::time_point begin = Clock::now();
    inversion::FoldedEquations equations;
    equations.all = inversion::NormalEquations(kUnknowns);
    constexpr Eigen::Index kPart = kData / kFolds;
    for (int fold = 0; fold < kFolds; ++fold) {
        inversion::NormalEquations part(kUnknowns);
        part.add(rows.middleRows(fold * kPart, kPart), values.segment(fold * kPart, kPart));
        equations.all += part;
        equations.test.push_back(std::move(part));
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const inversion::Regulariser regulariser{
        Eigen::MatrixXd::Zero(kUnknowns, kUnknowns),
        Eigen::VectorXd::Ones(kUnknowns),
        {Eigen::VectorXd::Zero(kUnknowns), Eigen::VectorXd::Constant(kUnknowns, kInfinity)},
        {}};
    inversion::WeightGrid grid{{0.0}, {}};
    const double largest = inversion::weight_scale(equations.all, regulariser).sparsity;
    for (int k = 0; k < 100; ++k) {
        grid.sparsity.push_back(largest * std::pow(10.0, -3.0 * k / 99.0));
    }
    const inversion::WeightScores scores = inversion::score_weights(equations, regulariser, grid);
    const std::size_t best = inversion::least_score(scores, grid, false).sparsity;
    const double alpha = grid.sparsity[best];
    const Eigen::VectorXd x = inversion::fit(equations.all, regulariser, 0.0, alpha).x;
    const double ours_s = seconds_since(begin);

    const auto write = [&](const char* name, const double* numbers, Eigen::Index n) {
        std::ofstream(scratch.path(name), std::ios::binary)
            .write(reinterpret_cast<const char*>(numbers),
                   static_cast<std::streamsize>(n * sizeof(double)));
    };
    write("rows.f64", rows.data(), rows.size());
    write("values.f64", values.data(), values.size());
    write("alphas.f64", grid.sparsity.data(), static_cast<Eigen::Index>(grid.sparsity.size()));
    write("x.f64", x.data(), x.size());
    const std::string command =
        "/usr/bin/python3 " KANAME_SOURCE_DIR "/tests/bench/inversion/compare_sklearn.py " +
        scratch.path().string() + " " + std::to_string(kFolds) + " " + std::to_string(best);
    FILE* script = ::popen(command.c_str(), "r");
    double theirs_s = 0.0, difference = 0.0;
    const int read = script ? std::fscanf(script, "%lf %lf", &theirs_s, &difference) : 0;
    const int ended = script ? ::pclose(script) : -1;
    if (read != 2 || ended != 0) {
        std::fprintf(stderr, "no comparison: compare_sklearn.py failed\n");
        return;
    }
    Row row = base;
    row.model = "lasso372";
    report.add(row, "seconds", "s", summarize({ours_s}));
    report.add(row, "ratio_to_sklearn", "1", summarize({theirs_s / ours_s}));
    report.add(row, "reference_difference", "1", summarize({difference}));
}

}  // namespace

void run_inversion(const Options& options, Report& report) {
    SyntheticRegion region;
    if (options.size == Size::Small) {
        region.stations = 60;
        region.epochs = 4;
    }
    const support::TemporaryFolder scratch;
    const std::string greens = scratch.path("greens.h5");
    std::fprintf(stderr, "writing %d sources x %d stations x %d epochs\n", region.sources(),
                 region.stations, region.epochs);
    region.write(greens);
    Row base;
    base.model = options.size == Size::Small ? "nankai372-small" : "nankai372";
    base.method = "default";
    base.vectors = 1;
    base.threads = device::max_threads();
    base.dof = region.sources();
    const jobs::InversionJob job = region.job();
    std::vector<double> seconds;
    double peak = 0.0;
    const int samples = options.size == Size::Small ? 1 : 3;
    for (int sample = 0; sample < samples; ++sample) {
        const ResidentGrowth memory;
        const jobs::InversionSummary summary =
            jobs::invert(job, greens, scratch.path("inversion.h5"), [](const auto&) {});
        seconds.push_back(summary.seconds);
        peak = std::max(peak, memory.peak_bytes().value_or(0.0));
        std::fprintf(stderr, "inverted in %.2f s, magnitude %.3f, chi^2 %.3f\n", summary.seconds,
                     summary.windows[0].moment_magnitude, summary.sets[0].chi2_per_observation);
    }
    report.add(base, "seconds", "s", summarize(seconds));
    if (peak > 0.0) {
        report.add(base, "peak_bytes", "B", summarize({peak}));
    }
    std::vector<double> slice_s;
    double bytes = 0.0;
    for (int station = 0; station < 7; ++station) {
        const Clock::time_point begin = Clock::now();
        const io::GreensSlice slice =
            io::read_greens_slice(greens, {}, {}, {station * region.stations / 7, 1, 1});
        slice_s.push_back(seconds_since(begin));
        bytes = static_cast<double>(slice.greens.size() * sizeof(double));
    }
    report.add(base, "slice_s", "s", summarize(slice_s));
    report.add(base, "slice_bytes", "B", summarize({bytes}));
    compare_with_sklearn(scratch, base, report);
}

}  // namespace kaname::bench
