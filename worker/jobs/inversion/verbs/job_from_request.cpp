// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "proto/report/report.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "worker/jobs/frame/waves_report.hpp"
#include "worker/jobs/inversion/verbs/inversion_kind.hpp"

namespace kaname::compute {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

template <class Enum>
Enum word(const std::string& text, const std::string& field,
          std::initializer_list<std::pair<std::string_view, Enum>> known) {
    for (const auto& [name, value] : known) {
        if (name == text) {
            return value;
        }
    }
    throw ValidationError({{field, "is not known, got '" + text + "'"}});
}

jobs::ObservationKind kind_of(const std::string& text, const std::string& field) {
    using Kind = jobs::ObservationKind;
    return word<Kind>(text, field,
                      {{"gnss", Kind::Gnss},
                       {"gnss_acoustic", Kind::GnssAcoustic},
                       {"ocean_bottom_pressure", Kind::OceanBottomPressure},
                       {"insar", Kind::Insar}});
}

jobs::Datum datum_of(const request::Observation& row, double sigma_scale) {
    jobs::Datum datum;
    datum.station = row.station;
    datum.lon_deg = row.lon_deg.value_or(kNone);
    datum.lat_deg = row.lat_deg.value_or(kNone);
    datum.east = row.east;
    datum.north = row.north;
    datum.up = row.up;
    datum.component = row.component;
    datum.epoch_s = row.epoch_s;
    datum.since_s = row.since_s.value_or(jobs::Datum::kBeforeAll);
    datum.value = row.value;
    datum.sigma = row.sigma * sigma_scale;
    datum.field = row.field;
    return datum;
}

jobs::ObservationSet set_of(const v1::Observations& message, const request::ObservationTable& table,
                            std::vector<double> covariance, const std::string& field) {
    jobs::ObservationSet set;
    set.name = message.name();
    set.kind = kind_of(message.kind(), field + ".kind");
    set.velocity = table.velocity;
    const double scale = message.sigma_scale();
    for (const request::Observation& row : table.rows) {
        set.data.push_back(datum_of(row, scale));
    }
    set.correlation_length_m = message.correlation_length_m();
    for (double& value : covariance) {
        value *= scale * scale;
    }
    set.covariance = std::move(covariance);
    const auto wants = [&](const char* nuisance) {
        return std::ranges::find(message.nuisance(), nuisance) != message.nuisance().end();
    };
    set.offset = wants("offset");
    set.ramp = wants("ramp");
    set.rotation = wants("rotation");
    set.match_distance_m = message.match_distance_m();
    const auto has = [&](const char* term) {
        return std::ranges::find(message.series().terms(), term) != message.series().terms().end();
    };
    set.series = {.rate = has("rate"),
                  .annual = has("annual"),
                  .semiannual = has("semiannual"),
                  .steps_s = {message.series().steps_s().begin(), message.series().steps_s().end()},
                  .random_walk_m = message.series().random_walk_m()};
    return set;
}

jobs::SlipWindow window_of(const v1::SlipWindow& message, const std::string& field) {
    using Kind = jobs::SlipWindow::Kind;
    const Kind kind = word<Kind>(message.kind(), field + ".kind",
                                 {{"step", Kind::Step},
                                  {"ramp", Kind::Ramp},
                                  {"steady", Kind::Steady},
                                  {"coupling", Kind::Coupling},
                                  {"history", Kind::History}});
    return {.name = message.name(),
            .kind = kind,
            .begin_s = message.begin_s(),
            .end_s = message.end_s(),
            .step_s = message.step_s(),
            .from_rest = message.start() != "free",
            .elastic = message.elastic()};
}

jobs::MomentRule moment_of(const v1::Moment& message) {
    using Relation = jobs::MomentRule::Relation;
    const Relation relation = word<Relation>(message.relation(), "slip.moment.relation",
                                             {{"equal", Relation::Equal},
                                              {"at_most", Relation::AtMost},
                                              {"at_least", Relation::AtLeast}});
    return {relation, message.has_moment_n_m()
                          ? message.moment_n_m()
                          : slip_model::moment_of_magnitude(message.magnitude())};
}

jobs::SlipUnknowns slip_of(const v1::SlipUnknowns& message) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    jobs::SlipUnknowns slip;
    slip.components = {message.components().begin(), message.components().end()};
    slip.min_m = message.has_min_m() ? message.min_m() : -kInfinite;
    slip.max_m = message.has_max_m() ? message.max_m() : kInfinite;
    if (message.has_rake_from_deg()) {
        slip.rake_from_deg = message.rake_from_deg();
        slip.rake_to_deg = message.rake_to_deg();
    }
    if (message.has_azimuth_deg()) {
        slip.azimuth_deg = message.azimuth_deg();
    }
    if (message.has_moment()) {
        slip.moment = moment_of(message.moment());
    }
    slip.windows.clear();
    for (int k = 0; k < message.windows_size(); ++k) {
        slip.windows.push_back(window_of(message.windows(k), request::element("slip.windows", k)));
    }
    return slip;
}

jobs::Regularisation weights_of(const v1::Regularisation& message) {
    using Weights = jobs::Regularisation;
    const std::string path = "regularisation.";
    Weights weights;
    weights.choice = word<Weights::Choice>(message.choice(), path + "choice",
                                           {{"cross_validation", Weights::Choice::CrossValidation},
                                            {"abic", Weights::Choice::Abic},
                                            {"abic_free", Weights::Choice::AbicFree},
                                            {"l_curve", Weights::Choice::LCurve},
                                            {"fixed", Weights::Choice::Fixed}});
    weights.smoothness = {message.smoothness().begin(), message.smoothness().end()};
    weights.sparsity = {message.sparsity().begin(), message.sparsity().end()};
    weights.folds = static_cast<int>(message.folds());
    weights.seed = message.seed();
    weights.rule = word<Weights::Rule>(message.rule(), path + "rule",
                                       {{"minimum", Weights::Rule::Minimum},
                                        {"one_standard_error", Weights::Rule::OneStandardError}});
    weights.weight = word<Weights::Weight>(
        message.weight(), path + "weight",
        {{"none", Weights::Weight::None}, {"moment", Weights::Weight::Moment}});
    weights.edges =
        word<Weights::Edges>(message.edges(), path + "edges",
                             {{"zero", Weights::Edges::Zero}, {"free", Weights::Edges::Free}});
    weights.norm = word<Weights::Norm>(
        message.norm(), path + "norm",
        {{"least_squares", Weights::Norm::LeastSquares}, {"huber", Weights::Norm::Huber}});
    weights.variance_components = message.variance_components();
    return weights;
}

jobs::SyntheticSlip synthetic_of(const v1::Synthetic& message,
                                 const std::vector<request::SourceSlip>& table) {
    jobs::SyntheticSlip synthetic;
    synthetic.noise = message.noise();
    if (message.has_checkerboard()) {
        const v1::Checkerboard& board = message.checkerboard();
        synthetic.checkerboard = {static_cast<int>(board.rows()), static_cast<int>(board.columns()),
                                  board.slip_m()};
    }
    if (message.has_rupture()) {
        const v1::SlipBump& rupture = message.rupture();
        auto& made = synthetic.rupture.emplace();
        made.lon_deg = rupture.lon_deg();
        made.lat_deg = rupture.lat_deg();
        made.length_m = rupture.length_m();
        made.width_m = rupture.width_m();
        made.strike_deg = rupture.strike_deg();
        made.slip_m = rupture.slip_m();
        if (rupture.has_rake_deg()) {
            made.rake_deg = rupture.rake_deg();
        } else {
            made.slip_azimuth_deg = rupture.slip_azimuth_deg();
        }
    }
    for (const request::SourceSlip& row : table) {
        synthetic.amounts.push_back({row.source, row.slip_m});
    }
    return synthetic;
}

jobs::PosteriorSampling posterior_of(const v1::PosteriorSampling& message) {
    jobs::PosteriorSampling posterior;
    posterior.iterations = static_cast<int>(message.iterations());
    posterior.draws = static_cast<int>(message.draws());
    posterior.seed = message.seed();
    posterior.effective_samples = static_cast<int>(message.effective_samples());
    if (message.largest_slip_m() > 0.0) {
        posterior.largest_slip_m = message.largest_slip_m();
    }
    if (message.level_m() > 0.0) {
        posterior.level_m = message.level_m();
    }
    posterior.lengths_m = {message.lengths_m().begin(), message.lengths_m().end()};
    posterior.theta = {message.theta().begin(), message.theta().end()};
    posterior.nodes = static_cast<int>(message.nodes());
    return posterior;
}

}  // namespace

jobs::InversionJob job_from_request(const request::LoadedInversion& loaded) {
    const v1::Inversion& message = loaded.inversion;
    jobs::InversionJob job;
    job.name = message.name();
    job.title = message.description().empty() ? message.name() : message.description();
    job.specification_json = request::canonical_inversion(message, true);
    job.version = KANAME_VERSION;
    for (int k = 0; k < message.data_size(); ++k) {
        job.sets.push_back(set_of(message.data(k), loaded.tables.at(k), loaded.covariances.at(k),
                                  request::element("data", k)));
    }
    job.slip = slip_of(message.slip());
    job.regularisation = weights_of(message.regularisation());
    job.resolution = message.appraisal().resolution();
    job.covariance = message.appraisal().covariance();
    job.bootstrap = static_cast<int>(message.appraisal().bootstrap());
    if (message.has_synthetic()) {
        job.synthetic = synthetic_of(message.synthetic(), loaded.slip);
    }
    if (message.has_posterior()) {
        job.posterior = posterior_of(message.posterior());
    }
    if (message.has_model_errors()) {
        job.model_errors.emplace().rounds = static_cast<int>(message.model_errors().rounds());
        for (const v1::File& dataset : message.model_errors().datasets()) {
            job.model_errors->datasets.push_back(dataset.path());
        }
    }
    return job;
}

request::LoadedInversion load_stored_inversion(const std::string& path, const std::string& files) {
    v1::Inversion inversion;
    request::from_json(request::read_text_file(path), "file '" + path + "'", inversion);
    locate_stored_files(inversion, path, files);
    return request::check_inversion(std::move(inversion));
}

namespace {

// Rough: what a core does in a second, and how often a matrix is factored for one pair of weights.
constexpr double kFlops = 2e9;
constexpr double kBytesRead = 5e8;
constexpr double kFactorisations = 5.0;
constexpr double kSpread = 4.0;
constexpr double kChains = 2.0;  // of the posterior's sampler, a thread for each
constexpr double kNodesOfTheta = 8.0;

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

v1::Estimate estimate_of(const request::LoadedInversion& loaded, int threads) {
    const v1::Inversion& inversion = loaded.inversion;
    const v1::Regularisation& weights = inversion.regularisation();
    const io::GreensSlice axes = axes_of(inversion.greens());
    std::set<std::string> stations;
    double n_data = 0.0;
    for (const request::ObservationTable& table : loaded.tables) {
        const std::vector<std::string> ids = table.station_ids();
        stations.insert(ids.begin(), ids.end());
        n_data += static_cast<double>(table.rows.size());
    }
    double n =
        static_cast<double>(axes.sources.size()) * std::max(1, inversion.slip().windows_size());
    // Weights of a history are searched: a factorisation for each.
    constexpr double kSearched = 2.0;
    double columns = n;  // of a datum's row
    double steps = 1.0;
    for (const v1::SlipWindow& window : inversion.slip().windows()) {
        if (window.step_s() > 0.0) {
            steps = std::max(1.0, (window.end_s() - window.begin_s()) / window.step_s());
            n *= steps;
            columns = steps;
        }
    }
    const double problems = steps > 1.0 ? kSearched
                                        : (weights.folds() + 1.0) * weights.smoothness_size() *
                                                  weights.sparsity_size() +
                                              inversion.appraisal().bootstrap();
    std::error_code unknown;
    const auto file_bytes =
        static_cast<double>(std::filesystem::file_size(inversion.greens().path(), unknown));
    const double flops = n_data * columns * columns + problems * kFactorisations * n * n * n / 3.0;
    // An iteration factors a matrix, and goes through it some ten times.
    const double sampling =
        inversion.has_posterior()
            ? inversion.posterior().iterations() * kChains * (n * n * n / 3.0 + 30.0 * n * n)
            : 0.0;
    // Each of two steps of viscosities makes the response anew, and factors it.
    const double seen = std::min(n_data, 3.0 * n);
    const auto n_theta = static_cast<double>(inversion.posterior().theta_size());
    const double of_theta = n_theta > 0 ? inversion.posterior().iterations() * kChains * 4.0 *
                                              seen * n * (std::pow(kNodesOfTheta, n_theta) + n)
                                        : 0.0;
    // Slip is found once without errors of the structure, and once in each round, for which all of
    // its datasets are read; those of the posterior but the last have a fifth of the iterations.
    const double rounds = inversion.has_model_errors() ? inversion.model_errors().rounds() : 0.0;
    const double members_read = rounds * (inversion.has_posterior() ? 2.0 : 1.0) *
                                (1.0 + inversion.model_errors().datasets_size());
    const double seconds = file_bytes * (1.0 + rounds + members_read) / kBytesRead +
                           (1.0 + rounds) * flops / (kFlops * std::max(1, threads)) +
                           ((1.0 + 0.2 * std::max(0.0, rounds - 1.0)) * sampling + of_theta) /
                               (4.0 * kFlops * std::min(2, std::max(1, threads))) +
                           0.1;
    const double matrices =
        8.0 * n * n * (inversion.appraisal().resolution() + inversion.appraisal().covariance());

    v1::Estimate estimate;
    estimate.set_dof(report::count(static_cast<std::int64_t>(n)));
    estimate.set_sources(report::count(std::ssize(axes.sources)));
    estimate.set_stations(report::count(std::ssize(stations)));
    estimate.set_epochs(report::count(std::ssize(axes.epochs_s)));
    const double of_nodes = n_theta > 0 ? seen * n * std::pow(kNodesOfTheta, n_theta) : 0.0;
    estimate.set_solve_bytes(
        file_bytes +
        8.0 * (n * n * (steps > 1.0 ? 3.0 : weights.folds() + 4.0) + n_data * columns + of_nodes));
    estimate.set_available_bytes(this_machine().available_bytes);
    estimate.set_dataset_bytes(1e5 + 200.0 * (n + n_data) + matrices);
    estimate.set_solve_s(seconds);
    estimate.set_total_s(seconds);
    estimate.set_spread(kSpread);
    estimate.set_low_s(seconds / kSpread);
    estimate.set_high_s(seconds * kSpread);
    estimate.set_threads(report::count(threads));
    estimate.mutable_warnings()->Assign(loaded.warnings.begin(), loaded.warnings.end());
    return estimate;
}

}  // namespace kaname::compute
