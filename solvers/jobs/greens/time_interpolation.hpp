// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

namespace kaname::jobs {

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
