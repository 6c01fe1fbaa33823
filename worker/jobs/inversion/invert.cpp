// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/invert.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/inversion/weights.hpp"
#include "worker/jobs/inversion/data_weights.hpp"
#include "worker/jobs/inversion/model_errors.hpp"
#include "worker/jobs/inversion/slip_in_time.hpp"
#include "worker/jobs/inversion/slip_posterior.hpp"

namespace kaname::jobs {
namespace {

using Choice = Regularisation::Choice;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Parts of the time: reading and weights, appraisal, predictions.
constexpr double kWeighed = 0.85, kAppraised = 0.9;
constexpr double kEstimated = 0.1;  // of all, where the posterior is sampled too
constexpr double kAnswered = 0.2;   // of the posterior, where viscosities are
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Iterations of the rounds of a posterior but the last one, in which errors of the structure are
// found.
constexpr int kShort = 5, kLeastIterations = 100;

std::vector<double> as_vector(const MatrixXd& matrix) {
    std::vector<double> values;
    for (Index i = 0; i < matrix.rows(); ++i) {
        for (Index j = 0; j < matrix.cols(); ++j) {
            values.push_back(matrix(i, j));
        }
    }
    return values;
}

/// The dataset without values, fit to be inverted.
io::GreensDataset read_greens(const std::string& path) {
    io::GreensDataset greens = io::read_greens_rows(path);
    for (const io::GreensDataset::Source& source : greens.sources) {
        if (source.status == 1 && !(source.potency_m3 > 0.0 && source.rigidity_pa > 0.0)) {
            throw Error(ErrorCode::InvalidArgument,
                        path + ": source '" + source.id +
                            "' must have potency and rigidity; an earlier version wrote the "
                            "dataset: package it again");
        }
    }
    return greens;
}

/// The job with places of all rows and its stations' names as in the dataset.
InversionJob placed(const InversionJob& job, const io::GreensDataset& greens,
                    const MatchedData& matched) {
    InversionJob result = job;
    for (std::size_t k = 0; k < result.sets.size(); ++k) {
        for (std::size_t i = 0; i < result.sets[k].data.size(); ++i) {
            Datum& datum = result.sets[k].data[i];
            const auto& station = greens.stations[matched.station[k][i]];
            datum.station = station.id;
            if (std::isnan(datum.lon_deg) || std::isnan(datum.lat_deg)) {
                datum.lon_deg = greens.projected ? station.lon_deg : kNone;
                datum.lat_deg = greens.projected ? station.lat_deg : kNone;
            }
        }
    }
    return result;
}

std::vector<std::string> unknown_names(const InversionJob& job, const SlipAmounts& amounts,
                                       const io::GreensDataset& greens) {
    std::vector<std::string> names;
    for (const SlipAmounts::Amount& amount : amounts.amounts) {
        const bool one = amount.terms.size() == 1;
        names.push_back(
            job.slip.windows[amount.window].name + "/" +
            (one ? greens.sources[amount.terms[0].source].id
                 : amounts.patches[amount.patch].id + "/rake_" + std::to_string(amount.direction)));
    }
    return names;
}

/// Returns the variances of the sources' slip, diag(T C T').
VectorXd source_variances(const SlipAmounts& amounts, const MatrixXd& covariance) {
    const Index n = static_cast<Index>(amounts.n_windows) * amounts.n_sources;
    MatrixXd t = MatrixXd::Zero(n, amounts.n());
    for (int j = 0; j < amounts.n(); ++j) {
        for (const SlipAmounts::Term& term : amounts.amounts[j].terms) {
            t(static_cast<Index>(amounts.amounts[j].window) * amounts.n_sources + term.source, j) +=
                term.factor;
        }
    }
    const Index m = amounts.n();
    return (t * covariance.topLeftCorner(m, m)).cwiseProduct(t).rowwise().sum();
}

/// Returns the resolution of sources from a resolution matrix of amounts: the mean of its diagonal,
/// weighted by the squares of the source's factors in the amounts.
VectorXd source_resolution(const SlipAmounts& amounts, const MatrixXd& resolution) {
    VectorXd sum = VectorXd::Zero(static_cast<Index>(amounts.n_windows) * amounts.n_sources);
    VectorXd share = sum;
    for (int j = 0; j < amounts.n(); ++j) {
        for (const SlipAmounts::Term& term : amounts.amounts[j].terms) {
            const Index at =
                static_cast<Index>(amounts.amounts[j].window) * amounts.n_sources + term.source;
            sum[at] += term.factor * term.factor * resolution(j, j);
            share[at] += term.factor * term.factor;
        }
    }
    return (share.array() > 0.0).select(sum.array() / share.array().max(1e-300), kNone);
}

/// 2.5 and 97.5 % of each row of sorted replicates.
std::pair<double, double> limits(std::vector<double> values) {
    std::ranges::sort(values);
    const double last = static_cast<double>(values.size() - 1);
    const auto at = [&](double part) {
        const auto k = static_cast<std::size_t>(part * last);
        const double rest = part * last - static_cast<double>(k);
        return values[k] + (k + 1 < values.size() ? rest * (values[k + 1] - values[k]) : 0.0);
    };
    return {at(0.025), at(0.975)};
}

void add_bootstrap(const SlipAmounts& amounts, const MatrixXd& replicates,
                   io::InversionDataset& result) {
    std::vector<std::vector<double>> slip;
    for (Index k = 0; k < replicates.cols(); ++k) {
        slip.push_back(amounts.slip_of_sources(replicates.col(k).head(amounts.n())));
    }
    for (std::size_t i = 0; i < slip.front().size(); ++i) {
        std::vector<double> values;
        for (const std::vector<double>& of_one : slip) {
            values.push_back(of_one[i]);
        }
        const auto [low, high] = limits(std::move(values));
        result.slip_low.push_back(low);
        result.slip_high.push_back(high);
    }
}

/// How the estimate compares with the slip that made the data, over patches of the first window.
InversionSummary::Reference compare(const InversionJob& job, const SlipAmounts& amounts,
                                    const io::GreensDataset& greens,
                                    const io::InversionDataset& result) {
    io::InversionDataset truth;
    truth.slip = result.reference_slip;
    describe_slip(job, amounts, greens, truth);
    const std::size_t n = amounts.patches.size();
    const auto mean = [&](const std::vector<double>& values) {
        return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n),
                               0.0) /
               static_cast<double>(n);
    };
    const double mean_a = mean(result.patch_slip), mean_b = mean(truth.patch_slip);
    double aa = 0.0, bb = 0.0, ab = 0.0, difference = 0.0;
    for (std::size_t p = 0; p < n; ++p) {
        const double a = result.patch_slip[p] - mean_a, b = truth.patch_slip[p] - mean_b;
        aa += a * a;
        bb += b * b;
        ab += a * b;
        difference += std::pow(result.patch_slip[p] - truth.patch_slip[p], 2);
    }
    return {truth.windows.front().moment_magnitude, aa * bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0,
            std::sqrt(difference / static_cast<double>(n))};
}

/// Slip that no earthquake had.
std::vector<std::string> size_warnings(const InversionSummary& summary, const InversionJob& job) {
    constexpr double kMostSlip_m = 100.0, kMostMagnitude = 9.7;
    std::vector<std::string> warnings;
    for (std::size_t w = 0; w < summary.windows.size(); ++w) {
        const InversionSummary::Window& window = summary.windows[w];
        const bool rate = job.slip.windows[w].is_rate();
        if (window.largest_slip_m > kMostSlip_m ||
            (!rate && window.moment_magnitude > kMostMagnitude)) {
            warnings.push_back(
                "window '" + window.name + "': largest slip " +
                formatted("%.3g", window.largest_slip_m) +
                (rate ? " m/year" : " m, Mw " + formatted("%.2f", window.moment_magnitude)) +
                ": more than any fault's; are the data in the unit that their "
                "columns name (mm in columns named _m)?");
        }
    }
    return warnings;
}

}  // namespace

InversionSummary invert(const InversionJob& wanted, const std::string& greens_path,
                        const std::string& out,
                        const std::function<void(const InversionProgress&)>& told,
                        const std::function<std::string(const InversionSummary&)>& report) {
    const auto began = std::chrono::steady_clock::now();
    const double of_estimate = wanted.posterior ? kEstimated : 1.0;
    const auto progress = [&](const InversionProgress& now) {
        told({of_estimate * now.fraction, now.text});
    };
    const io::GreensDataset greens = read_greens(greens_path);
    const MatchedData matched = match_stations(wanted.sets, greens);
    const InversionJob job = placed(wanted, greens, matched);
    const bool in_time = job.slip.windows.front().kind == SlipWindow::Kind::History;
    SlipUnknowns unknowns = job.slip;
    if (in_time) {  // all its windows have the same amounts
        unknowns.windows.resize(1);
    }
    const SlipAmounts amounts = slip_amounts(unknowns, greens);
    if (in_time) {
        InversionSummary summary =
            slip_in_time({job, greens_path, greens, matched, amounts}, out, told, report);
        summary.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        return summary;
    }
    std::optional<StructureEnsemble> ensemble;
    if (job.model_errors) {
        ensemble.emplace(job, greens_path, greens, matched, amounts);
    }
    const int model_rounds = ensemble ? job.model_errors->rounds : 0;
    const auto rows_with = [&](ModelCovariance errors) {
        return std::make_unique<DataRows>(std::move(errors), greens_path, greens, job, matched,
                                          amounts);
    };
    std::unique_ptr<DataRows> exact = rows_with({});
    const Regularisation& rules = job.regularisation;

    EquationsWanted equations_wanted;
    equations_wanted.folds = rules.choice == Choice::CrossValidation ? rules.folds : 0;
    equations_wanted.groups = job.bootstrap > 0;
    equations_wanted.seed = rules.seed;
    if (job.synthetic) {
        equations_wanted.synthetic_slip = synthetic_slip(*job.synthetic, job.slip, amounts, greens);
        equations_wanted.noise = job.synthetic->noise;
    }
    const int n_slip = amounts.n(), n_nuisance = exact->nuisance.n(), n = n_slip + n_nuisance;
    const inversion::Regulariser regulariser = slip_regulariser(job, amounts, greens, n_nuisance);
    const auto in_round = [&](int round) {
        return [&progress, round, model_rounds](double done, const char* text) {
            progress({kWeighed * (round + done) / (model_rounds + 1), text});
        };
    };
    InversionSummary summary;
    summary.warnings = matched.warnings;
    Found found = find_slip(std::move(exact), job, matched, greens, equations_wanted, regulariser,
                            in_round(0));
    double moment = ensemble ? moment_of(job, amounts, greens, found.estimate.x.head(n_slip)) : 0.0;
    for (int round = 1; round <= model_rounds; ++round) {
        const auto now = in_round(round);
        ModelCovariance model =
            ensemble->at(amounts.slip_of_sources(found.estimate.x.head(n_slip)),
                         [&](double) { now(0.0, "reading datasets of other structures"); });
        Found next = find_slip(rows_with(std::move(model)), job, matched, greens, equations_wanted,
                               regulariser, now);
        const double before =
            std::exchange(moment, moment_of(job, amounts, greens, next.estimate.x.head(n_slip)));
        if (!summary.model_errors) {
            summary.model_errors.emplace();
        }
        summary.model_errors->rounds.push_back(
            round_of(next.rows->model, found.rows->model, job, moment, before));
        found = std::move(next);
    }
    if (summary.model_errors) {
        summary.model_errors->members = static_cast<int>(ensemble->size());
        summary.model_errors->rank = static_cast<int>(found.rows->model.rank());
        summary.model_errors->off_centre = found.rows->model.off_centre;
    }
    const RowReader& reader = found.rows->reader;
    const Estimate& estimate = found.estimate;
    const InversionEquations& equations = estimate.equations;
    const inversion::NormalEquations& all = equations.folded.all;
    const inversion::WeightGrid& grid = estimate.grid;
    const inversion::WeightScores& scores = estimate.scores;
    const inversion::WeightScale scale = estimate.scale;
    const WeightChoice chosen = estimate.chosen;
    const double lambda = estimate.lambda, alpha = estimate.alpha;
    const VectorXd& x = estimate.x;

    progress({kWeighed, "appraising"});
    io::InversionDataset result = described_job(job, greens);
    result.slip = amounts.slip_of_sources(x.head(n_slip));
    result.reference_slip = equations_wanted.synthetic_slip;
    describe_slip(job, amounts, greens, result);
    const inversion::LinearAppraisal appraisal = inversion::appraise(all, regulariser, lambda);
    const VectorXd sigma =
        source_variances(amounts, appraisal.covariance).cwiseMax(0.0).cwiseSqrt();
    const VectorXd resolved = source_resolution(amounts, appraisal.resolution);
    result.slip_sigma.assign(sigma.begin(), sigma.end());
    result.resolution_diagonal.assign(resolved.begin(), resolved.end());
    if (job.resolution || job.covariance) {
        result.unknowns = unknown_names(job, amounts, greens);
    }
    if (job.resolution) {
        result.resolution = as_vector(appraisal.resolution.topLeftCorner(n_slip, n_slip));
    }
    if (job.covariance) {
        result.covariance = as_vector(appraisal.covariance.topLeftCorner(n_slip, n_slip));
    }
    if (job.bootstrap > 0) {
        add_bootstrap(amounts,
                      inversion::bootstrap(equations.groups, regulariser, lambda, alpha,
                                           job.bootstrap, rules.seed, x),
                      result);
    }
    result.choice.kind = name_of_choice(rules.choice);
    result.choice.smoothness = rules.smoothness;
    result.choice.sparsity = rules.sparsity;
    const auto grid_or_none = [&](const MatrixXd& values) {
        return values.size() > 0
                   ? as_vector(values)
                   : std::vector<double>(grid.smoothness.size() * grid.sparsity.size(), kNone);
    };
    result.choice.score = grid_or_none(scores.score);
    result.choice.error = grid_or_none(scores.error);
    result.choice.misfit = as_vector(scores.misfit / static_cast<double>(all.n_data));
    result.choice.roughness = as_vector(scores.roughness);
    result.choice.abic.assign(scores.abic.begin(), scores.abic.end());
    result.choice.smoothness_scale = scale.smoothness;
    result.choice.sparsity_scale = scale.sparsity;
    result.choice.chosen_smoothness = rules.smoothness[chosen.smoothness];
    result.choice.chosen_sparsity = rules.sparsity[chosen.sparsity];

    const InversionJob fitted = found.weights.with_factors(job);
    describe_fit(fitted, reader, equations, x, found.rows->nuisance, found.rows->model, n_slip,
                 result, summary, [&](double done) {
                     progress({kAppraised + (1.0 - kAppraised) * done, "predicting"});
                 });
    for (std::size_t w = 0; w < result.windows.size(); ++w) {
        const auto begin =
            result.patch_slip.begin() + static_cast<std::ptrdiff_t>(w * amounts.patches.size());
        const auto largest =
            std::max_element(begin, begin + static_cast<std::ptrdiff_t>(amounts.patches.size()));
        summary.windows.push_back({result.windows[w].name, result.windows[w].moment_nm,
                                   result.windows[w].moment_magnitude, *largest,
                                   amounts.patches[largest - begin].id});
        if (*largest == 0.0) {
            summary.warnings.push_back("window '" + result.windows[w].name +
                                       "' has no slip at all: the data ask for none in the "
                                       "directions and within the bounds that it may have");
        }
    }
    const auto warn = [&](std::vector<std::string> more) {
        std::ranges::move(more, std::back_inserter(summary.warnings));
    };
    for (std::size_t k = 0; k < summary.sets.size(); ++k) {
        summary.sets[k].sigma_factor = result.sets[k].sigma_factor = found.weights.factor(k);
        result.sets[k].unresolved_slip = found.weights.unresolved(k).slip_m;
        summary.sets[k].model_error_ratio = found.rows->model.ratio(k, job.sets[k]);
        const MatrixXd covariance = covariance_of(fitted.sets[k]);
        if (std::string rows = near_singular_rows(fitted.sets[k], covariance); !rows.empty()) {
            warn({std::move(rows)});
        }
    }
    const bool slips = std::ranges::any_of(result.patch_slip, [](double m) { return m > 0.0; });
    if (!job.synthetic && slips) {
        // Huber's weights hide what they are for.
        if (rules.norm == Regularisation::Norm::Huber) {
            found.fit = fit_of(estimate, reader, fitted, regulariser);
        }
        warn(data_warnings(fitted, matched, greens, found.fit, found.weights));
    }
    warn(size_warnings(summary, job));
    warn(weight_warnings(rules, chosen));
    if (job.synthetic) {
        summary.reference = compare(job, amounts, greens, result);
    }
    summary.choice = result.choice.kind;
    summary.smoothness = result.choice.chosen_smoothness;
    summary.sparsity = result.choice.chosen_sparsity;
    summary.score = chosen.score;
    summary.missing = amounts.missing;
    summary.unknowns = n;
    summary.observations = static_cast<int>(all.n_data);
    if (job.posterior) {
        const InversionJob known = found.weights.with_unresolved(job);
        const auto of_posterior = [&](double done, const std::string& text) {
            told({of_estimate + (1.0 - of_estimate) * done, text});
        };
        std::optional<ThetaResponses> theta;
        if (!job.posterior->theta.empty()) {
            theta.emplace(
                ThetaResponses::Parts{known, greens_path, greens, matched, amounts,
                                      found.rows->nuisance, equations.values},
                [&](double done) { of_posterior(kAnswered * done, "answering for viscosities"); });
        }
        const double begun = theta ? kAnswered : 0.0;
        const double all_rounds = 1.0 + std::max(0, model_rounds - 1) / static_cast<double>(kShort);
        SlipPosterior sampled;
        sampled.mean = x.head(n_slip);
        std::unique_ptr<DataRows> rows;  // with errors of the structure at the posterior's mean
        for (int round = 0; round < std::max(1, model_rounds); ++round) {
            InversionJob asked = known;
            const bool last = round + 1 >= model_rounds;
            if (!last) {
                asked.posterior->iterations =
                    std::max(kLeastIterations, job.posterior->iterations / kShort);
            }
            const double at = round / static_cast<double>(kShort);
            const auto now = [&](double done, const std::string& text) {
                const double part = (at + (last ? 1.0 : 1.0 / kShort) * done) / all_rounds;
                of_posterior(begun + (1.0 - begun) * part, text);
            };
            std::unique_ptr<DataRows> next;
            if (ensemble) {
                next = rows_with(ensemble->at(amounts.slip_of_sources(sampled.mean), [&](double) {
                    now(0.0, "reading datasets of other structures");
                }));
            }
            const DataRows& used = next ? *next : *found.rows;
            const int n_errors = used.nuisance.n_errors();
            sampled = sample_slip(
                asked, amounts, greens,
                equations_of_sets(used.reader, known, equations.values, n + n_errors), n_errors,
                theta ? &*theta : nullptr, unknown_names(job, amounts, greens),
                out + (last ? ".posterior" : ".posterior.first"), now);
            if (ensemble) {
                const double before =
                    std::exchange(moment, moment_of(job, amounts, greens, sampled.mean));
                summary.model_errors->posterior_rounds.push_back(round_of(
                    next->model, rows ? rows->model : found.rows->model, job, moment, before));
                rows = std::move(next);
            }
        }
        summary.posterior = std::move(sampled.summary);
        result.posterior = std::move(sampled.file);
        warn(posterior_warnings(job, *summary.posterior));
    }
    if (summary.model_errors) {
        result.model_members = summary.model_errors->members;
        result.model_rounds = model_rounds;
        warn(model_error_warnings(*summary.model_errors));
    }
    result.report_json = report ? report(summary) : "";
    io::write_inversion_dataset(out, result);
    summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    told({1.0, "done"});
    return summary;
}

}  // namespace kaname::jobs
