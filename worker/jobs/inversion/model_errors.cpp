// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/model_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <tuple>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/inversion/eigen.hpp"
#include "worker/jobs/inversion/inversion_equations.hpp"
#include "worker/jobs/inversion/slip_posterior.hpp"

namespace kaname::jobs {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSameTime_s = 1.0;  // epochs come by way of decimal years
constexpr int kMostRounds = 10;      // in which standard deviations are found
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kNoMotion = 300.0;  // exp(-300)
constexpr double kRounding = 1e-12;  // of the largest mode of C_p

/// The first place where two lists of ids differ, in words; empty: nowhere.
std::string difference_of(const char* what, const std::vector<std::string>& here,
                          const std::vector<std::string>& wanted) {
    if (here.size() != wanted.size()) {
        return "has " + std::to_string(here.size()) + " " + what + "s, greens has " +
               std::to_string(wanted.size());
    }
    const auto [at, other] = std::ranges::mismatch(here, wanted);
    return at == here.end() ? ""
                            : std::string(what) + " " + std::to_string(at - here.begin() + 1) +
                                  " is '" + *at + "', in greens it is '" + *other + "'";
}

template <class List>
std::vector<std::string> ids_of(const List& list) {
    std::vector<std::string> ids;
    for (const auto& entry : list) {
        ids.push_back(entry.id);
    }
    return ids;
}

/// Returns in words why a dataset is no member of an ensemble with `greens`; empty: it is one.
std::string stranger_by(const io::GreensDataset& member, const io::GreensDataset& greens) {
    if (std::string ids = difference_of("source", ids_of(member.sources), ids_of(greens.sources));
        !ids.empty()) {
        return ids;
    }
    if (std::string ids =
            difference_of("station", ids_of(member.stations), ids_of(greens.stations));
        !ids.empty()) {
        return ids;
    }
    if (member.epochs_s.size() != greens.epochs_s.size()) {
        return "has " + std::to_string(member.epochs_s.size()) + " epochs, greens has " +
               std::to_string(greens.epochs_s.size());
    }
    for (std::size_t k = 0; k < greens.epochs_s.size(); ++k) {
        if (!(std::abs(member.epochs_s[k] - greens.epochs_s[k]) <= kSameTime_s)) {
            return "epoch " + std::to_string(k + 1) + " is at " + number(member.epochs_s[k]) +
                   " s, in greens at " + number(greens.epochs_s[k]) + " s";
        }
    }
    for (std::size_t s = 0; s < greens.sources.size(); ++s) {
        if (greens.sources[s].status == 1 && member.sources[s].status != 1) {
            return "lacks the values of source '" + greens.sources[s].id + "'";
        }
    }
    return "";
}

}  // namespace

double ModelCovariance::sigma(std::size_t set, std::size_t datum) const {
    return columns.empty() ? 0.0 : columns[set].row(static_cast<Index>(datum)).norm();
}

double ModelCovariance::trace_ratio(const InversionJob& job) const {
    double of_model = 0.0, of_data = 0.0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        of_model += columns[k].squaredNorm();
        for (const Datum& datum : job.sets[k].data) {
            of_data += datum.sigma * datum.sigma;
        }
    }
    return of_data > 0.0 ? of_model / of_data : 0.0;
}

double ModelCovariance::ratio(std::size_t set, const ObservationSet& data) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < data.data.size(); ++i) {
        const double share = sigma(set, i) / data.data[i].sigma;
        sum += share * share / static_cast<double>(data.data.size());
    }
    return std::sqrt(sum);
}

double relative_change(const ModelCovariance& now, const ModelCovariance& before) {
    // |U U' - V V'|^2 = |U'U|^2 - 2 |U'V|^2 + |V'V|^2, summed over the sets inside the norms.
    const auto product = [](const ModelCovariance& a, const ModelCovariance& b) {
        MatrixXd sum = MatrixXd::Zero(a.rank(), b.rank());
        for (std::size_t k = 0; k < std::min(a.columns.size(), b.columns.size()); ++k) {
            sum.noalias() += a.columns[k].transpose() * b.columns[k];
        }
        return sum.squaredNorm();
    };
    const double own = product(now, now);
    const double apart = own - 2.0 * product(now, before) + product(before, before);
    return own > 0.0 ? std::sqrt(std::max(0.0, apart) / own) : 0.0;
}

double misfit_with(const ObservationSet& set, const MatrixXd& columns, const VectorXd& residuals) {
    MatrixXd white(residuals.size(), columns.cols() + 1);
    white.leftCols(columns.cols()) = columns;
    white.rightCols(1) = residuals;
    if (const MatrixXd covariance = covariance_of(set); covariance.size() > 0) {
        covariance.llt().matrixL().solveInPlace(white);
    } else {
        for (Index i = 0; i < white.rows(); ++i) {
            white.row(i) /= set.data[static_cast<std::size_t>(i)].sigma;
        }
    }
    // Woodbury: (1 + V V')^-1 = 1 - V (1 + V'V)^-1 V'.
    const auto v = white.leftCols(columns.cols());
    const VectorXd r = white.rightCols(1);
    MatrixXd inner = v.transpose() * v;
    inner.diagonal().array() += 1.0;
    const VectorXd taken = inner.llt().matrixL().solve(VectorXd(v.transpose() * r));
    return std::max(0.0, r.squaredNorm() - taken.squaredNorm());
}

std::vector<SetFit> fit_of(const Estimate& estimate, const RowReader& reader,
                           const InversionJob& job, const inversion::Regulariser& regulariser) {
    const InversionEquations& equations = estimate.equations;
    if (estimate.with_errors.g.size() == 0) {
        return fit_of_sets(reader, job, equations.folded.all, equations.values, regulariser,
                           estimate.lambda, estimate.x);
    }
    const Index n = estimate.x.size(), all = estimate.with_errors.g.size();
    inversion::Regulariser wide;
    wide.r = MatrixXd::Zero(all, all);
    wide.r.topLeftCorner(n, n) = regulariser.r;
    wide.bounds = {VectorXd::Constant(all, -kUnbounded), VectorXd::Constant(all, kUnbounded)};
    wide.bounds.lower.head(n) = regulariser.bounds.lower;
    wide.bounds.upper.head(n) = regulariser.bounds.upper;
    inversion::NormalEquations whole = estimate.with_errors;
    whole.h.diagonal().tail(all - n).array() += 1.0;  // that errors are N(0, 1)
    VectorXd x(all);
    x << estimate.x, inversion::most_likely_rest(estimate.with_errors, estimate.x);
    return fit_of_sets(reader, job, whole, equations.values, wide, estimate.lambda, x);
}

StructureEnsemble::StructureEnsemble(const InversionJob& job, const std::string& greens_path,
                                     const io::GreensDataset& greens, const MatchedData& matched,
                                     const SlipAmounts& amounts)
    : job_(job),
      greens_path_(greens_path),
      greens_(greens),
      matched_(matched),
      amounts_(amounts),
      none_(job.sets) {
    std::vector<Violation> broken;
    for (std::size_t j = 0; j < size(); ++j) {
        const std::string& path = job.model_errors->datasets[j];
        const std::string field = "model_errors.datasets[" + std::to_string(j) + "]";
        std::string differs;
        try {
            differs = stranger_by(io::read_greens_rows(path), greens);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::Unavailable) {
                throw;
            }
            broken.push_back({field, error.what()});
        }
        if (!differs.empty()) {
            broken.push_back({field, path +
                                         ": must have the sources, stations and epochs of greens, "
                                         "in their order, but " +
                                         differs});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

VectorXd StructureEnsemble::motion(const std::string& path, const std::vector<double>& slip) const {
    std::vector<Index> first;
    Index n = 0;
    for (const ObservationSet& set : job_.sets) {
        first.push_back(n);
        n += static_cast<Index>(set.data.size());
    }
    VectorXd moved = VectorXd::Zero(n);
    const RowReader reader(path, greens_, job_, matched_, amounts_, none_);
    reader.for_each(slip, [&](const ObservationRows& block, double) {
        for (std::size_t row = 0; row < block.place.size(); ++row) {
            const auto [set, datum] = block.place[row];
            moved[first[static_cast<std::size_t>(set)] + datum] =
                block.known[static_cast<Index>(row)];
        }
    });
    return moved;
}

ModelCovariance StructureEnsemble::at(const std::vector<double>& slip,
                                      const std::function<void(double)>& progress) const {
    const VectorXd own = motion(greens_path_, slip);
    const auto n_members = static_cast<Index>(size());
    MatrixXd spread(own.size(), n_members);
    for (Index j = 0; j < n_members; ++j) {
        spread.col(j) = motion(job_.model_errors->datasets[static_cast<std::size_t>(j)], slip);
        progress(static_cast<double>(j + 1) / static_cast<double>(n_members));
    }
    const VectorXd mean = spread.rowwise().mean();
    spread = ((spread.colwise() - mean) / std::sqrt(static_cast<double>(n_members - 1))).eval();

    ModelCovariance made;
    double off = 0.0, counted = 0.0;
    for (Index i = 0; i < own.size(); ++i) {
        if (const double variance = spread.row(i).squaredNorm(); variance > 0.0) {
            off += (own[i] - mean[i]) * (own[i] - mean[i]) / variance;
            counted += 1.0;
        }
    }
    made.off_centre = counted > 0.0 ? std::sqrt(off / counted) : 0.0;
    // Orthogonal columns, as few as C_p has modes: members are many where data are few.
    const Eigen::SelfAdjointEigenSolver<MatrixXd> modes(spread.transpose() * spread);
    const VectorXd& sizes = modes.eigenvalues();
    const Index kept = (sizes.array() > kRounding * std::max(0.0, sizes.maxCoeff())).count();
    const MatrixXd columns = spread * modes.eigenvectors().rightCols(kept);
    Index first = 0;
    for (const ObservationSet& set : job_.sets) {
        const auto n = static_cast<Index>(set.data.size());
        made.columns.push_back(columns.middleRows(first, n));
        first += n;
    }
    return made;
}

Found find_slip(std::unique_ptr<DataRows> rows, const InversionJob& job, const MatchedData& matched,
                const io::GreensDataset& greens, const EquationsWanted& wanted,
                const inversion::Regulariser& regulariser,
                const std::function<void(double, const char*)>& progress) {
    const Regularisation& rules = job.regularisation;
    const bool robust = rules.norm == Regularisation::Norm::Huber;
    // Huber's norm, the biweight, and this twice more with factors by the data that it keeps.
    const int stages = !robust ? 1 : rules.variance_components ? 4 : 2;
    const int rounds = rules.variance_components || robust ? kMostRounds : 1;
    const auto n = static_cast<int>(regulariser.w.size());
    Found found{std::move(rows), DataWeights(job), {}, {}};
    const auto estimate = [&](double begun, double part) {
        // With robust weights alone the data are those of one set of standard deviations.
        const InversionJob weighted = found.weights.weighted(job);
        found.estimate = estimate_slip(
            weighted, found.rows->reader, wanted, regulariser, n, found.rows->nuisance.n_errors(),
            [&](double done, const char* text) { progress(begun + done * part, text); });
        found.fit = fit_of(found.estimate, found.rows->reader, weighted, regulariser);
    };
    for (int stage = 0; stage < stages; ++stage) {
        if (stage > 0) {
            if (stage > 1) {
                found.weights.rescale(job, found.fit);
            }
            found.weights.redescend();
            (void)found.weights.update(job, found.fit);
        }
        for (int round = 0; round < rounds; ++round) {
            estimate((stage + round / static_cast<double>(rounds)) / stages,
                     1.0 / (rounds * stages));
            if (rounds == 1 || !found.weights.update(job, found.fit)) {
                break;
            }
        }
    }
    if (!robust && !job.synthetic &&
        found.weights.add_unresolved(job, matched, greens, found.fit)) {
        for (int round = 0; round < kMostRounds; ++round) {
            estimate(1.0, 0.0);
            if (!found.weights.update(job, found.fit)) {
                break;
            }
        }
    }
    return found;
}

double unresolved_motion(double away_m, double size_m) {
    const double x = 2.0 * std::numbers::pi * away_m / size_m;
    if (!(x < kNoMotion)) {
        return 0.0;
    }
    // E_2(x) = exp(-x) - x E_1(x), E_1(x) = -Ei(-x).
    const double e2 = x > 0.0 ? std::exp(-x) + x * std::expint(-x) : 1.0;
    return 0.5 * std::sqrt(std::max(0.0, e2));
}

double moment_of(const InversionJob& job, const SlipAmounts& amounts,
                 const io::GreensDataset& greens, const VectorXd& m) {
    io::InversionDataset made;
    made.slip = amounts.slip_of_sources(m);
    describe_slip(job, amounts, greens, made);
    double sum = 0.0;
    for (const io::InversionDataset::Window& window : made.windows) {
        sum += window.moment_nm;
    }
    return sum;
}

InversionSummary::ModelErrors::Round round_of(const ModelCovariance& now,
                                              const ModelCovariance& before,
                                              const InversionJob& job, double moment,
                                              double moment_before) {
    return {moment, moment > 0.0 ? (moment - moment_before) / moment : 0.0, now.trace_ratio(job),
            relative_change(now, before)};
}

std::vector<std::string> model_error_warnings(const InversionSummary::ModelErrors& errors) {
    constexpr int kFew = 20;
    constexpr double kSettled = 0.1, kFarOff = 2.0;
    std::vector<std::string> warnings;
    if (errors.members < kFew) {
        warnings.push_back("model_errors: " + std::to_string(errors.members) +
                           " datasets tell errors of the structure in " +
                           std::to_string(errors.rank) +
                           " directions alone, and poorly; take at least " + std::to_string(kFew) +
                           " for intervals that hold");
    }
    // Before the estimate's first there is none to change; the posterior's follows the estimate's.
    for (const auto& [name, rounds, least] :
         {std::tuple("the estimate", &errors.rounds, std::size_t{2}),
          std::tuple("the posterior", &errors.posterior_rounds, std::size_t{1})}) {
        if (rounds->size() >= least && rounds->back().covariance_change > kSettled) {
            warnings.push_back(
                "model_errors: the covariance of " + std::string(name) + " changed by " +
                formatted("%.0f", 100.0 * rounds->back().covariance_change) + " % in the last of " +
                std::to_string(rounds->size()) + (rounds->size() == 1 ? " round" : " rounds") +
                "; raise model_errors.rounds");
        }
    }
    if (errors.off_centre > kFarOff) {
        warnings.push_back("model_errors: motion by greens is " +
                           formatted("%.2g", errors.off_centre) +
                           " standard deviations of the datasets from their mean (rms); take a "
                           "dataset from their middle, or others around this one");
    }
    return warnings;
}

std::vector<std::string> posterior_warnings(const InversionJob& job,
                                            const InversionSummary::Posterior& posterior) {
    constexpr std::size_t kFewStations = 10;
    std::vector<std::string> warnings;
    if (!posterior.converged) {
        warnings.push_back("posterior: it has not converged: effective samples of slip " +
                           formatted("%.0f", posterior.effective_slip) + ", of the moment " +
                           formatted("%.0f", posterior.effective_moment) + " (at least " +
                           number(kLeastEffective) + "), R-hat " +
                           formatted("%.3f", posterior.r_hat) + " (at most " + number(kMostRHat) +
                           "); raise posterior.iterations");
    }
    const int wanted = job.posterior->effective_samples;
    if (posterior.converged && posterior.fewest_effective < wanted) {
        warnings.push_back("posterior: " + std::to_string(posterior.iterations) +
                           " iterations gave " + formatted("%.0f", posterior.fewest_effective) +
                           " effective samples, " + std::to_string(wanted) +
                           " were asked for; raise posterior.iterations");
    }
    std::set<std::string> stations;
    for (const ObservationSet& set : job.sets) {
        for (const Datum& datum : set.data) {
            stations.insert(datum.station);
        }
    }
    constexpr double kMostInterpolation = 0.1;
    if (posterior.interpolation_error > kMostInterpolation) {
        warnings.push_back("posterior: responses between the nodes of viscosity are off by " +
                           formatted("%.2g", posterior.interpolation_error) +
                           " standard deviations of the data (rms, at most " +
                           number(kMostInterpolation) + "); raise posterior.nodes");
    }
    for (const InversionSummary::Posterior::Theta& theta : posterior.theta) {
        // A tenth of the range of the logarithm from an end.
        const double tenth = std::pow(theta.to_pa_s / theta.from_pa_s, 0.1);
        const bool low = theta.viscosity_pa_s.median < theta.from_pa_s * tenth;
        if (low || theta.viscosity_pa_s.median > theta.to_pa_s / tenth) {
            warnings.push_back("posterior: the viscosity of '" + theta.name + "' lies at the " +
                               (low ? "lower" : "upper") + " end of its range, " +
                               formatted("%.3g", theta.from_pa_s) + " to " +
                               formatted("%.3g", theta.to_pa_s) +
                               " Pa s; a dataset with a wider one may say more");
        }
    }
    if (stations.size() < kFewStations) {
        warnings.push_back("posterior: there are " + std::to_string(stations.size()) +
                           " stations; intervals of single patches rest on the prior");
    }
    return warnings;
}

}  // namespace kaname::jobs
