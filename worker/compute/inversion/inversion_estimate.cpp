// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/inversion/inversion_estimate.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"

namespace kaname::compute {
namespace {

// Rough: what a core does in a second, and how often a matrix is factored for one pair of weights.
constexpr double kFlops = 2e9;
constexpr double kBytesRead = 5e8;
constexpr double kFactorisations = 5.0;
constexpr double kSpread = 4.0;

/// Ids of the dataset's sources and its epochs, from a block that is next to nothing.
io::GreensSlice axes_of(const v1::File& greens) {
    try {
        return io::read_greens_slice(greens.path(), {0, 0, 1}, {0, 0, 1}, {0, 1, 1});
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Unavailable) {
            throw;
        }
        throw ValidationError({{"greens", std::string(error.what())}});
    }
}

}  // namespace

v1::Estimate estimate_of(const spec::LoadedInversion& spec, int threads) {
    const v1::Inversion& inversion = spec.inversion;
    const v1::Regularisation& weights = inversion.regularisation();
    const io::GreensSlice axes = axes_of(inversion.greens());
    std::set<std::string> stations;
    double n_data = 0.0;
    for (const spec::ObservationTable& table : spec.tables) {
        const std::vector<std::string> ids = table.station_ids();
        stations.insert(ids.begin(), ids.end());
        n_data += static_cast<double>(table.rows.size());
    }
    const double n =
        static_cast<double>(axes.sources.size()) * std::max(1, inversion.slip().windows_size());
    const double problems =
        (weights.folds() + 1.0) * weights.smoothness_size() * weights.sparsity_size() +
        inversion.appraisal().bootstrap();
    std::error_code unknown;
    const auto file_bytes =
        static_cast<double>(std::filesystem::file_size(inversion.greens().path(), unknown));
    const double flops = n_data * n * n + problems * kFactorisations * n * n * n / 3.0;
    const double seconds = file_bytes / kBytesRead + flops / (kFlops * std::max(1, threads)) + 0.1;
    const double matrices =
        8.0 * n * n * (inversion.appraisal().resolution() + inversion.appraisal().covariance());

    v1::Estimate estimate;
    estimate.set_dof(report::count(static_cast<std::int64_t>(n)));
    estimate.set_sources(report::count(std::ssize(axes.sources)));
    estimate.set_stations(report::count(std::ssize(stations)));
    estimate.set_epochs(report::count(std::ssize(axes.epochs_s)));
    estimate.set_solve_bytes(file_bytes + 8.0 * (n * n * (weights.folds() + 4.0) + n_data * n));
    estimate.set_available_bytes(jobs::available_bytes());
    estimate.set_dataset_bytes(1e5 + 200.0 * (n + n_data) + matrices);
    estimate.set_solve_s(seconds);
    estimate.set_total_s(seconds);
    estimate.set_spread(kSpread);
    estimate.set_low_s(seconds / kSpread);
    estimate.set_high_s(seconds * kSpread);
    estimate.set_threads(report::count(threads));
    estimate.mutable_warnings()->Assign(spec.warnings.begin(), spec.warnings.end());
    return estimate;
}

}  // namespace kaname::compute
