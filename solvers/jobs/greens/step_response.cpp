// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/step_response.hpp"

#include "solvers/base/error.hpp"
#include "solvers/jobs/greens/reduced_record.hpp"

namespace kaname::jobs {

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
