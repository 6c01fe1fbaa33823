// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <span>
#include <vector>

#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::jobs {

/// How unit slip grows with time, s(t) >= 0 before it starts 0. The medium is linear, so the motion
/// is a convolution of the step response U with its rate:
///   u(t) = sum_jumps ds_j U(t - t_j) + int s'(t') U(t - t') dt'
class SourceTimeFunction {
public:
    /// `end_s`: a logarithmic history reaches 1 there, a steady one goes on until then.
    SourceTimeFunction(const SlipHistory& history, double end_s);

    /// All slip at once at t = 0.
    [[nodiscard]] bool is_step() const;
    /// Slip after the jumps at t.
    [[nodiscard]] double at(double t_s) const;

    struct Part {
        double lag_s;  ///< age of the slip
        double slip;
    };
    /// The convolution for time t as a sum: u(t) = sum slip U(lag). Three Gauss points in slip
    /// between neighbouring kinks, of the history or of U (`response_times_s`, ascending: between
    /// them U is smooth).
    [[nodiscard]] std::vector<Part> parts(double t_s,
                                          std::span<const double> response_times_s) const;

private:
    enum class Shape { Linear, Exponential, Logarithmic };
    struct Piece {
        double begin_s, end_s;
        double begin_slip, end_slip;
        Shape shape = Shape::Linear;
    };
    struct Jump {
        double at_s, slip;
    };
    void set_rows(const SlipHistory& history);
    [[nodiscard]] double slip_of(const Piece& piece, double t_s) const;
    [[nodiscard]] double time_of(const Piece& piece, double begin_s, double end_s, double slip,
                                 double share) const;

    std::vector<Piece> pieces_;
    std::vector<Jump> jumps_;
    double time_constant_s_ = 1.0;
    double scale_ = 1.0;  ///< factor of the logarithm: it reaches 1 at the end
};

/// Values at output epochs from values at uniform steps: the cubic through the four nearest steps
/// (fewer when there are fewer), exact at the steps. Steps a fifth of the shortest relaxation time
/// apart leave an error near 1e-5 of the change.
class TimeInterpolation {
public:
    /// Throws InvalidArgument naming an epoch before the first or after the last step. With one
    /// step (nothing relaxes) every epoch takes its value.
    TimeInterpolation(std::span<const double> steps_s, std::span<const double> epochs_s);

    /// values [steps][width] -> [epochs][width].
    [[nodiscard]] std::vector<double> apply(std::span<const double> values,
                                            std::size_t width) const;

    /// The weights themselves, [epochs][steps].
    [[nodiscard]] std::vector<double> rows(std::size_t n_steps) const;

private:
    struct Stencil {
        std::size_t first;
        std::vector<double> weights;
    };
    std::vector<Stencil> stencils_;
};

}  // namespace kaname::jobs
