// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "solvers/io/source_file.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"
#include "worker/jobs/stage/greens_job.hpp"

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

/// From the fields of a result, by steps or by spectrum, to the motion at a dataset's epochs under
/// a source-time function. Where the spectrum did not reach its tolerance, results by steps of
/// their own are among those by spectrum.
class StepResponse {
public:
    /// Throws InvalidArgument naming an epoch outside the solved range.
    StepResponse(const Steps& steps, const SourceTimeFunction& history,
                 std::span<const double> epochs_s);

    /// fields [F][width] -> [epochs][width].
    [[nodiscard]] std::vector<double> motion(const io::SourceResult& result,
                                             std::span<const double> fields,
                                             std::size_t width) const;
    /// Returns the weights of the fields, [epochs][result.n_fields()].
    [[nodiscard]] std::vector<double> weights(const io::SourceResult& result) const;
    /// Returns the tractions of a force's result at the epochs; width numbers each ->
    /// [epochs][width].
    [[nodiscard]] std::vector<double> traction(const io::SourceResult& result,
                                               std::size_t width) const;
    /// Returns the weights of time steps that are yet to be solved, the coseismic one included.
    [[nodiscard]] std::vector<double> weights_by_steps(std::size_t n_steps) const;

private:
    /// Interpolates between the steps of a result; returns nothing for one by spectrum.
    [[nodiscard]] std::optional<TimeInterpolation> between_steps(
        const io::SourceResult& result) const;
    [[nodiscard]] std::span<const double> wanted_s() const { return step_ ? epochs_s_ : lag_s_; }
    /// rows: [epochs or lags][n_fields].
    [[nodiscard]] std::vector<double> convolve(std::vector<double> rows,
                                               std::size_t n_fields) const;

    std::vector<double> epochs_s_;
    bool step_;
    /// Parts of the convolution: those of epoch k are [first_part_[k], first_part_[k + 1]).
    std::vector<std::size_t> first_part_ = {0};
    std::vector<double> lag_s_, slip_;
    std::optional<TimeInterpolation> interpolation_;  ///< at the epochs, or at the lags
};

}  // namespace kaname::jobs
