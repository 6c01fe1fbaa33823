// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/step_response.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "solvers/base/error.hpp"
#include "worker/jobs/greens/reduced_record.hpp"

namespace kaname::jobs {
namespace {

constexpr double kForever_s = std::numeric_limits<double>::infinity();
// Three Gauss points on [0, 1].
constexpr double kPoint[3] = {0.5 - 0.3872983346207417, 0.5, 0.5 + 0.3872983346207417};
constexpr double kWeight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

}  // namespace

SourceTimeFunction::SourceTimeFunction(const SlipHistory& history, double end_s) {
    switch (history.kind) {
        case HistoryKind::Step:
            jumps_.push_back({0.0, 1.0});
            break;
        case HistoryKind::Ramp:
            pieces_.push_back({0.0, history.duration_s, 0.0, 1.0});
            break;
        case HistoryKind::Steady:
            pieces_.push_back({0.0, end_s, 0.0, end_s / history.duration_s});
            break;
        case HistoryKind::Exponential:
            time_constant_s_ = history.time_constant_s;
            pieces_.push_back({0.0, kForever_s, 0.0, 1.0, Shape::Exponential});
            break;
        case HistoryKind::Logarithmic:
            time_constant_s_ = history.time_constant_s;
            scale_ = 1.0 / std::log1p(end_s / time_constant_s_);
            pieces_.push_back({0.0, kForever_s, 0.0, kForever_s, Shape::Logarithmic});
            break;
        case HistoryKind::Table:
            set_rows(history);
            break;
    }
}

void SourceTimeFunction::set_rows(const SlipHistory& history) {
    jumps_.push_back({history.times_s.front(), history.slip.front()});
    for (std::size_t k = 1; k < history.times_s.size(); ++k) {
        if (history.times_s[k] > history.times_s[k - 1]) {
            pieces_.push_back(
                {history.times_s[k - 1], history.times_s[k], history.slip[k - 1], history.slip[k]});
        } else {
            jumps_.push_back({history.times_s[k], history.slip[k] - history.slip[k - 1]});
        }
    }
}

bool SourceTimeFunction::is_step() const {
    return pieces_.empty() && jumps_.size() == 1 && jumps_[0].at_s == 0.0 && jumps_[0].slip == 1.0;
}

double SourceTimeFunction::slip_of(const Piece& piece, double t_s) const {
    const double age_s = t_s - piece.begin_s;
    switch (piece.shape) {
        case Shape::Exponential:
            return -std::expm1(-age_s / time_constant_s_);
        case Shape::Logarithmic:
            return scale_ * std::log1p(age_s / time_constant_s_);
        default:
            return piece.begin_slip +
                   (piece.end_slip - piece.begin_slip) * age_s / (piece.end_s - piece.begin_s);
    }
}

/// Inverse of slip_of; on a linear piece, which may be level, `share` of the way.
double SourceTimeFunction::time_of(const Piece& piece, double begin_s, double end_s, double slip,
                                   double share) const {
    switch (piece.shape) {
        case Shape::Exponential:
            return piece.begin_s - time_constant_s_ * std::log1p(-slip);
        case Shape::Logarithmic:
            return piece.begin_s + time_constant_s_ * std::expm1(slip / scale_);
        default:
            return begin_s + share * (end_s - begin_s);
    }
}

double SourceTimeFunction::at(double t_s) const {
    double slip = 0.0;
    for (const Jump& jump : jumps_) {
        slip += jump.at_s <= t_s ? jump.slip : 0.0;
    }
    for (const Piece& piece : pieces_) {
        if (t_s > piece.begin_s) {
            slip += slip_of(piece, std::min(t_s, piece.end_s)) - piece.begin_slip;
        }
    }
    return slip;
}

std::vector<SourceTimeFunction::Part> SourceTimeFunction::parts(
    double t_s, std::span<const double> response_times_s) const {
    std::vector<Part> parts;
    for (const Jump& jump : jumps_) {
        if (jump.at_s <= t_s) {
            parts.push_back({t_s - jump.at_s, jump.slip});
        }
    }
    for (const Piece& piece : pieces_) {
        const double last_s = std::min(piece.end_s, t_s);
        std::vector<double> kinks = {piece.begin_s, last_s};
        for (const double lag_s : response_times_s) {
            if (t_s - lag_s > piece.begin_s && t_s - lag_s < last_s) {
                kinks.push_back(t_s - lag_s);
            }
        }
        std::sort(kinks.begin(), kinks.end());
        for (std::size_t k = 1; k < kinks.size() && piece.begin_s < last_s; ++k) {
            const double from = slip_of(piece, kinks[k - 1]);
            const double grown = slip_of(piece, kinks[k]) - from;
            for (int point = 0; point < 3; ++point) {
                const double when_s = time_of(piece, kinks[k - 1], kinks[k],
                                              from + kPoint[point] * grown, kPoint[point]);
                parts.push_back({std::clamp(t_s - when_s, 0.0, t_s), kWeight[point] * grown});
            }
        }
    }
    return parts;
}

TimeInterpolation::TimeInterpolation(std::span<const double> steps_s,
                                     std::span<const double> epochs_s) {
    const std::size_t count = std::min<std::size_t>(4, steps_s.size());
    constexpr double kRounding = 1e-9;
    for (const double epoch : epochs_s) {
        if (steps_s.size() == 1) {
            stencils_.push_back({0, {1.0}});
            continue;
        }
        const double slack = kRounding * steps_s.back();
        if (epoch < steps_s.front() - slack || epoch > steps_s.back() + slack) {
            throw Error(ErrorCode::InvalidArgument,
                        "time.epochs_s must lie in the solved range 0.." +
                            std::to_string(steps_s.back()) + " s, got " + std::to_string(epoch));
        }
        const auto after = static_cast<std::size_t>(
            std::upper_bound(steps_s.begin(), steps_s.end(), epoch) - steps_s.begin());
        const std::size_t first =
            std::min(after > count / 2 ? after - count / 2 : 0, steps_s.size() - count);
        // Lagrange weights: w_k = prod_(j != k) (t - t_j) / (t_k - t_j)
        std::vector<double> weights(count, 1.0);
        for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t j = 0; j < count; ++j) {
                if (j != k) {
                    weights[k] *=
                        (epoch - steps_s[first + j]) / (steps_s[first + k] - steps_s[first + j]);
                }
            }
        }
        stencils_.push_back({first, std::move(weights)});
    }
}

std::vector<double> TimeInterpolation::apply(std::span<const double> values,
                                             std::size_t width) const {
    std::vector<double> result(stencils_.size() * width, 0.0);
    for (std::size_t epoch = 0; epoch < stencils_.size(); ++epoch) {
        const Stencil& stencil = stencils_[epoch];
        for (std::size_t k = 0; k < stencil.weights.size(); ++k) {
            const double* row = values.data() + (stencil.first + k) * width;
            for (std::size_t i = 0; i < width; ++i) {
                result[epoch * width + i] += stencil.weights[k] * row[i];
            }
        }
    }
    return result;
}

std::vector<double> TimeInterpolation::rows(std::size_t n_steps) const {
    std::vector<double> result(stencils_.size() * n_steps, 0.0);
    for (std::size_t epoch = 0; epoch < stencils_.size(); ++epoch) {
        const Stencil& stencil = stencils_[epoch];
        std::copy(stencil.weights.begin(), stencil.weights.end(),
                  result.begin() + static_cast<std::ptrdiff_t>(epoch * n_steps + stencil.first));
    }
    return result;
}

StepResponse::StepResponse(const Steps& steps, const SourceTimeFunction& history,
                           std::span<const double> epochs_s)
    : epochs_s_(epochs_s.begin(), epochs_s.end()), step_(history.is_step()) {
    const std::vector<double> times_s = steps.grid.times_s();
    for (std::size_t epoch = 0; epoch < epochs_s_.size() && !step_; ++epoch) {
        for (const auto& part : history.parts(epochs_s_[epoch], times_s)) {
            lag_s_.push_back(part.lag_s);
            slip_.push_back(part.slip);
        }
        first_part_.push_back(lag_s_.size());
    }
    if (!steps.spectrum) {
        interpolation_.emplace(times_s, step_ ? epochs_s_ : lag_s_);
    }
}

std::optional<TimeInterpolation> StepResponse::between_steps(const io::SourceResult& result) const {
    if (interpolation_ || result.by_spectrum()) {
        return interpolation_;
    }
    return TimeInterpolation(result.step_time_s, wanted_s());
}

std::vector<double> StepResponse::motion(const io::SourceResult& result,
                                         std::span<const double> fields, std::size_t width) const {
    if (step_) {
        const auto steps = between_steps(result);
        return steps ? steps->apply(fields, width)
                     : motion_at(result.reduced, fields, width, epochs_s_);
    }
    // A convolution has hundreds of parts, each as wide as the stations: weights of the fields
    // first.
    const std::size_t n_fields = result.n_fields();
    const std::vector<double> weight = weights(result);
    std::vector<double> motion(epochs_s_.size() * width, 0.0);
    for (std::size_t epoch = 0; epoch < epochs_s_.size(); ++epoch) {
        for (std::size_t field = 0; field < n_fields; ++field) {
            const double w = weight[epoch * n_fields + field];
            for (std::size_t k = 0; k < width && w != 0.0; ++k) {
                motion[epoch * width + k] += w * fields[field * width + k];
            }
        }
    }
    return motion;
}

std::vector<double> StepResponse::weights(const io::SourceResult& result) const {
    const auto steps = between_steps(result);
    return convolve(steps ? steps->rows(result.n_fields()) : field_rows(result.reduced, wanted_s()),
                    result.n_fields());
}

std::vector<double> StepResponse::traction(const io::SourceResult& result,
                                           std::size_t width) const {
    const std::size_t n = result.n_fields() * (1 + result.fault_groups.size());
    if (result.fault_response.size() != n * width) {
        throw Error(ErrorCode::InvalidArgument, "the result of force '" + result.source_id +
                                                    "' must have " + std::to_string(n * width) +
                                                    " numbers on this fault, has " +
                                                    std::to_string(result.fault_response.size()));
    }
    const auto steps = between_steps(result);
    const std::vector<double> weight = convolve(
        steps ? steps->rows(n) : fault_rows(result.reduced, result.fault_groups, wanted_s()), n);
    std::vector<double> traction(epochs_s_.size() * width, 0.0);
    for (std::size_t epoch = 0; epoch < epochs_s_.size(); ++epoch) {
        for (std::size_t field = 0; field < n; ++field) {
            const double w = weight[epoch * n + field];
            for (std::size_t k = 0; k < width && w != 0.0; ++k) {
                traction[epoch * width + k] += w * result.fault_response[field * width + k];
            }
        }
    }
    return traction;
}

std::vector<double> StepResponse::weights_by_steps(std::size_t n_steps) const {
    return convolve(interpolation_->rows(n_steps), n_steps);
}

std::vector<double> StepResponse::convolve(std::vector<double> rows, std::size_t n_fields) const {
    if (step_) {
        return rows;
    }
    std::vector<double> weights(epochs_s_.size() * n_fields, 0.0);
    for (std::size_t epoch = 0; epoch < epochs_s_.size(); ++epoch) {
        double* to = weights.data() + epoch * n_fields;
        for (std::size_t part = first_part_[epoch]; part < first_part_[epoch + 1]; ++part) {
            for (std::size_t field = 0; field < n_fields; ++field) {
                to[field] += slip_[part] * rows[part * n_fields + field];
            }
        }
    }
    return weights;
}

}  // namespace kaname::jobs
