// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/theta_responses.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "worker/jobs/inversion/inversion_equations.hpp"

namespace kaname::jobs {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using inversion::Rows;

// kUnseen is what the data do not see: amounts of the largest credible size move them by less than
// this part of a standard deviation, all together.
constexpr double kUnseen = 0.01;
constexpr double kMostAmount = 8.0;  // m, where the request says no largest slip

std::vector<viscoelastic::ViscosityParameter> parameters_of(const std::vector<std::string>& names,
                                                            const Answers& answers) {
    std::vector<viscoelastic::ViscosityParameter> found;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto& all = answers.parameters();
        const auto at = std::ranges::find(all, names[k], &viscoelastic::ViscosityParameter::name);
        if (at == all.end()) {
            std::string known;
            for (const auto& one : all) {
                known += (known.empty() ? "" : ", ") + one.name;
            }
            throw ValidationError({{"posterior.theta[" + std::to_string(k) + "]",
                                    "must be a viscosity with a range in the dataset (" + known +
                                        "), got '" + names[k] + "'"}});
        }
        found.push_back(*at);
    }
    return found;
}

/// Epochs of the dataset, and the ages that steps of slip have when data are measured: there the
/// response is answered and not interpolated in time.
std::vector<double> ages_of(const InversionJob& job, const io::GreensDataset& greens,
                            double end_s) {
    std::vector<double> ages = greens.epochs_s;
    for (const ObservationSet& set : job.sets) {
        for (const Datum& datum : set.data) {
            for (const SlipWindow& window : job.slip.windows) {
                if (window.is_rate()) {
                    continue;
                }
                for (const double measured_s : {datum.epoch_s, datum.since_s}) {
                    for (const double slipped_s : {window.begin_s, window.end_s}) {
                        const double age_s = measured_s - slipped_s;
                        if (age_s > 0.0 && age_s <= end_s) {
                            ages.push_back(age_s);
                        }
                    }
                }
            }
        }
    }
    std::ranges::sort(ages);
    // Times of a table that rounding tells apart are one.
    const double least = 1e-9 * end_s;
    std::vector<double> kept;
    for (const double age_s : ages) {
        if (kept.empty() || age_s > kept.back() + least) {
            kept.push_back(age_s);
        }
    }
    return kept;
}

io::GreensDataset with_epochs(io::GreensDataset greens, std::vector<double> epochs_s) {
    greens.epochs_s = std::move(epochs_s);
    return greens;
}

}  // namespace

ThetaResponses::ThetaResponses(const Parts& parts, const std::function<void(double)>& progress)
    : parts_(parts),
      answers_(io::read_greens_dataset(parts.greens_path, io::FieldGroups::LeaveOut)),
      theta_(parameters_of(parts.job.posterior->theta, answers_)),
      at_ages_(with_epochs(parts.greens, ages_of(parts.job, parts.greens, answers_.end_s()))),
      times_(answers_.times(at_ages_.epochs_s, {{HistoryKind::Step}, answers_.end_s()})) {
    const InversionJob& job = parts.job;
    const Index n = parts.amounts.n();
    const double largest = job.posterior->largest_slip_m.value_or(kMostAmount);
    const double least = kUnseen / (largest * std::sqrt(static_cast<double>(n)));
    for (const ObservationSet& set : job.sets) {
        factor_.push_back(covariance_of(set));
        if (factor_.back().size() > 0) {
            factor_.back() = factor_.back().llt().matrixL();
        }
    }
    const int count = job.posterior->nodes > 0 ? job.posterior->nodes : kNodes[theta_.size() - 1];
    const posterior::ChebyshevGrid grid(std::vector<int>(theta_.size(), count));
    for (std::size_t i = 0; i < grid.n_nodes(); ++i) {
        const std::vector<Rows> rows = rows_at(grid.node(i));
        for (std::size_t k = 0; k < rows.size(); ++k) {
            if (i == 0) {
                VectorXd d = parts.values[k];
                if (factor_[k].size() > 0) {
                    factor_[k].triangularView<Eigen::Lower>().solveInPlace(d);
                } else {
                    for (Index row = 0; row < d.size(); ++row) {
                        d[row] /= job.sets[k].data[static_cast<std::size_t>(row)].sigma;
                    }
                }
                bases_.emplace_back(d, rows[k].rightCols(rows[k].cols() - n), least);
            }
            bases_[k].add(rows[k].leftCols(n));
        }
        progress(static_cast<double>(i + 1) / static_cast<double>(grid.n_nodes()));
    }
    std::vector<posterior::ResponseFamily::Set> sets;
    for (const posterior::ResponseBasis& basis : bases_) {
        sets.push_back(basis.set());
    }
    family_ = posterior::ResponseFamily(grid, n, std::move(sets));
}

std::vector<double> ThetaResponses::viscosities_pa_s(std::span<const double> x) const {
    std::vector<double> viscosities;
    for (std::size_t p = 0; p < theta_.size(); ++p) {
        const double part = std::min(1.0, std::max(0.0, 0.5 * (1.0 + x[p])));
        viscosities.push_back(std::min(
            theta_[p].to_pa_s,
            std::max(
                theta_[p].from_pa_s,
                theta_[p].from_pa_s * std::pow(theta_[p].to_pa_s / theta_[p].from_pa_s, part))));
    }
    return viscosities;
}

viscoelastic::NamedRheology ThetaResponses::rheology(std::span<const double> x) const {
    const std::vector<double> viscosities = viscosities_pa_s(x);
    viscoelastic::NamedNumbers said;
    for (std::size_t p = 0; p < theta_.size(); ++p) {
        said.emplace_back(theta_[p].name, viscosities[p]);
    }
    return answers_.rheology(said);
}

std::vector<Rows> ThetaResponses::rows_at(std::span<const double> x) const {
    const std::vector<double> motion = answers_.at(rheology(x).relaxation, times_, answers_.all());
    const std::size_t n_sources = at_ages_.sources.size(), n_epochs = at_ages_.epochs_s.size();
    const std::size_t n_stations = at_ages_.stations.size();
    for (const SlipPatch& patch : parts_.amounts.patches) {
        for (const int source : patch.sources) {
            if (std::isnan(motion[static_cast<std::size_t>(source) * n_epochs * n_stations * 3])) {
                throw ValidationError(
                    {{"posterior.theta", "needs a reduced model of every source; that of '" +
                                             at_ages_.sources[source].id +
                                             "' was solved by time steps"}});
            }
        }
    }
    const auto block = [&](std::size_t first, std::size_t width) {
        std::vector<double> values(n_sources * n_epochs * width * 3);
        for (std::size_t row = 0; row < n_sources * n_epochs; ++row) {
            std::copy_n(motion.data() + (row * n_stations + first) * 3, width * 3,
                        values.data() + row * width * 3);
        }
        return values;
    };
    const RowReader reader(block, at_ages_, parts_.job, parts_.matched, parts_.amounts,
                           parts_.nuisance);
    const Index n = parts_.amounts.n() + parts_.nuisance.n();
    std::vector<Rows> rows;
    for (const ObservationSet& set : parts_.job.sets) {
        rows.push_back(Rows::Zero(static_cast<Index>(set.data.size()), n));
    }
    reader.for_each({}, [&](const ObservationRows& some, double) {
        for (std::size_t row = 0; row < some.place.size(); ++row) {
            const auto [set, index] = some.place[row];
            rows[set].row(index) = some.rows.row(static_cast<Index>(row));
        }
    });
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (factor_[k].size() > 0) {
            rows[k] = factor_[k].triangularView<Eigen::Lower>().solve(MatrixXd(rows[k]));
            continue;
        }
        for (Index row = 0; row < rows[k].rows(); ++row) {
            rows[k].row(row) /= parts_.job.sets[k].data[static_cast<std::size_t>(row)].sigma;
        }
    }
    return rows;
}

ThetaResponses::Check ThetaResponses::check(std::span<const double> x, const VectorXd& m) const {
    const std::vector<Rows> rows = rows_at(x);
    double difference = 0.0, n_data = 0.0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        difference +=
            bases_[k].mismatch(rows[k].leftCols(m.size()), family_.response(k, x), m).difference;
        n_data += static_cast<double>(rows[k].rows());
    }
    return {std::sqrt(difference / n_data), answers_.error(rheology(x), answers_.all())};
}

}  // namespace kaname::jobs
