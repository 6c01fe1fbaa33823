// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/slip_in_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <Eigen/QR>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/inversion/slip_history.hpp"
#include "worker/jobs/inversion/data_weights.hpp"
#include "worker/jobs/inversion/slip_in_time_series.hpp"

namespace kaname::jobs {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using inversion::MotionSeries;

constexpr Index kMostUnknowns = 40000;  // two matrices of them are 25 GB
constexpr double kSeriesRead = 0.1, kSeriesAdded = 0.3, kHistoryFound = 0.9;  // parts of the time
constexpr double kOffByMuch = 2.0;  // times that standard deviations may be off without a word

/// Rates as slip of sources and patches, and moments with their standard deviations.
class HistoryDescription {
public:
    HistoryDescription(const HistoryParts& parts, const std::vector<double>& edges_s,
                       const inversion::HistoryEstimate& estimate)
        : amounts_(parts.amounts),
          edges_s_(edges_s),
          estimate_(estimate),
          n_(parts.amounts.n()),
          n_steps_(static_cast<Index>(edges_s.size()) - 1),
          n_blocks_(estimate.rates.size() / n_) {
        for (const SlipAmounts::Amount& amount : amounts_.amounts) {
            Eigen::Vector2d& vector = vectors_.emplace_back(0.0, 0.0);
            for (const SlipAmounts::Term& term : amount.terms) {
                const double rake = parts.greens.sources[term.source].rake_deg * kDegree;
                if (!std::isnan(rake)) {
                    vector += term.factor * Eigen::Vector2d(std::cos(rake), std::sin(rake));
                }
            }
        }
    }

    [[nodiscard]] io::InversionDataset::History history() const;
    /// Sudden slip [event source].
    [[nodiscard]] std::vector<double> event_slip() const {
        std::vector<double> slip;
        for (Index k = n_steps_; k < n_blocks_; ++k) {
            const std::vector<double> of_one =
                amounts_.slip_of_sources(estimate_.rates.segment(k * n_, n_));
            slip.insert(slip.end(), of_one.begin(), of_one.end());
        }
        return slip;
    }
    /// Standard deviations [window source] of slip at the end and of sudden slip.
    [[nodiscard]] std::vector<double> slip_sigma() const {
        const MatrixXd of_source = of_sources();
        const Index width = of_source.cols();
        MatrixXd columns = MatrixXd::Zero(n_blocks_ * n_, (1 + n_blocks_ - n_steps_) * width);
        for (Index k = 0; k < n_blocks_; ++k) {
            const Index window = std::max<Index>(0, k + 1 - n_steps_);
            columns.block(k * n_, window * width, n_, width) =
                (k < n_steps_ ? years(k) : 1.0) * of_source;
        }
        const VectorXd found = inversion::deviations(estimate_.factor, 0, std::move(columns));
        return {found.begin(), found.end()};
    }

private:
    [[nodiscard]] double years(Index k) const {
        return (edges_s_[static_cast<std::size_t>(k) + 1] - edges_s_[static_cast<std::size_t>(k)]) /
               kJulianYear_s;
    }
    /// Slip of sources by amounts [amount][source].
    [[nodiscard]] MatrixXd of_sources() const {
        MatrixXd columns = MatrixXd::Zero(n_, amounts_.n_sources);
        for (Index j = 0; j < n_; ++j) {
            for (const SlipAmounts::Term& term :
                 amounts_.amounts[static_cast<std::size_t>(j)].terms) {
                columns(j, term.source) += term.factor;
            }
        }
        return columns;
    }
    /// Slip vectors of patches along strike and up dip.
    [[nodiscard]] std::vector<Eigen::Vector2d> vectors_of(const VectorXd& amounts) const {
        std::vector<Eigen::Vector2d> found(amounts_.patches.size(), Eigen::Vector2d::Zero());
        for (Index j = 0; j < n_; ++j) {
            const auto at = static_cast<std::size_t>(j);
            found[static_cast<std::size_t>(amounts_.amounts[at].patch)] +=
                amounts[j] * vectors_[at];
        }
        return found;
    }
    [[nodiscard]] std::vector<double> lengths(const VectorXd& amounts) const {
        std::vector<double> found;
        for (const Eigen::Vector2d& vector : vectors_of(amounts)) {
            found.push_back(vector.norm());
        }
        return found;
    }
    [[nodiscard]] double moment(const std::vector<double>& of_patches) const {
        double sum = 0.0;
        for (std::size_t p = 0; p < of_patches.size(); ++p) {
            sum += amounts_.patches[p].moment_per_m * of_patches[p];
        }
        return sum;
    }
    /// Derivatives of the moment by the amounts.
    [[nodiscard]] VectorXd moment_slope(const VectorXd& amounts) const {
        const std::vector<Eigen::Vector2d> vectors = vectors_of(amounts);
        VectorXd slope(n_);
        for (Index j = 0; j < n_; ++j) {
            const auto at = static_cast<std::size_t>(j);
            const auto patch = static_cast<std::size_t>(amounts_.amounts[at].patch);
            const double length = vectors[patch].norm();
            slope[j] =
                amounts_.patches[patch].moment_per_m *
                (length > 0.0 ? vectors_[at].dot(vectors[patch]) / length : vectors_[at].norm());
        }
        return slope;
    }

    const SlipAmounts& amounts_;
    const std::vector<double>& edges_s_;
    const inversion::HistoryEstimate& estimate_;
    Index n_, n_steps_, n_blocks_;          ///< blocks: steps of time and events
    std::vector<Eigen::Vector2d> vectors_;  ///< [amount] along strike and up dip
};

io::InversionDataset::History HistoryDescription::history() const {
    io::InversionDataset::History h;
    h.edges_s = edges_s_;
    const auto append = [](std::vector<double>& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    const MatrixXd of_source = of_sources();
    VectorXd slip = VectorXd::Zero(n_);
    MatrixXd rate_slopes = MatrixXd::Zero(n_blocks_ * n_, n_steps_), slopes = rate_slopes;
    const auto add_edge = [&](const VectorXd& total) {
        append(h.slip, amounts_.slip_of_sources(total));
        const std::vector<double> of_patches = lengths(total);
        append(h.patch_slip, of_patches);
        h.moment.push_back(moment(of_patches));
    };
    add_edge(slip);
    for (Index k = 0; k < n_steps_; ++k) {
        const VectorXd rate = estimate_.rates.segment(k * n_, n_);
        append(h.rate, amounts_.slip_of_sources(rate));
        append(h.rate_sigma, inversion::deviations(estimate_.factor, k * n_, [&] {
                   MatrixXd columns = MatrixXd::Zero((n_blocks_ - k) * n_, of_source.cols());
                   columns.topRows(n_) = of_source;
                   return columns;
               }()));
        const std::vector<double> of_patches = lengths(rate);
        append(h.patch_rate, of_patches);
        h.moment_rate.push_back(moment(of_patches));
        slip += years(k) * rate;
        add_edge(slip);
        rate_slopes.col(k).segment(k * n_, n_) = moment_slope(rate);
        const VectorXd slope = moment_slope(slip);
        for (Index before = 0; before <= k; ++before) {
            slopes.col(k).segment(before * n_, n_) = years(before) * slope;
        }
    }
    append(h.moment_rate_sigma, inversion::deviations(estimate_.factor, 0, std::move(rate_slopes)));
    h.moment_sigma = {0.0};
    append(h.moment_sigma, inversion::deviations(estimate_.factor, 0, std::move(slopes)));
    return h;
}

/// Fits of one station or set.
struct HistorySums {
    double chi2 = 0.0, weighted = 0.0, weight = 0.0, zero = 0.0;
    int n = 0;
    [[nodiscard]] double rms() const { return std::sqrt(weighted / weight); }
};

/// Predictions, terms and how well all is fitted, into the rows and the summary.
void describe_series(const HistoryParts& parts, const inversion::HistoryResponse& response,
                     const std::vector<PlacedSeries>& all, const VectorXd& rates,
                     io::InversionDataset& result, InversionSummary& summary) {
    io::InversionDataset::History& history = *result.history;
    for (const ObservationSet& set : parts.job.sets) {
        for (const std::string& term : term_names(set)) {
            if (std::ranges::find(history.terms, term) == history.terms.end()) {
                history.terms.push_back(term);
            }
        }
        result.sets.push_back(described_set(set));
    }
    const Index n = parts.amounts.n();
    const MatrixXd by_step = rates.reshaped(n, response.n_blocks());
    std::vector<HistorySums> of_set(parts.job.sets.size());
    std::map<std::pair<int, std::string>, HistorySums> of_station;
    std::map<double, RowVectorXd> known;
    for (const PlacedSeries& one : all) {
        const auto k = static_cast<std::size_t>(one.set);
        const MatrixXd in_shapes = one.series.gamma.transpose() * by_step;  // [r][K]
        VectorXd slip_part(one.series.values.size());
        for (Index t = 0; t < slip_part.size(); ++t) {
            const double t_s = one.series.times_s[static_cast<std::size_t>(t)];
            const auto [at, fresh] = known.try_emplace(t_s);
            if (fresh) {
                at->second = response.weights(t_s);
            }
            slip_part[t] = at->second.dot(in_shapes.reshaped().transpose());
        }
        MatrixXd columns(slip_part.size(), 2 + one.series.terms.cols());
        columns << one.series.values, one.series.values - slip_part, one.series.terms;
        columns = inversion::whitened(one.series, std::move(columns));
        const Eigen::ColPivHouseholderQR<MatrixXd> factor(columns.rightCols(columns.cols() - 2));
        const VectorXd terms = factor.solve(columns.col(1));
        const VectorXd without = factor.solve(columns.col(0));
        const double chi2 =
            (columns.col(1) - columns.rightCols(terms.size()) * terms).squaredNorm();
        const double zero =
            (columns.col(0) - columns.rightCols(terms.size()) * without).squaredNorm();
        const VectorXd predicted = slip_part + one.series.terms * terms;
        const std::string& station = parts.job.sets[k].data[one.data.front()].station;
        for (HistorySums* sums : {&of_set[k], &of_station[{one.set, station}]}) {
            sums->chi2 += chi2;
            sums->zero += zero;
            sums->n += static_cast<int>(slip_part.size());
            sums->weighted +=
                ((one.series.values - predicted).array() / one.series.sigma.array()).square().sum();
            sums->weight += one.series.sigma.array().square().inverse().sum();
        }
        for (Index t = 0; t < slip_part.size(); ++t) {
            io::InversionDataset::Row& row =
                result.sets[k].rows[one.data[static_cast<std::size_t>(t)]];
            row.slip_part = slip_part[t];
            row.predicted = predicted[t];
        }
        history.series.push_back(one.name);
        std::vector<double> values(history.terms.size(), kNaN);
        const std::vector<std::string> names = term_names(parts.job.sets[k]);
        for (std::size_t q = 0; q < names.size(); ++q) {
            values[static_cast<std::size_t>(std::ranges::find(history.terms, names[q]) -
                                            history.terms.begin())] = terms[static_cast<Index>(q)];
        }
        history.term_values.insert(history.term_values.end(), values.begin(), values.end());
    }
    for (std::size_t k = 0; k < of_set.size(); ++k) {
        InversionSummary::Set& set = summary.sets.emplace_back();
        set.name = parts.job.sets[k].name;
        set.observations = of_set[k].n;
        set.chi2_per_observation = of_set[k].chi2 / of_set[k].n;
        set.rms_m = of_set[k].rms();
        set.variance_reduction = 1.0 - of_set[k].chi2 / of_set[k].zero;
        const double factor = std::sqrt(set.chi2_per_observation);
        if (factor > kOffByMuch || factor < 1.0 / kOffByMuch) {
            summary.warnings.push_back(
                "data set '" + set.name + "': residuals are " + formatted("%.2g", factor) +
                " times what standard deviations and series.random_walk_m say; give others");
        }
    }
    for (const auto& [key, sums] : of_station) {
        ++summary.sets[static_cast<std::size_t>(key.first)].stations;
        summary.stations.push_back({summary.sets[static_cast<std::size_t>(key.first)].name,
                                    key.second, sums.chi2 / sums.n, sums.rms()});
    }
}

void describe_history(const io::InversionDataset& result, InversionSummary& summary) {
    const io::InversionDataset::History& h = *result.history;
    const auto most = std::ranges::max_element(h.moment_rate) - h.moment_rate.begin();
    const auto at = static_cast<std::size_t>(most);
    summary.history = {static_cast<int>(h.moment_rate.size()), h.moment_rate[at],
                       h.moment_rate_sigma[at], h.edges_s[at], h.edges_s[at + 1]};
    const auto n_patches = static_cast<std::ptrdiff_t>(result.patches.size());
    auto first = result.patch_slip.begin();
    for (const io::InversionDataset::Window& window : result.windows) {
        const auto largest = std::max_element(first, first + n_patches);
        summary.windows.push_back({window.name, window.moment_nm, window.moment_magnitude, *largest,
                                   result.patches[static_cast<std::size_t>(largest - first)]});
        first += n_patches;
    }
}

/// Windows of sudden slip before which no series begins or after which none goes on: their motion
/// looks like an offset of each series.
void warn_of_unseen_events(const std::vector<SlipWindow>& windows,
                           const std::vector<MotionSeries>& series, InversionSummary& summary) {
    for (const SlipWindow& window : windows) {
        const bool seen = std::ranges::any_of(series, [&](const MotionSeries& one) {
            return one.times_s.front() < window.begin_s && one.times_s.back() >= window.begin_s;
        });
        if (window.kind == SlipWindow::Kind::Step && !seen) {
            summary.warnings.push_back(
                "window '" + window.name +
                "': no series has data before and after it, so that its slip "
                "cannot be told from the offsets of series");
        }
    }
}

}  // namespace

InversionSummary slip_in_time(const HistoryParts& parts, const std::string& out,
                              const std::function<void(const InversionProgress&)>& progress,
                              const std::function<std::string(const InversionSummary&)>& report) {
    const InversionJob& job = parts.job;
    const SlipWindow& window = job.slip.windows.front();
    const std::vector<double> edges_s = edges_of(window);
    const std::vector<double> events_s = events_of(job);
    const Index n = parts.amounts.n(), n_steps = static_cast<Index>(edges_s.size()) - 1;
    const auto n_events = static_cast<Index>(events_s.size());
    if (n * (n_steps + n_events) > kMostUnknowns) {
        throw ValidationError(
            {{"slip.windows[0].step_s",
              "must be longer: " + std::to_string(n_steps) + " steps of " + std::to_string(n) +
                  " amounts are more than " + std::to_string(kMostUnknowns) + " unknowns"}});
    }
    progress({0.0, "reading Green's functions"});
    std::vector<PlacedSeries> all = series_of(parts);
    const inversion::HistoryResponse response = response_of(parts, edges_s, all);
    std::vector<MotionSeries> series;
    for (const PlacedSeries& one : all) {
        series.push_back(one.series);
    }
    const inversion::NormalEquations equations =
        inversion::history_equations(response, series, [&](double done) {
            progress({kSeriesRead + (kSeriesAdded - kSeriesRead) * done, "adding series"});
        });
    const inversion::Regulariser space = slip_regulariser(job, parts.amounts, parts.greens, 0);
    const inversion::HistoryPrior prior(edges_s, window.from_rest, space.r, events_s);
    // Bounds are of rates; sudden slip has its sign alone.
    inversion::Bounds bounds{space.bounds.lower.replicate(n_steps + n_events, 1),
                             space.bounds.upper.replicate(n_steps + n_events, 1)};
    bounds.lower.tail(n * n_events) = bounds.lower.tail(n * n_events).cwiseMin(0.0);
    bounds.upper.tail(n * n_events).setConstant(std::numeric_limits<double>::infinity());
    const inversion::HistoryEstimate estimate = inversion::estimate_history(
        equations, prior, bounds, job.regularisation.smoothness, [&](double done) {
            progress({kSeriesAdded + (kHistoryFound - kSeriesAdded) * done, "trying weights"});
        });
    progress({kHistoryFound, "appraising"});

    io::InversionDataset result = described_job(job, parts.greens);
    const HistoryDescription description(parts, edges_s, estimate);
    result.history = description.history();
    const auto n_sources = static_cast<std::ptrdiff_t>(parts.greens.sources.size());
    result.slip.assign(result.history->slip.end() - n_sources, result.history->slip.end());
    const std::vector<double> event_slip = description.event_slip();
    result.slip.insert(result.slip.end(), event_slip.begin(), event_slip.end());
    result.slip_sigma = description.slip_sigma();
    describe_slip(job, parts.amounts, parts.greens, result);
    io::InversionDataset::Choice& choice = result.choice;
    choice.kind = job.regularisation.choice == Regularisation::Choice::Fixed ? "fixed" : "abic";
    choice.smoothness = estimate.weights;
    choice.sparsity = {0.0};
    choice.score.assign(estimate.weights.size(), kNaN);
    choice.error = choice.score;
    for (const double misfit : estimate.misfit) {
        choice.misfit.push_back(misfit / static_cast<double>(equations.n_data));
    }
    choice.roughness = estimate.roughness;
    choice.abic = estimate.abic;
    choice.smoothness_scale = estimate.scale;
    choice.chosen_smoothness = estimate.weight;

    InversionSummary summary;
    summary.warnings = parts.matched.warnings;
    warn_of_unseen_events(job.slip.windows, series, summary);
    describe_series(parts, response, all, estimate.rates, result, summary);
    describe_history(result, summary);
    summary.choice = choice.kind;
    summary.smoothness = estimate.weight;
    summary.score = *std::ranges::min_element(estimate.abic);
    summary.missing = parts.amounts.missing;
    summary.unknowns = static_cast<int>(n * (n_steps + n_events));
    summary.observations = static_cast<int>(
        std::accumulate(summary.sets.begin(), summary.sets.end(), 0,
                        [](int sum, const auto& set) { return sum + set.observations; }));
    result.report_json = report ? report(summary) : "";
    io::write_inversion_dataset(out, result);
    progress({1.0, "done"});
    return summary;
}

}  // namespace kaname::jobs
