// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/data_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "solvers/base/text.hpp"
#include "solvers/inversion/eigen.hpp"
#include "worker/jobs/inversion/inversion_equations.hpp"
#include "worker/jobs/inversion/model_errors.hpp"
#include "worker/jobs/inversion/slip_field.hpp"
#include "worker/jobs/inversion/slip_posterior.hpp"

namespace kaname::jobs {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// With both, 95 % of the efficiency of least squares on normal errors.
constexpr double kHuber = 1.345, kBiweight = 4.685;
constexpr double kRejected = 1e-3;     // root of the weight of a datum beyond it
constexpr double kMostFactor = 100.0;  // on the standard deviations of a set
constexpr double kChanges = 0.01;
constexpr double kFarOff = 2.0;           // factor on standard deviations that is told
constexpr double kLeastRedundancy = 5.0;  // fewer tell nothing of a factor
constexpr double kExact = 1e-3;           // data without noise: a test
constexpr double kOutlier = 5.0;          // standard deviations
constexpr std::size_t kNamed = 3;

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

std::string name_of(const Datum& datum) {
    return datum.component + " of '" + datum.station + "' (" + datum.field + ")";
}

}  // namespace

std::vector<SetFit> fit_of_sets(const RowReader& reader, const InversionJob& job,
                                const inversion::NormalEquations& equations,
                                const std::vector<VectorXd>& values,
                                const inversion::Regulariser& regulariser, double lambda,
                                const VectorXd& x) {
    const std::vector<Index> free = inversion::free_amounts(x, regulariser.bounds);
    const MatrixXd q = equations.symmetric() + lambda * regulariser.r;
    const Eigen::LDLT<MatrixXd> factor(MatrixXd(q(free, free)));
    std::vector<SetFit> fit(job.sets.size());
    std::map<int, MatrixXd> rows;  // of sets whose errors are correlated, until all are read
    for (std::size_t k = 0; k < job.sets.size(); ++k) {
        fit[k].residual.assign(job.sets[k].data.size(), 0.0);
        fit[k].leverage.assign(job.sets[k].data.size(), 0.0);
        if (!job.sets[k].covariance.empty() || job.sets[k].correlation_length_m > 0.0) {
            rows.emplace(static_cast<int>(k),
                         MatrixXd(static_cast<Index>(job.sets[k].data.size()), x.size()));
        }
    }
    const auto taken_up = [&](const MatrixXd& white) -> VectorXd {
        if (free.empty()) {
            return VectorXd::Zero(white.rows());
        }
        const MatrixXd of_free = white(Eigen::all, free);
        return of_free.cwiseProduct(factor.solve(of_free.transpose()).transpose()).rowwise().sum();
    };
    reader.for_each({}, [&](const ObservationRows& block, double) {
        std::map<int, std::vector<Index>> of_set;
        for (std::size_t k = 0; k < block.place.size(); ++k) {
            const auto [set, index] = block.place[k];
            const auto row = block.rows.row(static_cast<Index>(k));
            const double residual = values[set][index] - row.dot(x);
            fit[set].residual[index] = residual;
            if (const auto dense = rows.find(set); dense != rows.end()) {
                dense->second.row(index) = row;
                continue;
            }
            of_set[set].push_back(static_cast<Index>(k));
            fit[set].chi2 += std::pow(residual / job.sets[set].data[index].sigma, 2);
        }
        for (const auto& [set, which] : of_set) {
            MatrixXd white = block.rows(which, Eigen::all);
            for (Index k = 0; k < white.rows(); ++k) {
                const auto [of, index] = block.place[static_cast<std::size_t>(which[k])];
                white.row(k) /= job.sets[of].data[index].sigma;
            }
            const VectorXd leverage = taken_up(white);
            for (Index k = 0; k < white.rows(); ++k) {
                fit[set].leverage[block.place[which[k]].datum] = leverage[k];
            }
            fit[set].redundancy += static_cast<double>(which.size()) - leverage.sum();
        }
    });
    for (const auto& [set, of_set] : rows) {
        const Eigen::LLT<MatrixXd> whiten(covariance_of(job.sets[set]));
        const VectorXd residual =
            Eigen::Map<const VectorXd>(fit[set].residual.data(), of_set.rows());
        fit[set].chi2 = VectorXd(whiten.matrixL().solve(residual)).squaredNorm();
        fit[set].redundancy =
            static_cast<double>(of_set.rows()) - taken_up(whiten.matrixL().solve(of_set)).sum();
    }
    return fit;
}

DataWeights::DataWeights(const InversionJob& job)
    : factor_(job.sets.size(), 1.0), unresolved_(job.sets.size()) {
    for (const ObservationSet& set : job.sets) {
        robust_.emplace_back(set.data.size(), 1.0);
    }
}

double DataWeights::error_m(std::size_t set, std::size_t datum) const {
    const Unresolved& of_set = unresolved_[set];
    return of_set.per_metre.empty() ? 0.0 : of_set.slip_m * of_set.per_metre[datum];
}

InversionJob DataWeights::with_factors(const InversionJob& job) const {
    InversionJob result = with_unresolved(job);
    for (std::size_t k = 0; k < result.sets.size(); ++k) {
        for (Datum& datum : result.sets[k].data) {
            datum.sigma *= factor_[k];
        }
        for (double& value : result.sets[k].covariance) {
            value *= factor_[k] * factor_[k];
        }
    }
    return result;
}

InversionJob DataWeights::with_unresolved(const InversionJob& job) const {
    InversionJob result = job;
    for (std::size_t k = 0; k < result.sets.size(); ++k) {
        for (std::size_t i = 0; i < unresolved_[k].per_metre.size(); ++i) {
            double& sigma = result.sets[k].data[i].sigma;
            sigma = std::hypot(sigma, error_m(k, i) / factor_[k]);
        }
    }
    return result;
}

InversionJob DataWeights::weighted(const InversionJob& job) const {
    InversionJob result = with_factors(job);
    for (std::size_t k = 0; k < result.sets.size(); ++k) {
        for (std::size_t i = 0; i < result.sets[k].data.size(); ++i) {
            result.sets[k].data[i].sigma *= robust_[k][i];
        }
    }
    return result;
}

DataWeights::Ratios DataWeights::ratios(std::size_t set, const ObservationSet& data,
                                        const SetFit& fit) const {
    double chi2[2] = {}, redundancy[2] = {};
    for (std::size_t i = 0; i < fit.residual.size(); ++i) {
        if (redescends_ && robust_[set][i] >= 1.0 / kRejected) {
            continue;
        }
        const double own = std::pow(data.data[i].sigma * factor_[set], 2);
        const double patches = std::pow(error_m(set, i), 2);
        const double sum = own + patches, t2 = std::pow(fit.residual[i], 2) / sum;
        for (const int part : {0, 1}) {
            const double share = (part == 0 ? own : patches) / sum;
            chi2[part] += share * t2;
            redundancy[part] += share * (1.0 - fit.leverage[i]);
        }
    }
    return {redundancy[0] >= 1.0 ? std::sqrt(chi2[0] / redundancy[0]) : 1.0,
            redundancy[1] > 0.0 ? std::sqrt(chi2[1] / redundancy[1]) : 1.0};
}

void DataWeights::scale(std::size_t set, double by) {
    factor_[set] = std::clamp(factor_[set] * by, 1.0 / kMostFactor, kMostFactor);
}

void DataWeights::rescale(const InversionJob& job, const std::vector<SetFit>& fit) {
    for (std::size_t k = 0; k < fit.size(); ++k) {
        scale(k, ratios(k, job.sets[k], fit[k]).data);
    }
}

bool DataWeights::update(const InversionJob& job, const std::vector<SetFit>& fit) {
    const bool robust = job.regularisation.norm == Regularisation::Norm::Huber;
    double change = 0.0;
    const auto set_to = [&](double& value, double next) {
        change = std::max(change, std::abs(next / value - 1.0));
        value = next;
    };
    for (std::size_t k = 0; k < fit.size(); ++k) {
        if (!unresolved_[k].per_metre.empty()) {
            const Ratios next = ratios(k, job.sets[k], fit[k]);
            const double data = job.regularisation.variance_components ? next.data : 1.0;
            change = std::max({change, std::abs(data - 1.0), std::abs(next.patches - 1.0)});
            scale(k, data);
            unresolved_[k].slip_m *= next.patches;
        } else if (job.regularisation.variance_components && !redescends_ &&
                   fit[k].redundancy >= 1.0) {
            // chi2 is that of weighted residuals: by Huber's weights it counts large ones less.
            set_to(factor_[k], std::clamp(factor_[k] * std::sqrt(fit[k].chi2 / fit[k].redundancy),
                                          1.0 / kMostFactor, kMostFactor));
        }
        for (std::size_t i = 0; robust && i < fit[k].residual.size(); ++i) {
            const double off =
                std::abs(fit[k].residual[i]) / (job.sets[k].data[i].sigma * factor_[k]);
            // A fit that follows a datum misses it by little, one that hardly sees it any more by
            // all of its error: what the others say of it is the same in both.
            const double h = std::clamp(fit[k].leverage[i], 0.0, 1.0 - 1e-9), s = robust_[k][i];
            const double t = off / std::sqrt((1.0 - h) * (1.0 - h + s * s * h));
            set_to(robust_[k][i], redescends_
                                      ? 1.0 / std::max(kRejected, 1.0 - std::pow(t / kBiweight, 2))
                                      : std::sqrt(std::max(1.0, off / kHuber)));
        }
    }
    return change > kChanges;
}

namespace {

/// Names stations, of those that miss the fit, that are nearer to the fault than a patch is large;
/// `all`: whether there are no others.
std::string coarse_patches(const std::set<int>& stations, const io::GreensDataset& greens,
                           bool& all) {
    std::string names;
    std::size_t n = 0;
    for (const int at : stations) {
        const auto& station = greens.stations[static_cast<std::size_t>(at)];
        const NearPatch near = nearest_patch(greens, station);
        if (!(near.away_m < near.size_m())) {
            continue;
        }
        if (n < kNamed) {
            names += (n == 0 ? "'" : ", '") + station.id + "' " +
                     formatted("%.2g", near.away_m / 1e3) + " km from patches of " +
                     formatted("%.2g", near.length_m / 1e3) + " km x " +
                     formatted("%.2g", near.width_m / 1e3) + " km";
        }
        ++n;
    }
    all = n == stations.size();
    return names + (n > kNamed ? ", ..." : "");
}

/// Observations of a set that miss the fit by far, the worst first.
struct Outliers {
    std::vector<std::pair<double, std::size_t>> off;  ///< standard deviations, datum
    std::set<int> stations;
};

Outliers outliers_of(const ObservationSet& set, const SetFit& fit,
                     const std::vector<int>& station) {
    Outliers found;
    std::vector<double> sizes;
    for (std::size_t i = 0; i < set.data.size(); ++i) {
        sizes.push_back(std::abs(fit.residual[i]) / set.data[i].sigma);
        found.off.emplace_back(sizes.back(), i);
    }
    // 0.6745: the median of a normal distribution's sizes.
    const double least = kOutlier * std::max(1.0, median(sizes) / 0.6745);
    std::erase_if(found.off, [&](const auto& datum) { return datum.first <= least; });
    std::ranges::sort(found.off, std::ranges::greater());
    for (const auto& [size, datum] : found.off) {
        found.stations.insert(station[datum]);
    }
    return found;
}

}  // namespace

bool DataWeights::add_unresolved(const InversionJob& job, const MatchedData& matched,
                                 const io::GreensDataset& greens, const std::vector<SetFit>& fit) {
    const InversionJob fitted = with_factors(job);
    std::map<int, double> per_metre;  // of stations
    bool any = false;
    for (std::size_t k = 0; k < job.sets.size(); ++k) {
        const ObservationSet& set = fitted.sets[k];
        if (!set.covariance.empty() || set.correlation_length_m > 0.0) {
            continue;
        }
        bool all_near = false;
        unresolved_[k].stations =
            coarse_patches(outliers_of(set, fit[k], matched.station[k]).stations, greens, all_near);
        if (unresolved_[k].stations.empty()) {
            continue;
        }
        for (const int station : matched.station[k]) {
            const auto [at, made] = per_metre.try_emplace(station, 0.0);
            if (made) {
                const NearPatch near =
                    nearest_patch(greens, greens.stations[static_cast<std::size_t>(station)]);
                at->second = unresolved_motion(near.away_m, near.size_m());
            }
            unresolved_[k].per_metre.push_back(at->second);
        }
        // From far above, which rounds come down from fast: much of the misfit may be in slip yet.
        unresolved_[k].slip_m = 1.0;
        factor_[k] = 1.0;
        any = true;
    }
    return any;
}

std::vector<std::string> data_warnings(const InversionJob& job, const MatchedData& matched,
                                       const io::GreensDataset& greens,
                                       const std::vector<SetFit>& fit, const DataWeights& weights) {
    std::vector<std::string> warnings;
    for (std::size_t k = 0; k < fit.size(); ++k) {
        const ObservationSet& set = job.sets[k];
        const Outliers outliers = outliers_of(set, fit[k], matched.station[k]);
        std::string names;
        for (std::size_t n = 0; n < std::min(kNamed, outliers.off.size()); ++n) {
            names += (n == 0 ? "" : ", ") + name_of(set.data[outliers.off[n].second]) + " by " +
                     number(std::round(outliers.off[n].first * 10.0) / 10.0);
        }
        bool all_near = false;
        const std::string near = coarse_patches(outliers.stations, greens, all_near);
        if (!outliers.off.empty()) {
            warnings.push_back(
                "data set '" + set.name + "': " + std::to_string(outliers.off.size()) + " of " +
                std::to_string(set.data.size()) + " observations miss the fit by more than " +
                number(kOutlier) + " standard deviations: " + names +
                (outliers.off.size() > kNamed ? ", ..." : "") +
                (all_near ? ""
                          : "; leave outliers out, or let regularisation.norm: huber "
                            "count them less"));
        }
        const DataWeights::Unresolved& patches = weights.unresolved(k);
        if (!near.empty() || !patches.stations.empty()) {
            std::string counted;
            if (!patches.per_metre.empty()) {
                const auto most = std::ranges::max_element(patches.per_metre);
                counted =
                    formatted("; %.2g", patches.slip_m) + " m of it (rms) is counted as errors " +
                    "of motion near the fault, " + formatted("%.2g", patches.slip_m * *most) +
                    " m at '" +
                    set.data[static_cast<std::size_t>(most - patches.per_metre.begin())].station +
                    "'";
            }
            warnings.push_back("data set '" + set.name +
                               "': patches are too large for stations that miss the fit: " +
                               (patches.stations.empty() ? near : patches.stations) +
                               "; slip that changes within a patch moves them" + counted +
                               ": take patches no larger than that distance (n_strike and n_dip of "
                               "the fault)");
        }
        if (fit[k].redundancy < kLeastRedundancy) {
            continue;
        }
        const double factor = std::sqrt(fit[k].chi2 / fit[k].redundancy);
        if (factor > kFarOff || (factor < 1.0 / kFarOff && factor > kExact)) {
            warnings.push_back(
                "data set '" + set.name + "': chi2 is " + formatted("%.3g", fit[k].chi2) + " for " +
                formatted("%.3g", fit[k].redundancy) +
                " observations more than slip takes up, as if its " + "standard deviations were " +
                (factor > 1.0 ? formatted("%.2g", factor) +
                                    " times too small (or the fault, its patches, its bounds or "
                                    "the structure cannot fit it)"
                              : formatted("%.2g", 1.0 / factor) + " times too large") +
                "; regularisation.variance_components estimates them");
        }
    }
    return warnings;
}

namespace {

/// Sums over observations of one station or set, by diagonal weights.
struct Sums {
    double chi2 = 0.0, weighted = 0.0, weight = 0.0;
    int n = 0;

    void add(double residual, double sigma) {
        const double w = 1.0 / (sigma * sigma);
        chi2 += w * residual * residual;
        weighted += w * residual * residual;
        weight += w;
        ++n;
    }
    [[nodiscard]] double rms() const { return n == 0 ? 0.0 : std::sqrt(weighted / weight); }
};

}  // namespace

void describe_fit(const InversionJob& job, const RowReader& reader,
                  const InversionEquations& equations, const Eigen::VectorXd& x,
                  const Nuisance& nuisance, const ModelCovariance& model, int n_slip,
                  io::InversionDataset& result, InversionSummary& summary,
                  const std::function<void(double)>& progress) {
    for (const ObservationSet& set : job.sets) {
        result.sets.push_back(described_set(set));
    }
    reader.for_each({}, [&](const ObservationRows& block, double done) {
        for (std::size_t k = 0; k < block.place.size(); ++k) {
            const auto [set, index] = block.place[k];
            const auto row = block.rows.row(static_cast<Eigen::Index>(k));
            io::InversionDataset::Row& into = result.sets[set].rows[index];
            into.observed = equations.values[set][index];
            into.slip_part = row.head(n_slip).dot(x.head(n_slip));
            into.predicted = row.head(x.size()).dot(x);
            into.model_error = model.sigma(static_cast<std::size_t>(set), index);
        }
        progress(done);
    });
    for (std::size_t k = 0; k < job.sets.size(); ++k) {
        io::InversionDataset::Set& set = result.sets[k];
        Sums all;
        std::map<std::string, Sums> stations;
        Eigen::VectorXd residuals(static_cast<Eigen::Index>(set.rows.size()));
        for (std::size_t i = 0; i < set.rows.size(); ++i) {
            const double residual = set.rows[i].observed - set.rows[i].predicted;
            residuals[static_cast<Eigen::Index>(i)] = residual;
            const double sigma = std::hypot(set.rows[i].sigma, set.rows[i].model_error);
            all.add(residual, sigma);
            stations[set.rows[i].station].add(residual, sigma);
        }
        double chi2_of_zero = equations.chi2_of_zero[k];
        if (model.rank() > 0) {
            all.chi2 = misfit_with(job.sets[k], model.columns[k], residuals);
            chi2_of_zero = misfit_with(job.sets[k], model.columns[k], equations.values[k]);
        } else if (const Eigen::MatrixXd covariance = covariance_of(job.sets[k]);
                   covariance.size() > 0) {
            all.chi2 = covariance.llt().matrixL().solve(residuals).squaredNorm();
        }
        InversionSummary::Set& of_set = summary.sets.emplace_back();
        of_set.name = set.name;
        of_set.observations = all.n;
        of_set.stations = static_cast<int>(stations.size());
        of_set.chi2_per_observation = all.chi2 / std::max(1, all.n);
        of_set.rms_m = all.rms();
        of_set.variance_reduction = 1.0 - all.chi2 / chi2_of_zero;
        of_set.nuisance_names = set.nuisance_names = nuisance.names(k);
        for (std::size_t i = 0; i < set.nuisance_names.size(); ++i) {
            set.nuisance.push_back(x[n_slip + nuisance.first(k) + static_cast<Eigen::Index>(i)]);
        }
        of_set.nuisance = set.nuisance;
        for (const auto& [station, sums] : stations) {
            summary.stations.push_back({set.name, station, sums.chi2 / sums.n, sums.rms()});
        }
    }
}

}  // namespace kaname::jobs
