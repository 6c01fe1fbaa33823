// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::voxelwave {

/// How a source grows with time, s(t), of largest value 1.
class TimeFunction {
public:
    /// (1 - 2 a^2) exp(-a^2), a = pi f (t - centre).
    [[nodiscard]] static TimeFunction ricker(double frequency_hz, double centre_s);
    /// exp(-((t - centre) / width)^2 / 2).
    [[nodiscard]] static TimeFunction gaussian(double width_s, double centre_s);
    /// The impulse that has nothing but this band (ichimura2024, section 3):
    /// int cos(2 pi f (t - centre)) df / (to - from).
    [[nodiscard]] static TimeFunction band(double from_hz, double to_hz, double centre_s);
    /// Linear between rows, 0 before the first and after the last.
    [[nodiscard]] static TimeFunction table(std::vector<double> times_s,
                                            std::vector<double> values);
    // Each throws InvalidArgument naming a number that is not positive, or times that do not
    // increase.

    [[nodiscard]] double at(double t_s) const;
    /// Above this its spectrum has less than a thousandth of its largest value [Hz]; of a table
    /// half of its sampling.
    [[nodiscard]] double highest_hz() const;

private:
    enum class Kind { Ricker, Gaussian, Band, Table };
    explicit TimeFunction(Kind kind) : kind_(kind) {}
    Kind kind_;
    double a_ = 0.0, b_ = 0.0, centre_s_ = 0.0;
    std::vector<double> times_s_, values_;
};

}  // namespace kaname::voxelwave
