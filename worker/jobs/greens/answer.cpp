// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/answer.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/viscoelastic/spectrum/reduced_transform.hpp"

namespace kaname::jobs {
namespace {

// Kinks between which three Gauss points see U and the slip as smooth: six in a decade of the
// slip's age, from a twentieth of the fastest relaxation time on, and six in each of the last four
// decades of the time since the slip began.
constexpr double kPerDecade = 6.0;
constexpr double kFirst = 0.05;
constexpr double kDecades = 4.0;
// Slip younger than kYoung of the fastest relaxation time is taken as not relaxed. Otherwise the
// windows of one contour would go on to ever shorter times.
constexpr double kYoung = 1e-7;

std::vector<double> ages(double fastest_per_s, double last_s) {
    const double factor = std::pow(10.0, 1.0 / kPerDecade);
    std::vector<double> ages_s;
    for (double age_s = fastest_per_s > 0.0 ? kFirst / fastest_per_s : last_s; age_s < last_s;
         age_s *= factor) {
        ages_s.push_back(age_s);
    }
    for (double part = 1.0 / factor; part > std::pow(10.0, -kDecades); part /= factor) {
        ages_s.push_back(last_s * (1.0 - part));
    }
    return ages_s;
}

}  // namespace

AnswerTimes::AnswerTimes(std::span<const double> epochs_s, const SourceTimeFunction& history,
                         double fastest_per_s)
    : AnswerTimes(epochs_s, std::vector<Onset>{{0.0, 1.0, history}}, fastest_per_s) {}

AnswerTimes::AnswerTimes(std::span<const double> epochs_s, std::span<const Onset> onsets,
                         double fastest_per_s)
    : epochs_s_(epochs_s.begin(), epochs_s.end()), slip_(epochs_s.size(), 0.0) {
    std::vector<double> lags_s, slips;
    std::vector<std::size_t> epoch_of;
    for (std::size_t epoch = 0; epoch < epochs_s.size(); ++epoch) {
        for (const Onset& onset : onsets) {
            const double since_s = epochs_s[epoch] - onset.begin_s;
            if (since_s < 0.0) {
                continue;
            }
            for (const auto& part : onset.history.parts(since_s, ages(fastest_per_s, since_s))) {
                slip_[epoch] += onset.scale * part.slip;
                if (part.lag_s * fastest_per_s > kYoung) {
                    lags_s.push_back(part.lag_s);
                    slips.push_back(onset.scale * part.slip);
                    epoch_of.push_back(epoch);
                }
            }
        }
    }
    const viscoelastic::LaplaceContour contour = viscoelastic::laplace_contour(lags_s);
    shifts_ = contour.s;
    weights_.resize(epochs_s.size() * shifts_.size());
    for (const auto& window : contour.windows) {
        for (std::size_t row = 0; row < window.times.size(); ++row) {
            const std::size_t lag = window.times[row];
            std::complex<double>* to = weights_.data() + epoch_of[lag] * shifts_.size();
            for (std::size_t k = 0; k < window.n_nodes; ++k) {
                const std::size_t shift = window.first_node + k;
                to[shift] += slips[lag] * window.weights[row * window.n_nodes + k] / shifts_[shift];
            }
        }
    }
}

namespace {

[[noreturn]] void refuse(const std::string& text) {
    throw Error(ErrorCode::InvalidArgument, text);
}

/// The times of a source: its own, or those of all.
const AnswerTimes& of(std::span<const AnswerTimes> of_each, std::size_t source) {
    return of_each.size() == 1 ? of_each[0] : of_each[source];
}

void check_epochs(std::span<const double> epochs_s, double end_s) {
    constexpr double kSlack = 1e-9;
    for (std::size_t k = 0; k < epochs_s.size(); ++k) {
        if (!(epochs_s[k] >= 0.0 && epochs_s[k] <= end_s * (1.0 + kSlack))) {
            refuse("epochs: must be within 0 to " + number(end_s / kJulianYear_s) +
                   " years, the end of the solve, got " + number(epochs_s[k] / kJulianYear_s) +
                   " years");
        }
        if (k > 0 && epochs_s[k] <= epochs_s[k - 1]) {
            refuse("epochs: must increase, got " + number(epochs_s[k] / kJulianYear_s) +
                   " years after " + number(epochs_s[k - 1] / kJulianYear_s) + " years");
        }
    }
}

/// to [epochs][width] += slip weights [epochs][fields] fields [fields][width].
void add_weighted_fields(std::span<const double> weights, const std::vector<double>& fields,
                         std::size_t width, double slip, std::span<double> to) {
    const std::size_t n_fields = fields.size() / width;
    for (std::size_t epoch = 0; epoch * width < to.size(); ++epoch) {
        double* row = to.data() + epoch * width;
        for (std::size_t field = 0; field < n_fields; ++field) {
            const double weight = slip * weights[epoch * n_fields + field];
            const double* of = fields.data() + field * width;
            for (std::size_t i = 0; i < width; ++i) {
                row[i] += weight * of[i];
            }
        }
    }
}

}  // namespace

Answers::Answers(io::GreensDataset dataset) : dataset_(std::move(dataset)) {
    dataset_.greens = {};  // of the reference alone, and the largest part of a dataset
    for (const io::GreensDataset::Reduced& reduced : dataset_.reduced) {
        stored_.emplace_back();
        if (!reduced.fields.empty() && reduced.matrices.range) {
            stored_.back() = stored_range(reduced.matrices);
            const StoredRange& of = stored_.back();
            if (range_.parameters.empty()) {
                range_ = of.range;
                end_s_ = of.certificate.end_s;
                tolerance_ = reduced.matrices.range->tolerance;
            } else if (of.range.parameters != range_.parameters || of.certificate.end_s != end_s_) {
                refuse("the dataset is damaged: its sources answer for different ranges");
            }
        }
    }
    if (range_.parameters.empty()) {
        refuse(
            "the dataset answers for no other viscosities: its request has none with a range "
            "(viscosity_pa_s: {from: ..., to: ...})");
    }
}

AnswerTimes Answers::times(std::span<const double> epochs_s,
                           const SourceTimeFunction& history) const {
    check_epochs(epochs_s, end_s_);
    return {epochs_s, history, fastest_per_s()};
}

AnswerTimes Answers::times(std::span<const double> epochs_s,
                           std::span<const AnswerTimes::Onset> onsets) const {
    check_epochs(epochs_s, end_s_);
    return {epochs_s, onsets, fastest_per_s()};
}

double Answers::fastest_per_s() const {
    double fastest = 0.0;
    for (const viscoelastic::Relaxation& relaxation : range_.at(range_.softest())) {
        fastest = std::max(fastest, relaxation.fastest_rate_per_s());
    }
    return fastest;
}

bool Answers::is_sum(std::size_t source) const {
    const auto& events = dataset_.events;
    return !events.empty() && std::ranges::find(events, dataset_.sources[source].id,
                                                &io::ScenarioEventRow::name) == events.end();
}

std::vector<double> Answers::rows(std::size_t source, Rheology relaxation,
                                  const AnswerTimes& times) const {
    const viscoelastic::ReducedModel& model = stored_[source].model;
    const std::vector<double> c =
        weighted_answers(model, relaxation, times.shifts(), times.weights(), times.slip().size());
    const auto n = static_cast<std::size_t>(model.n_basis);
    std::vector<double> result;
    for (std::size_t epoch = 0; epoch < times.slip().size(); ++epoch) {
        result.push_back(times.slip()[epoch]);
        result.insert(result.end(), c.begin() + std::ptrdiff_t(epoch * n),
                      c.begin() + std::ptrdiff_t((epoch + 1) * n));
    }
    return result;
}

std::vector<double> Answers::at(Rheology relaxation, std::span<const AnswerTimes> of_each,
                                Sources sources) const {
    const std::size_t width = 3 * dataset_.stations.size();
    const std::size_t each = of_each[0].slip().size() * width;
    std::vector<double> motion((sources.last - sources.first) * each, io::GreensDataset::kNone);
    const auto source = [&](std::int64_t place) {
        const std::size_t k = sources.first + static_cast<std::size_t>(place);
        if (!is_there(k)) {
            return;
        }
        const std::vector<double> weights = rows(k, relaxation, of(of_each, k));
        double* to = motion.data() + std::size_t(place) * each;
        std::fill_n(to, each, 0.0);
        add_weighted_fields(weights, dataset_.reduced[k].fields, width, 1.0, {to, each});
    };
    parallel_for(static_cast<std::int64_t>(sources.last - sources.first), source, 1);
    for (std::size_t k = sources.first; k < sources.last; ++k) {
        if (is_sum(k)) {
            std::vector<double> one(stored_.size(), 0.0);
            one[k] = 1.0;
            const std::vector<double> whole = sum(relaxation, of_each, one);
            std::ranges::copy(whole, motion.begin() + std::ptrdiff_t((k - sources.first) * each));
        }
    }
    return motion;
}

std::vector<double> Answers::sum(Rheology relaxation, std::span<const AnswerTimes> of_each,
                                 std::span<const double> slips_m) const {
    std::vector<double> slip_m(slips_m.begin(), slips_m.end());
    for (std::size_t k = 0; k < slip_m.size(); ++k) {
        if (is_sum(k)) {
            const double all = std::exchange(slip_m[k], 0.0);
            for (std::size_t event = 0; event < slip_m.size(); ++event) {
                slip_m[event] += event == k ? 0.0 : all;
            }
        }
    }
    const std::size_t n_epochs = of_each[0].slip().size();
    const std::size_t width = 3 * dataset_.stations.size();
    std::vector<std::vector<double>> weights(stored_.size());
    const auto source = [&](std::int64_t k) {
        if (slip_m[k] != 0.0 && is_there(k)) {
            weights[k] = rows(std::size_t(k), relaxation, of(of_each, std::size_t(k)));
        }
    };
    parallel_for(static_cast<std::int64_t>(stored_.size()), source, 1);
    std::vector<double> motion(n_epochs * width, 0.0);
    const auto epoch = [&](std::int64_t t) {
        const std::span<double> to(motion.data() + std::size_t(t) * width, width);
        for (std::size_t k = 0; k < stored_.size(); ++k) {
            if (slip_m[k] != 0.0 && !is_there(k)) {
                std::ranges::fill(to, io::GreensDataset::kNone);
            } else if (slip_m[k] != 0.0) {
                const std::size_t n_fields = 1 + static_cast<std::size_t>(stored_[k].model.n_basis);
                add_weighted_fields({weights[k].data() + std::size_t(t) * n_fields, n_fields},
                                    dataset_.reduced[k].fields, width, slip_m[k], to);
            }
        }
    };
    parallel_for(static_cast<std::int64_t>(n_epochs), epoch, 1);
    return motion;
}

double Answers::error(const viscoelastic::NamedRheology& rheology, Sources sources) const {
    std::vector<double> of(sources.last - sources.first, 0.0);
    const auto source = [&](std::int64_t place) {
        const std::size_t k = sources.first + static_cast<std::size_t>(place);
        if (is_there(k)) {
            of[place] = stored_[k].certificate.error(stored_[k].model, rheology.relaxation);
        }
    };
    parallel_for(static_cast<std::int64_t>(of.size()), source, 1);
    const double worst = of.empty() ? 0.0 : std::ranges::max(of);
    if (rheology.other_body && !(worst <= kMostOfOtherBody * tolerance_)) {
        std::ostringstream text;
        text << "the certified error of this body is " << worst
             << " of the largest change, must be at most " << kMostOfOtherBody * tolerance_ << " ("
             << kMostOfOtherBody
             << " tolerances of the solve): its moduli do not relax together as those of the "
                "request's bodies, for which it was solved; give the request that body";
        refuse(text.str());
    }
    return worst;
}

}  // namespace kaname::jobs
