// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/inversion_result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/inversion/eigen.hpp"
#include "worker/jobs/inversion/observation_rows.hpp"
#include "worker/jobs/inversion/slip_posterior.hpp"

namespace kaname::jobs {
namespace {

const char* text_of(SlipWindow::Kind kind) {
    switch (kind) {
        case SlipWindow::Kind::Step:
            return "step";
        case SlipWindow::Kind::Ramp:
            return "ramp";
        case SlipWindow::Kind::Steady:
            return "steady";
        case SlipWindow::Kind::Coupling:
            return "coupling";
    }
    return "";
}

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

void describe_slip(const InversionJob& job, const SlipAmounts& amounts,
                   const io::GreensDataset& greens, io::InversionDataset& result) {
    const std::size_t n_patches = amounts.patches.size();
    result.patch_slip.clear();
    double all = 0.0;
    for (std::size_t w = 0; w < job.slip.windows.size(); ++w) {
        const SlipWindow& window = job.slip.windows[w];
        double moment = 0.0;
        for (std::size_t p = 0; p < n_patches; ++p) {
            const SlipPatch& patch = amounts.patches[p];
            // The rake of opening is NaN; its slip has no place in a vector within the fault.
            double along = 0.0, up = 0.0;
            for (const int source : patch.sources) {
                const double rake = greens.sources[source].rake_deg * kDegree;
                const double m = result.slip[w * greens.sources.size() + source];
                if (!std::isnan(rake)) {
                    along += m * std::cos(rake);
                    up += m * std::sin(rake);
                }
            }
            const double amount = std::hypot(along, up);
            result.patch_slip.push_back(amount);
            result.patch_rake.push_back(amount > 0.0 ? std::atan2(up, along) / kDegree
                                                     : std::numeric_limits<double>::quiet_NaN());
            result.patch_moment.push_back(amount * patch.moment_per_m);
            moment += result.patch_moment.back();
            all += window.is_rate() ? 0.0 : result.patch_moment.back();
        }
        result.windows.push_back({window.name, text_of(window.kind), window.begin_s, window.end_s,
                                  moment, slip_model::moment_magnitude(moment)});
    }
    result.moment_magnitude =
        all > 0.0 ? slip_model::moment_magnitude(all) : std::numeric_limits<double>::quiet_NaN();
    for (const SlipPatch& patch : amounts.patches) {
        result.patches.push_back(patch.id);
    }
}

void describe_fit(const InversionJob& job, const RowReader& reader,
                  const InversionEquations& equations, const Eigen::VectorXd& x,
                  const Nuisance& nuisance, int n_slip, io::InversionDataset& result,
                  InversionSummary& summary, const std::function<void(double)>& progress) {
    for (const ObservationSet& set : job.sets) {
        io::InversionDataset::Set& of_set = result.sets.emplace_back();
        of_set.name = set.name;
        of_set.kind = text_of(set.kind);
        of_set.unit = set.velocity ? "m year-1" : "m";
        of_set.rows.resize(set.data.size());
    }
    reader.for_each({}, [&](const ObservationRows& block, double done) {
        for (std::size_t k = 0; k < block.place.size(); ++k) {
            const auto [set, index] = block.place[k];
            const auto row = block.rows.row(static_cast<Eigen::Index>(k));
            const Datum& datum = job.sets[set].data[index];
            io::InversionDataset::Row& into = result.sets[set].rows[index];
            into.station = datum.station;
            into.component = datum.component;
            into.lon_deg = datum.lon_deg;
            into.lat_deg = datum.lat_deg;
            into.direction[0] = datum.east;
            into.direction[1] = datum.north;
            into.direction[2] = datum.up;
            into.epoch_s = datum.epoch_s;
            into.since_s = datum.since_s == Datum::kBeforeAll
                               ? std::numeric_limits<double>::quiet_NaN()
                               : datum.since_s;
            into.observed = equations.values[set][index];
            into.slip_part = row.head(n_slip).dot(x.head(n_slip));
            into.predicted = row.dot(x);
            into.sigma = datum.sigma;
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
            all.add(residual, set.rows[i].sigma);
            stations[set.rows[i].station].add(residual, set.rows[i].sigma);
        }
        if (const Eigen::MatrixXd covariance = covariance_of(job.sets[k]); covariance.size() > 0) {
            all.chi2 = covariance.llt().matrixL().solve(residuals).squaredNorm();
        }
        InversionSummary::Set& of_set = summary.sets.emplace_back();
        of_set.name = set.name;
        of_set.observations = all.n;
        of_set.stations = static_cast<int>(stations.size());
        of_set.chi2_per_observation = all.chi2 / std::max(1, all.n);
        of_set.rms_m = all.rms();
        of_set.variance_reduction = 1.0 - all.chi2 / equations.chi2_of_zero[k];
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

namespace {

/// Slip of a patch along a rake, on its sources; on its last component where there is no rake.
void slip_along(const SlipPatch& patch, const io::GreensDataset& greens,
                std::optional<double> rake_deg, double slip_m, std::vector<double>& into) {
    if (!rake_deg) {
        into[patch.sources.back()] += slip_m;
        return;
    }
    if (patch.sources.size() == 1) {
        const double own = greens.sources[patch.sources[0]].rake_deg;
        if (std::cos((own - *rake_deg) * kDegree) < 1.0 - 1e-9) {
            throw Error(ErrorCode::InvalidArgument,
                        "synthetic: slip of rake " + std::to_string(*rake_deg) +
                            " degrees needs two components on patch '" + patch.id + "'");
        }
        into[patch.sources[0]] += slip_m;
        return;
    }
    const double a = greens.sources[patch.sources[0]].rake_deg;
    const double b = greens.sources[patch.sources[1]].rake_deg;
    const double det = std::sin((b - a) * kDegree);
    into[patch.sources[0]] += slip_m * std::sin((b - *rake_deg) * kDegree) / det;
    into[patch.sources[1]] += slip_m * std::sin((*rake_deg - a) * kDegree) / det;
}

/// Part of the rupture's largest slip at a place.
double falloff(const SyntheticSlip::Rupture& rupture, double lon_deg, double lat_deg) {
    const double away = distance_m(rupture.lon_deg, rupture.lat_deg, lon_deg, lat_deg);
    const double north = (lat_deg - rupture.lat_deg);
    const double east = (lon_deg - rupture.lon_deg) * std::cos(rupture.lat_deg * kDegree);
    const double turn = std::atan2(east, north) - rupture.strike_deg * kDegree;
    const double along = 2.0 * away * std::cos(turn) / rupture.length_m;
    const double across = 2.0 * away * std::sin(turn) / rupture.width_m;
    const double q = std::hypot(along, across);
    const double cosine = std::cos(0.5 * std::numbers::pi * q);
    return q < 1.0 ? cosine * cosine : 0.0;
}

}  // namespace

std::vector<double> synthetic_slip(const SyntheticSlip& synthetic, const SlipUnknowns& slip,
                                   const SlipAmounts& amounts, const io::GreensDataset& greens) {
    std::vector<double> result(static_cast<std::size_t>(amounts.n_windows) * amounts.n_sources);
    const auto rake_of = [&](const io::GreensDataset::Source& source,
                             const std::optional<double>& azimuth) -> std::optional<double> {
        if (!azimuth) {
            return std::nullopt;
        }
        return rake_towards(*azimuth, source.strike_deg, source.dip_deg);
    };
    for (const SlipPatch& patch : amounts.patches) {
        const io::GreensDataset::Source& source = greens.sources[patch.sources.front()];
        if (const auto& board = synthetic.checkerboard) {
            if (source.grid_row < 0) {
                throw Error(ErrorCode::InvalidArgument,
                            "synthetic.checkerboard needs a grid of patches, patch '" + patch.id +
                                "' is of none");
            }
            const int field = source.grid_row / board->rows + source.grid_column / board->columns;
            std::optional<double> rake = rake_of(source, slip.azimuth_deg);
            if (slip.rake_from_deg) {
                rake = 0.5 * (*slip.rake_from_deg + *slip.rake_to_deg);
            }
            if (field % 2 == 0) {
                slip_along(patch, greens, rake, board->slip_m, result);
            }
        }
        if (const auto& rupture = synthetic.rupture) {
            const double part = falloff(*rupture, source.lon_deg, source.lat_deg);
            const std::optional<double> rake =
                rupture->rake_deg ? rupture->rake_deg : rake_of(source, rupture->slip_azimuth_deg);
            if (part > 0.0) {
                slip_along(patch, greens, rake, part * rupture->slip_m, result);
            }
        }
    }
    for (const SyntheticSlip::Amount& amount : synthetic.amounts) {
        const auto found =
            std::ranges::find(greens.sources, amount.source, &io::GreensDataset::Source::id);
        if (found == greens.sources.end()) {
            throw Error(ErrorCode::InvalidArgument,
                        "synthetic.slip: the dataset has no source '" + amount.source + "'");
        }
        result[found - greens.sources.begin()] += amount.slip_m;
    }
    if (std::ranges::all_of(result, [](double m) { return m == 0.0; })) {
        throw Error(ErrorCode::InvalidArgument, "synthetic: no patch slips");
    }
    return result;
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
    std::set<std::string> stations;
    for (const ObservationSet& set : job.sets) {
        for (const Datum& datum : set.data) {
            stations.insert(datum.station);
        }
    }
    if (stations.size() < kFewStations) {
        warnings.push_back("posterior: there are " + std::to_string(stations.size()) +
                           " stations; intervals of single patches rest on the prior");
    }
    return warnings;
}

}  // namespace kaname::jobs
