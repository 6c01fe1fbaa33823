// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solvers/io/source_file.hpp"
#include "solvers/jobs/greens/source_time_function.hpp"
#include "solvers/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs {

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
