// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/source_time_function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace kaname::jobs
