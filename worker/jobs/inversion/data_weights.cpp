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

DataWeights::DataWeights(const InversionJob& job) : factor_(job.sets.size(), 1.0) {
    for (const ObservationSet& set : job.sets) {
        robust_.emplace_back(set.data.size(), 1.0);
    }
}

InversionJob DataWeights::with_factors(const InversionJob& job) const {
    InversionJob result = job;
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

InversionJob DataWeights::weighted(const InversionJob& job) const {
    InversionJob result = with_factors(job);
    for (std::size_t k = 0; k < result.sets.size(); ++k) {
        for (std::size_t i = 0; i < result.sets[k].data.size(); ++i) {
            result.sets[k].data[i].sigma *= robust_[k][i];
        }
    }
    return result;
}

void DataWeights::rescale(const InversionJob& job, const std::vector<SetFit>& fit) {
    for (std::size_t k = 0; k < fit.size(); ++k) {
        double chi2 = 0.0, redundancy = 0.0;
        for (std::size_t i = 0; i < fit[k].residual.size(); ++i) {
            if (robust_[k][i] < 1.0 / kRejected) {
                chi2 += std::pow(fit[k].residual[i] / (job.sets[k].data[i].sigma * factor_[k]), 2);
                redundancy += 1.0 - fit[k].leverage[i];
            }
        }
        if (redundancy >= 1.0) {
            factor_[k] = std::clamp(factor_[k] * std::sqrt(chi2 / redundancy), 1.0 / kMostFactor,
                                    kMostFactor);
        }
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
        if (job.regularisation.variance_components && !redescends_ && fit[k].redundancy >= 1.0) {
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

}  // namespace

std::vector<std::string> data_warnings(const InversionJob& job, const MatchedData& matched,
                                       const io::GreensDataset& greens,
                                       const std::vector<SetFit>& fit) {
    std::vector<std::string> warnings;
    for (std::size_t k = 0; k < fit.size(); ++k) {
        const ObservationSet& set = job.sets[k];
        std::vector<std::pair<double, std::size_t>> off;
        std::vector<double> sizes;
        for (std::size_t i = 0; i < set.data.size(); ++i) {
            sizes.push_back(std::abs(fit[k].residual[i]) / set.data[i].sigma);
            off.emplace_back(sizes.back(), i);
        }
        // 0.6745: the median of a normal distribution's sizes.
        const double typical = std::max(1.0, median(sizes) / 0.6745);
        std::ranges::sort(off, std::ranges::greater());
        std::size_t outliers = 0;
        std::string names;
        std::set<int> stations;
        while (outliers < off.size() && off[outliers].first > kOutlier * typical) {
            if (outliers < kNamed) {
                const Datum& datum = set.data[off[outliers].second];
                names += (outliers == 0 ? "" : ", ") + name_of(datum) + " by " +
                         number(std::round(off[outliers].first * 10.0) / 10.0);
            }
            stations.insert(matched.station[k][off[outliers].second]);
            ++outliers;
        }
        bool all_near = false;
        const std::string near = coarse_patches(stations, greens, all_near);
        if (outliers > 0) {
            warnings.push_back(
                "data set '" + set.name + "': " + std::to_string(outliers) + " of " +
                std::to_string(set.data.size()) + " observations miss the fit by more than " +
                number(kOutlier) + " standard deviations: " + names +
                (outliers > kNamed ? ", ..." : "") +
                (all_near ? ""
                          : "; leave outliers out, or let regularisation.norm: huber "
                            "count them less"));
        }
        if (!near.empty()) {
            warnings.push_back("data set '" + set.name +
                               "': patches are too large for stations that miss the fit: " + near +
                               "; slip that changes within a patch moves them: take patches no "
                               "larger than that distance (n_strike and n_dip of the fault)");
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

std::string near_singular_rows(const ObservationSet& set, const MatrixXd& covariance) {
    // Squares of the factor's diagonal: what is left of a row's variance, the rows before it known.
    constexpr double kLeft = 1e-3;
    const VectorXd left =
        covariance.llt().matrixLLT().diagonal().cwiseAbs2().cwiseQuotient(covariance.diagonal());
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
    return "data set '" + set.name + "': errors of " + name_of(set.data[row]) + " and " +
           name_of(set.data[other]) +
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
