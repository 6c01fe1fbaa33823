// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/slip_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <Eigen/QR>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::inversion {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

// Numbers that whitened series keep until they are added to the equations: 256 MB.
constexpr std::size_t kBatch = std::size_t{32} << 20;
constexpr double kStep = 10.0;        // from one weight to the next
constexpr double kMostWeight = 1e12;  // and its inverse: a walk that never or always moves

/// Sums over times of a series, whitened and without its terms.
struct SeriesSums {
    MatrixXd steps;   ///< B'W'W B [K r][K r]
    VectorXd motion;  ///< B'W'W d [K r]
    double square = 0.0;
    std::int64_t n_data = 0;
};

SeriesSums sums_of(const MotionSeries& series, const MatrixXd& weights) {
    const Index n_times = series.values.size(), n = weights.cols(), n_terms = series.terms.cols();
    MatrixXd columns(n_times, n + 1 + n_terms);
    columns << weights, series.values, series.terms;
    columns = whitened(series, std::move(columns));
    SeriesSums sums;
    sums.n_data = n_times;
    auto known = columns.leftCols(n + 1);
    if (n_terms > 0) {
        const Eigen::ColPivHouseholderQR<MatrixXd> factor(columns.rightCols(n_terms));
        const Index rank = factor.rank();
        const MatrixXd basis = factor.householderQ() * MatrixXd::Identity(n_times, rank);
        known -= basis * (basis.transpose() * known).eval();
        sums.n_data -= rank;
    }
    const auto of_steps = columns.leftCols(n);
    sums.steps = of_steps.transpose() * of_steps;
    sums.motion = of_steps.transpose() * columns.col(n);
    sums.square = columns.col(n).squaredNorm();
    return sums;
}

/// Adds the series from `first` on, whose sums are known, to the equations of [step][amount].
void add_sums(std::span<const MotionSeries> series, const std::vector<SeriesSums>& sums,
              Index n_steps, Index r, NormalEquations& equations) {
    const Index n = series.front().gamma.rows(), n_series = static_cast<Index>(series.size());
    MatrixXd gamma(n, n_series * r);
    for (Index i = 0; i < n_series; ++i) {
        const SeriesSums& of_one = sums[static_cast<std::size_t>(i)];
        const MatrixXd& own = series[static_cast<std::size_t>(i)].gamma;
        gamma.middleCols(i * r, r) = own;
        for (Index k = 0; k < n_steps; ++k) {
            equations.g.segment(k * n, n) += own * of_one.motion.segment(k * r, r);
        }
        equations.c += of_one.square;
        equations.n_data += of_one.n_data;
    }
    parallel_for(
        n_steps,
        [&](std::int64_t k) {
            MatrixXd right(n_series * r, n);
            for (Index other = 0; other <= k; ++other) {
                for (Index i = 0; i < n_series; ++i) {
                    right.middleRows(i * r, r).noalias() =
                        sums[static_cast<std::size_t>(i)].steps.block(k * r, other * r, r, r) *
                        gamma.middleCols(i * r, r).transpose();
                }
                equations.h.block(k * n, other * n, n, n).noalias() += gamma * right;
            }
        },
        1);
}

}  // namespace

HistoryResponse::HistoryResponse(std::vector<double> edges_s, std::vector<double> epochs_s,
                                 const MatrixXd& products, std::vector<double> events_s)
    : edges_s_(std::move(edges_s)), epochs_s_(std::move(epochs_s)), events_s_(std::move(events_s)) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(products);
    const VectorXd& held = solver.eigenvalues();  // ascending
    Index kept = 1;
    while (kept < held.size() && held[held.size() - 1 - kept] > kLeastShape * held.sum()) {
        ++kept;
    }
    shapes_ = solver.eigenvectors().rightCols(kept);
}

RowVectorXd HistoryResponse::weights(double t_s) const {
    const Index r = n_shapes();
    RowVectorXd row = RowVectorXd::Zero(n_blocks() * r);
    const auto in_shapes = [&](double begin_s, double end_s) -> RowVectorXd {
        const std::vector<double> weights = response_weights(epochs_s_, begin_s, end_s, t_s);
        return Eigen::Map<const RowVectorXd>(weights.data(), static_cast<Index>(weights.size())) *
               shapes_;
    };
    for (Index k = 0; k < n_steps() && edges_s_[static_cast<std::size_t>(k)] < t_s; ++k) {
        const double begin = edges_s_[static_cast<std::size_t>(k)];
        const double end = edges_s_[static_cast<std::size_t>(k) + 1];
        row.segment(k * r, r) = (end - begin) / kJulianYear_s * in_shapes(begin, end);
    }
    Index k = n_steps();
    for (const double event_s : events_s_) {
        row.segment(k++ * r, r) = in_shapes(event_s, event_s);
    }
    return row;
}

MatrixXd whitened(const MotionSeries& series, MatrixXd columns) {
    // The walk's estimate [columns] and variance before each datum.
    RowVectorXd walk = RowVectorXd::Zero(columns.cols());
    double variance = 0.0;
    for (Index t = 0; t < columns.rows(); ++t) {
        const auto at = static_cast<std::size_t>(t);
        if (t > 0) {
            variance += series.random_walk_m * series.random_walk_m *
                        (series.times_s[at] - series.times_s[at - 1]) / kJulianYear_s;
        }
        const double all = variance + series.sigma[t] * series.sigma[t];
        const RowVectorXd innovation = columns.row(t) - walk;
        columns.row(t) = innovation / std::sqrt(all);
        walk += variance / all * innovation;
        variance *= series.sigma[t] * series.sigma[t] / all;
    }
    return columns;
}

NormalEquations history_equations(const HistoryResponse& response,
                                  std::span<const MotionSeries> series,
                                  const std::function<void(double)>& progress) {
    const Index k = response.n_blocks(), r = response.n_shapes();
    NormalEquations equations(k * series.front().gamma.rows());
    std::map<double, RowVectorXd> rows;  // many series share their times
    for (const MotionSeries& one : series) {
        for (const double t_s : one.times_s) {
            if (const auto [at, fresh] = rows.try_emplace(t_s); fresh) {
                at->second = response.weights(t_s);
            }
        }
    }
    const std::size_t batch =
        std::max<std::size_t>(1, kBatch / static_cast<std::size_t>(k * r * k * r));
    for (std::size_t first = 0; first < series.size(); first += batch) {
        const auto some = series.subspan(first, std::min(batch, series.size() - first));
        std::vector<SeriesSums> sums(some.size());
        parallel_for(
            static_cast<std::int64_t>(some.size()),
            [&](std::int64_t i) {
                const MotionSeries& one = some[static_cast<std::size_t>(i)];
                MatrixXd weights(one.values.size(), k * r);
                for (Index t = 0; t < weights.rows(); ++t) {
                    weights.row(t) = rows.at(one.times_s[static_cast<std::size_t>(t)]);
                }
                sums[static_cast<std::size_t>(i)] = sums_of(one, weights);
            },
            1);
        add_sums(some, sums, k, r, equations);
        progress(static_cast<double>(first + some.size()) / static_cast<double>(series.size()));
    }
    return equations;
}

HistoryPrior::HistoryPrior(std::span<const double> edges_s, bool from_rest, MatrixXd smooth_amounts,
                           std::span<const double> events_s)
    : smooth(std::move(smooth_amounts)), events(static_cast<Index>(events_s.size())) {
    const auto n = static_cast<Index>(edges_s.size()) - 1;
    steps = MatrixXd::Zero(n, n);
    const auto at = [&](Index k) { return edges_s[static_cast<std::size_t>(k)] / kJulianYear_s; };
    const double whole = at(n) - at(0);
    // Rates jump from one step to the next where an event lies between them or within one of both.
    const auto jump = [&](double after_s, double before_s) {
        const bool any = std::ranges::any_of(
            events_s, [&](double event_s) { return after_s < event_s && event_s < before_s; });
        return any ? whole : 0.0;
    };
    const double first =
        from_rest ? jump(-std::numeric_limits<double>::infinity(), edges_s[1]) : whole;
    steps(0, 0) = 1.0 / (at(1) - at(0) + first);
    for (Index k = 1; k < n; ++k) {
        const auto edge = static_cast<std::size_t>(k);
        const double stiff =
            1.0 / (0.5 * (at(k + 1) - at(k - 1)) + jump(edges_s[edge - 1], edges_s[edge + 1]));
        steps(k, k) += stiff;
        steps(k - 1, k - 1) += stiff;
        steps(k, k - 1) -= stiff;
        steps(k - 1, k) -= stiff;
    }
}

namespace {

/// A weight of rates and one of events.
using Weights = std::pair<double, double>;

/// H + lambda P x R, with R alone for events, both triangles.
MatrixXd precision_of(const NormalEquations& equations, const HistoryPrior& prior,
                      const Weights& lambda) {
    MatrixXd q = equations.symmetric();
    const Index n = prior.smooth.rows();
    for (Index k = 0; k < prior.steps.rows(); ++k) {
        for (Index other = std::max<Index>(0, k - 1); other < std::min(prior.steps.rows(), k + 2);
             ++other) {
            q.block(k * n, other * n, n, n) += lambda.first * prior.steps(k, other) * prior.smooth;
        }
    }
    for (Index k = prior.steps.rows(); k < prior.steps.rows() + prior.events; ++k) {
        q.block(k * n, k * n, n, n) += lambda.second * prior.smooth;
    }
    return q;
}

/// Ranks and logarithms of the products of the eigenvalues above 0 of P x R and of the events' R.
struct PriorSize {
    double rank[2] = {}, log_det[2] = {};

    explicit PriorSize(const HistoryPrior& prior) {
        double ranks[2] = {}, logs[2] = {};
        const MatrixXd* const factors[] = {&prior.steps, &prior.smooth};
        for (int f = 0; f < 2; ++f) {
            const VectorXd values =
                Eigen::SelfAdjointEigenSolver<MatrixXd>(*factors[f], Eigen::EigenvaluesOnly)
                    .eigenvalues();
            for (const double value : values) {
                if (value > 1e-12 * values.maxCoeff() * static_cast<double>(values.size())) {
                    ranks[f] += 1.0;
                    logs[f] += std::log(value);
                }
            }
        }
        const auto n_events = static_cast<double>(prior.events);
        rank[0] = ranks[0] * ranks[1];
        log_det[0] = ranks[1] * logs[0] + ranks[0] * logs[1];
        rank[1] = n_events * ranks[1];
        log_det[1] = n_events * logs[1];
    }
};

/// Solutions without bounds, one after the other; the factor of the last one is kept.
class Trials {
public:
    Trials(const NormalEquations& equations, const HistoryPrior& prior, const Weights& scale)
        : equations_(equations), prior_(prior), scale_(scale), of_prior_(prior) {}

    /// Akaike's criterion at a pair of weights.
    double abic(const Weights& weights) {
        if (const auto known = tried_.find(weights); known != tried_.end()) {
            return known->second.abic;
        }
        const Weights lambda = lambda_of(weights);
        factor_ = precision_of(equations_, prior_, lambda);
        Eigen::LLT<Eigen::Ref<MatrixXd>> factor(factor_);  // in place
        if (factor.info() != Eigen::Success) {
            throw Error(ErrorCode::NotConverged,
                        "slip in time is not determined by data and smoothness " +
                            number(weights.first) + ": take a larger one");
        }
        const VectorXd x = factor.solve(equations_.g);
        const double s = equations_.c - equations_.g.dot(x);
        Trial& trial = tried_[weights];
        trial.misfit = equations_.misfit(x);
        trial.roughness = (s - trial.misfit) / lambda.first;
        const double rank = of_prior_.rank[0] + of_prior_.rank[1];
        const double freedom =
            static_cast<double>(equations_.n_data) + rank - static_cast<double>(x.size());
        trial.abic = freedom * std::log(std::max(s, 1e-300)) -
                     of_prior_.rank[0] * std::log(lambda.first) - of_prior_.log_det[0] +
                     2.0 * factor_.diagonal().array().log().sum();
        if (prior_.events > 0) {
            trial.abic -= of_prior_.rank[1] * std::log(lambda.second) + of_prior_.log_det[1];
        }
        last_ = weights;
        return trial.abic;
    }
    /// Takes the factor at a pair of weights, computed again where others came after it.
    MatrixXd take_factor(const Weights& weights) {
        if (last_ != weights) {
            tried_.erase(weights);
            (void)abic(weights);
        }
        return std::move(factor_);
    }
    [[nodiscard]] Weights lambda_of(const Weights& weights) const {
        return {weights.first * scale_.first, weights.second * scale_.second};
    }
    /// All weights of rates that were tried with the events' weight that was taken.
    void describe(HistoryEstimate& estimate) const {
        for (const auto& [weights, trial] : tried_) {
            if (weights.second == estimate.event_weight) {
                estimate.weights.push_back(weights.first);
                estimate.abic.push_back(trial.abic);
                estimate.misfit.push_back(trial.misfit);
                estimate.roughness.push_back(trial.roughness);
            }
        }
    }

private:
    struct Trial {
        double abic = 0.0, misfit = 0.0, roughness = 0.0;
    };
    const NormalEquations& equations_;
    const HistoryPrior& prior_;
    Weights scale_, last_;
    PriorSize of_prior_;
    std::map<Weights, Trial> tried_;
    MatrixXd factor_;
};

/// The least criterion along one of the two weights, `which`, the other one held: down the slope by
/// powers of ten, then between them.
Weights searched(Trials& trials, Weights best, double Weights::*which,
                 const std::function<void()>& moved) {
    const auto times = [&](double factor) {
        Weights beside = best;
        beside.*which = std::clamp(beside.*which * factor, 1.0 / kMostWeight, kMostWeight);
        return beside;
    };
    const auto better = [&](const Weights& beside) {
        return trials.abic(beside) < trials.abic(best);
    };
    const auto go = [&](double step) {
        bool any = false;
        while (better(times(step))) {
            best = times(step);
            any = true;
            moved();
        }
        return any;
    };
    if (!go(kStep)) {
        go(1.0 / kStep);
    }
    const double root = std::sqrt(kStep);
    for (const Weights& beside : {times(1.0 / root), times(root)}) {
        if (better(beside)) {
            best = beside;
        }
    }
    return best;
}

}  // namespace

HistoryEstimate estimate_history(const NormalEquations& equations, const HistoryPrior& prior,
                                 const Bounds& bounds, const std::vector<double>& wanted,
                                 const std::function<void(double)>& progress) {
    HistoryEstimate estimate;
    const VectorXd diagonal = equations.h.diagonal();
    const Index n_rates = prior.steps.rows() * prior.smooth.rows();
    estimate.scale = diagonal.head(n_rates).sum() / (prior.steps.trace() * prior.smooth.trace());
    if (prior.events > 0) {
        estimate.event_scale = diagonal.tail(diagonal.size() - n_rates).sum() /
                               (static_cast<double>(prior.events) * prior.smooth.trace());
    }
    Trials trials(equations, prior, {estimate.scale, estimate.event_scale});
    double done = 0.1;
    const auto moved = [&] { progress(done += 0.5 * (0.6 - done)); };
    Weights best{wanted.empty() ? kFirstWeight : wanted.front(), kFirstEventWeight};
    for (Weights before{}; before != best;) {  // ends, since the criterion falls in each round
        before = best;
        if (wanted.empty()) {
            best = searched(trials, best, &Weights::first, moved);
        } else {
            best.first = *std::ranges::min_element(wanted, {}, [&](double weight) {
                return trials.abic({weight, best.second});
            });
        }
        if (prior.events == 0) {
            break;
        }
        best = searched(trials, best, &Weights::second, moved);
    }
    std::tie(estimate.weight, estimate.event_weight) = best;
    estimate.factor = trials.take_factor(best);
    trials.describe(estimate);
    progress(0.7);
    const VectorXd free = estimate.factor.triangularView<Eigen::Lower>().transpose().solve(
        estimate.factor.triangularView<Eigen::Lower>().solve(equations.g));
    const bool within = (free.array() >= bounds.lower.array()).all() &&
                        (free.array() <= bounds.upper.array()).all();
    estimate.rates = free;
    if (!within) {
        const MatrixXd q = precision_of(equations, prior, trials.lambda_of(best));
        estimate.rates = solve({q, equations.g, VectorXd::Zero(free.size()), bounds}, free).x;
    }
    progress(1.0);
    return estimate;
}

VectorXd deviations(const MatrixXd& factor, Index first, MatrixXd columns) {
    const Index rest = factor.rows() - first;
    factor.bottomRightCorner(rest, rest).triangularView<Eigen::Lower>().solveInPlace(columns);
    return columns.colwise().norm();
}

}  // namespace kaname::inversion
