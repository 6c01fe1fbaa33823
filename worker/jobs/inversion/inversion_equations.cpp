// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/inversion_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/inversion/eigen.hpp"
#include "solvers/inversion/weights.hpp"

namespace kaname::jobs {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using inversion::NormalEquations;
using inversion::Rows;

bool is_correlated(const ObservationSet& set) {
    return !set.covariance.empty() || set.correlation_length_m > 0.0;
}

/// Stations with data in the order of their ids, and a fold for each.
class Groups {
public:
    Groups(const InversionJob& job, int n_folds, std::uint64_t seed) {
        for (const ObservationSet& set : job.sets) {
            for (const Datum& datum : set.data) {
                of_.try_emplace(datum.station, 0);
            }
        }
        int next = 0;
        for (auto& [station, group] : of_) {
            group = next++;
        }
        if (n_folds > 0) {
            if (static_cast<std::size_t>(n_folds) > of_.size()) {
                throw Error(ErrorCode::InvalidArgument,
                            "regularisation.folds must be at most the number of stations with "
                            "data, " +
                                std::to_string(of_.size()) + ", got " + std::to_string(n_folds));
            }
            fold_ = inversion::deal_folds(of_.size(), n_folds, seed);
        }
    }
    [[nodiscard]] std::size_t size() const { return of_.size(); }
    [[nodiscard]] int group(const Datum& datum) const { return of_.at(datum.station); }
    [[nodiscard]] int fold(const Datum& datum) const {
        return fold_.empty() ? 0 : fold_[group(datum)];
    }

private:
    std::map<std::string, int> of_;
    std::vector<int> fold_;
};

/// Rows and values of some observations, whitened by their own block of a covariance.
NormalEquations block_equations(const Rows& rows, const VectorXd& values,
                                const MatrixXd& covariance, const std::vector<Index>& which) {
    NormalEquations equations(rows.cols());
    if (!which.empty()) {
        const Eigen::LLT<MatrixXd> factor(covariance(which, which));
        const Rows white = factor.matrixL().solve(MatrixXd(rows(which, Eigen::all)));
        equations.add(white, factor.matrixL().solve(VectorXd(values(which))));
    }
    return equations;
}

/// Values of all sets: what was observed, or noise to which synthetic motion is added later.
std::vector<VectorXd> initial_values(const InversionJob& job, const EquationsWanted& wanted) {
    std::vector<VectorXd> values;
    inversion::Draws draws(wanted.seed);
    for (const ObservationSet& set : job.sets) {
        VectorXd& of_set = values.emplace_back(static_cast<Index>(set.data.size()));
        for (std::size_t i = 0; i < set.data.size(); ++i) {
            of_set[static_cast<Index>(i)] = set.data[i].value;
        }
        if (wanted.synthetic_slip.empty()) {
            continue;
        }
        for (double& value : of_set) {
            value = wanted.noise ? draws.normal() : 0.0;
        }
        if (const MatrixXd covariance = covariance_of(set); covariance.size() > 0) {
            of_set = covariance.llt().matrixL() * of_set;
        } else {
            for (std::size_t i = 0; i < set.data.size(); ++i) {
                of_set[static_cast<Index>(i)] *= set.data[i].sigma;
            }
        }
    }
    return values;
}

/// All observations of a correlated set, until the last of them is read.
struct DenseSet {
    MatrixXd covariance;
    Rows rows;
};

}  // namespace

MatrixXd covariance_of(const ObservationSet& set) {
    const auto n = static_cast<Index>(set.data.size());
    if (!is_correlated(set)) {
        return {};
    }
    MatrixXd covariance;
    if (!set.covariance.empty()) {
        covariance = Eigen::Map<const Rows>(set.covariance.data(), n, n);
    } else {
        covariance = MatrixXd::Zero(n, n);
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j <= i; ++j) {
                const Datum &a = set.data[i], &b = set.data[j];
                if (a.component == b.component && a.epoch_s == b.epoch_s &&
                    a.since_s == b.since_s) {
                    const double apart =
                        i == j ? 0.0 : distance_m(a.lon_deg, a.lat_deg, b.lon_deg, b.lat_deg);
                    covariance(i, j) = covariance(j, i) =
                        a.sigma * b.sigma * std::exp(-apart / set.correlation_length_m);
                }
            }
        }
    }
    // Rounding lets rows of one error pass: what is left of a row's variance is nothing then.
    constexpr double kRounding = 1e-9;
    const Eigen::LLT<MatrixXd> factor(covariance);
    if (factor.info() != Eigen::Success || (factor.matrixLLT().diagonal().cwiseAbs2().array() <
                                            kRounding * covariance.diagonal().array())
                                               .any()) {
        throw Error(ErrorCode::InvalidArgument,
                    "the covariance of data set '" + set.name +
                        "' must be positive definite; are two rows the same observation, or at one "
                        "place?");
    }
    return covariance;
}

std::string near_singular_rows(const ObservationSet& set, const MatrixXd& covariance) {
    // Squares of the factor's diagonal: what is left of a row's variance, the rows before it known.
    constexpr double kLeft = 1e-3;
    const VectorXd left =
        covariance.llt().matrixLLT().diagonal().cwiseAbs2().cwiseQuotient(covariance.diagonal());
    const auto name = [&](Index at) {
        const Datum& datum = set.data[static_cast<std::size_t>(at)];
        return datum.component + " of '" + datum.station + "' (" + datum.field + ")";
    };
    Index row = 0;
    if (left.size() == 0 || left.minCoeff(&row) > kLeft) {
        return "";
    }
    Index other = row == 0 ? std::min<Index>(1, left.size() - 1) : 0;
    double most = -1.0;
    for (Index k = 0; k < left.size(); ++k) {
        const double correlation =
            std::abs(covariance(row, k)) / std::sqrt(covariance(row, row) * covariance(k, k));
        if (k != row && correlation > most) {
            most = correlation;
            other = k;
        }
    }
    const double apart_m = distance_m(set.data[row].lon_deg, set.data[row].lat_deg,
                                      set.data[other].lon_deg, set.data[other].lat_deg);
    return "data set '" + set.name + "': errors of " + name(row) + " and " + name(other) +
           (std::isnan(apart_m) ? "" : ", " + number(apart_m) + " m apart,") +
           " are correlated by " + formatted("%.6g", most) +
           ": what they differ by counts as if it were known to " +
           formatted("%.2g", std::sqrt(left[row])) +
           " of their standard deviation; keep one of them, or add their own noise to the diagonal "
           "of a covariance";
}

namespace {

const char* text_of(ObservationKind kind) {
    switch (kind) {
        case ObservationKind::Gnss:
            return "gnss";
        case ObservationKind::GnssAcoustic:
            return "gnss_acoustic";
        case ObservationKind::OceanBottomPressure:
            return "ocean_bottom_pressure";
        case ObservationKind::Insar:
            return "insar";
    }
    return "";
}

}  // namespace

io::InversionDataset::Set described_set(const ObservationSet& set) {
    io::InversionDataset::Set described;
    described.name = set.name;
    described.kind = text_of(set.kind);
    described.unit = set.velocity ? "m year-1" : "m";
    for (const Datum& datum : set.data) {
        io::InversionDataset::Row& into = described.rows.emplace_back();
        into.station = datum.station;
        into.component = datum.component;
        into.lon_deg = datum.lon_deg;
        into.lat_deg = datum.lat_deg;
        into.direction[0] = datum.east;
        into.direction[1] = datum.north;
        into.direction[2] = datum.up;
        into.epoch_s = datum.epoch_s;
        into.since_s = datum.since_s == Datum::kBeforeAll ? std::numeric_limits<double>::quiet_NaN()
                                                          : datum.since_s;
        into.observed = datum.value;
        into.sigma = datum.sigma;
    }
    return described;
}

InversionEquations collect_equations(const RowReader& reader, const InversionJob& job,
                                     const EquationsWanted& wanted, int n_unknowns,
                                     const std::function<void(double)>& progress) {
    const Groups groups(job, wanted.folds, wanted.seed);
    const std::size_t n_parts =
        wanted.groups ? groups.size() : static_cast<std::size_t>(std::max(1, wanted.folds));
    std::vector<NormalEquations> parts(n_parts, NormalEquations(n_unknowns));
    std::map<int, DenseSet> dense;
    for (std::size_t k = 0; k < job.sets.size(); ++k) {
        if (is_correlated(job.sets[k])) {
            if (wanted.groups) {
                throw Error(ErrorCode::InvalidArgument,
                            "appraisal.bootstrap draws stations one by one, the errors of data "
                            "set '" +
                                job.sets[k].name +
                                "' are correlated: must be 0, or the "
                                "set without correlation");
            }
            const auto n = static_cast<Index>(job.sets[k].data.size());
            dense.emplace(static_cast<int>(k),
                          DenseSet{covariance_of(job.sets[k]), Rows::Zero(n, n_unknowns)});
        }
    }
    InversionEquations result;
    result.values = initial_values(job, wanted);
    result.chi2_of_zero.assign(job.sets.size(), 0.0);
    const bool synthetic = !wanted.synthetic_slip.empty();
    reader.for_each(wanted.synthetic_slip, [&](const ObservationRows& block, double done) {
        std::vector<std::vector<Index>> rows_of(n_parts);
        VectorXd scaled(static_cast<Index>(block.place.size()));
        Rows white = block.rows;
        for (std::size_t row = 0; row < block.place.size(); ++row) {
            const auto [set, index] = block.place[row];
            const Datum& datum = job.sets[set].data[index];
            const auto at = static_cast<Index>(row);
            double& value = result.values[set][index];
            value += synthetic ? block.known[at] : 0.0;
            if (const auto of_set = dense.find(set); of_set != dense.end()) {
                of_set->second.rows.row(index) = block.rows.row(at);
                continue;
            }
            white.row(at) /= datum.sigma;
            scaled[at] = value / datum.sigma;
            result.chi2_of_zero[set] += scaled[at] * scaled[at];
            rows_of[wanted.groups ? groups.group(datum) : groups.fold(datum)].push_back(at);
        }
        for (std::size_t part = 0; part < n_parts; ++part) {
            if (!rows_of[part].empty()) {
                parts[part].add(white(rows_of[part], Eigen::all), scaled(rows_of[part]));
            }
        }
        progress(done);
    });

    inversion::FoldedEquations& folded = result.folded;
    folded.all = NormalEquations(n_unknowns);
    for (const NormalEquations& part : parts) {
        folded.all += part;
    }
    const auto n_folds = static_cast<std::size_t>(wanted.folds);
    if (wanted.groups) {
        folded.test.assign(n_folds, NormalEquations(n_unknowns));
        std::vector<bool> told(n_parts);
        for (const ObservationSet& set : job.sets) {
            for (const Datum& datum : set.data) {
                if (const int group = groups.group(datum); n_folds > 0 && !told[group]) {
                    told[group] = true;
                    folded.test[groups.fold(datum)] += parts[group];
                }
            }
        }
        result.groups = std::move(parts);
    } else if (n_folds > 0) {
        folded.test = std::move(parts);
    }
    if (!dense.empty()) {
        folded.held = folded.test;
    }
    for (const auto& [k, set] : dense) {
        const std::vector<Datum>& data = job.sets[k].data;
        std::vector<Index> every(data.size());
        for (std::size_t i = 0; i < data.size(); ++i) {
            every[i] = static_cast<Index>(i);
        }
        const NormalEquations whole =
            block_equations(set.rows, result.values[k], set.covariance, every);
        result.chi2_of_zero[k] = whole.c;
        folded.all += whole;
        for (std::size_t fold = 0; fold < n_folds; ++fold) {
            std::vector<Index> own, rest;
            for (const Index i : every) {
                (groups.fold(data[i]) == static_cast<int>(fold) ? own : rest).push_back(i);
            }
            folded.test[fold] += block_equations(set.rows, result.values[k], set.covariance, own);
            folded.held[fold] += whole;
            folded.held[fold] -= block_equations(set.rows, result.values[k], set.covariance, rest);
        }
    }
    return result;
}

std::vector<NormalEquations> equations_of_sets(const RowReader& reader, const InversionJob& job,
                                               const std::vector<VectorXd>& values,
                                               int n_unknowns) {
    std::vector<NormalEquations> sets(job.sets.size(), NormalEquations(n_unknowns));
    std::map<int, Rows> dense;
    for (std::size_t k = 0; k < job.sets.size(); ++k) {
        if (is_correlated(job.sets[k])) {
            dense.emplace(static_cast<int>(k),
                          Rows::Zero(static_cast<Index>(job.sets[k].data.size()), n_unknowns));
        }
    }
    reader.for_each({}, [&](const ObservationRows& block, double) {
        std::map<int, std::vector<Index>> rows_of;
        Rows white = block.rows;
        VectorXd scaled(white.rows());
        for (Index row = 0; row < white.rows(); ++row) {
            const auto [set, index] = block.place[static_cast<std::size_t>(row)];
            if (const auto of_set = dense.find(set); of_set != dense.end()) {
                of_set->second.row(index) = block.rows.row(row);
                continue;
            }
            const double sigma = job.sets[set].data[index].sigma;
            white.row(row) /= sigma;
            scaled[row] = values[set][index] / sigma;
            rows_of[set].push_back(row);
        }
        for (const auto& [set, which] : rows_of) {
            sets[set].add(white(which, Eigen::all), scaled(which));
        }
    });
    for (const auto& [set, rows] : dense) {
        std::vector<Index> every(static_cast<std::size_t>(rows.rows()));
        std::iota(every.begin(), every.end(), Index{0});
        sets[set] = block_equations(rows, values[set], covariance_of(job.sets[set]), every);
    }
    return sets;
}

const char* name_of_choice(Regularisation::Choice choice) {
    using Choice = Regularisation::Choice;
    switch (choice) {
        case Choice::CrossValidation:
            return "cross_validation";
        case Choice::Abic:
            return "abic";
        case Choice::AbicFree:
            return "abic_free";
        case Choice::LCurve:
            return "l_curve";
        case Choice::Fixed:
            return "fixed";
    }
    return "";
}

namespace {

constexpr double kRead = 0.53;  // of the time of an estimate; the rest tries weights
constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

WeightChoice choose(const InversionJob& job, const inversion::WeightScores& scores,
                    const inversion::WeightGrid& grid) {
    const Regularisation& rules = job.regularisation;
    // Without folds the weakest sparsity alone is looked at.
    const auto weakest =
        static_cast<std::size_t>(std::ranges::min_element(grid.sparsity) - grid.sparsity.begin());
    using Choice = Regularisation::Choice;
    switch (rules.choice) {
        case Choice::CrossValidation: {
            const inversion::ChosenWeights best = inversion::least_score(
                scores, grid, rules.rule == Regularisation::Rule::OneStandardError);
            return {best.smoothness, best.sparsity,
                    scores.score(static_cast<Index>(best.smoothness),
                                 static_cast<Index>(best.sparsity))};
        }
        case Choice::Abic:
        case Choice::AbicFree: {
            Index best = 0;
            const double least = scores.abic.minCoeff(&best);
            return {static_cast<std::size_t>(best), weakest, least};
        }
        case Choice::LCurve:
            return {inversion::l_curve_corner(scores, grid, weakest), weakest, kNoScore};
        case Choice::Fixed:
            break;
    }
    return {0, 0, kNoScore};
}

}  // namespace

Estimate estimate_slip(const InversionJob& job, const RowReader& reader,
                       const EquationsWanted& wanted, const inversion::Regulariser& regulariser,
                       int n_unknowns, int n_errors,
                       const std::function<void(double, const char*)>& progress) {
    const Regularisation& rules = job.regularisation;
    if (n_errors > 0 && wanted.groups) {
        throw Error(ErrorCode::InvalidArgument,
                    "appraisal.bootstrap draws stations one by one, and errors of the model are "
                    "those of all: must be 0 with model_errors");
    }
    Estimate made;
    made.equations = collect_equations(reader, job, wanted, n_unknowns + n_errors, [&](double d) {
        progress(kRead * d, "reading Green's functions");
    });
    if (n_errors > 0) {
        made.with_errors = made.equations.folded.all;
        made.equations.folded = inversion::integrated_out(made.equations.folded, n_errors);
    }
    const inversion::NormalEquations& all = made.equations.folded.all;
    made.scale = inversion::weight_scale(all, regulariser);
    made.grid = {rules.smoothness, rules.sparsity};
    std::ranges::for_each(made.grid.smoothness, [&](double& w) { w *= made.scale.smoothness; });
    std::ranges::for_each(made.grid.sparsity, [&](double& w) { w *= made.scale.sparsity; });
    made.scores = inversion::score_weights(
        made.equations.folded, regulariser, made.grid,
        [&](double done) { progress(kRead + (1.0 - kRead) * done, "trying weights"); });
    made.scores.abic = inversion::abic(all, regulariser, made.grid.smoothness,
                                       rules.choice == Regularisation::Choice::AbicFree);
    made.chosen = choose(job, made.scores, made.grid);
    made.lambda = made.grid.smoothness[made.chosen.smoothness];
    made.alpha = made.grid.sparsity[made.chosen.sparsity];
    made.x = inversion::fit(all, regulariser, made.lambda, made.alpha).x;
    return made;
}

/// A weight at the end of those that were tried may not be the best one.
std::vector<std::string> weight_warnings(const Regularisation& rules, const WeightChoice& chosen) {
    std::vector<std::string> warnings;
    const std::vector<double>& tried = rules.smoothness;
    if (tried.size() < 2) {
        return warnings;
    }
    const auto [least, most] = std::ranges::minmax(tried);
    const double taken = tried[chosen.smoothness];
    if (taken == least || taken == most) {
        warnings.push_back(
            "regularisation.smoothness: " + number(taken) + ", which " +
            name_of_choice(rules.choice) + " chose, is the " +
            (taken == least ? "smallest" : "largest") + " that was tried; slip may be " +
            (taken == least ? "rougher than the data ask for, and a larger one would "
                              "do about as well"
                            : "smoother than the data ask for") +
            ": try others, or another choice");
    }
    return warnings;
}

}  // namespace kaname::jobs
