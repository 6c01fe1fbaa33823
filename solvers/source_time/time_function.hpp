// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <vector>

namespace kaname::source_time {

/// Smoothing of a Yoffe function, as a part of its rise time, where nothing else is said.
inline constexpr double kYoffeSmoothing = 0.1;

/// From and until when something is there [s]; either may be infinite.
struct Span {
    double from_s = 0.0, until_s = 0.0;
};

/// How a source goes with time, s(t), of largest value 1 (but of a table).
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
    // The following are 0 until the onset; x = t - onset.
    /// 2 x / T up to x = T / 2, back to 0 at T, the duration.
    [[nodiscard]] static TimeFunction triangle(double duration_s, double onset_s);
    /// (1 - cos(2 pi x / T)) / 2 until x = T, the duration.
    [[nodiscard]] static TimeFunction cosine(double duration_s, double onset_s);
    /// x / tau exp(1 - x / tau): the moment rate of Brune (1970), corner frequency 1 / (2 pi tau).
    [[nodiscard]] static TimeFunction brune(double tau_s, double onset_s);
    /// Regularised Yoffe function (Tinti et al. 2005, BSSA 95): sqrt((tau_r - x) / x) convolved
    /// with a triangle of duration 2 tau_s. rise_s is the whole duration, tau_r + 2 tau_s, and
    /// smoothing_s is tau_s; the peak is about 1.3 tau_s after the onset.
    [[nodiscard]] static TimeFunction yoffe(double rise_s, double smoothing_s, double onset_s);
    /// exp((x - T)^2 / (x (x - 2 T))) until x = T, the duration, and 1 from there: the smooth step
    /// of SCEC's benchmarks TPV101 and later.
    [[nodiscard]] static TimeFunction smoothed_step(double duration_s, double onset_s);
    // Each throws InvalidArgument naming a number that is not positive, times that do not
    // increase, a rise_s that is not above 2 smoothing_s.

    /// Returns the function delayed by by_s.
    [[nodiscard]] TimeFunction later(double by_s) const;

    [[nodiscard]] double at(double t_s) const;
    /// Integral of s over all times [s]: 0 for a Ricker pulse and a band that does not begin at
    /// 0 Hz, infinite for a step.
    [[nodiscard]] double area() const;
    /// Returns the growth of a moment per second, as a part of itself [1/s]: s / area; for a step
    /// its derivative. Functions without an area (below a millionth of that of |s|) leave no
    /// moment: for them it is s as it stands.
    [[nodiscard]] double moment_rate_at(double t_s) const;
    /// Returns the part of a moment that is reached at t, the integral of moment_rate_at up to
    /// there: 1 in the end [1]; of functions without an area 0 in the end [s].
    [[nodiscard]] double moment_at(double t_s) const;
    /// Above this its spectrum (of a step the derivative's) has less than a thousandth of its
    /// largest value [Hz]; of a table half of its sampling.
    [[nodiscard]] double highest_hz() const;
    /// Outside of these |s| and the moment rate stay below 1e-9 of their largest values.
    [[nodiscard]] Span span() const;
    [[nodiscard]] Span moment_rate_span() const;

private:
    enum class Kind { Ricker, Gaussian, Band, Table, Triangle, Cosine, Brune, Yoffe, SmoothedStep };
    explicit TimeFunction(Kind kind) : kind_(kind) {}
    /// A pulse of a duration, or of a time constant, from an onset on.
    static TimeFunction pulse(Kind kind, const char* name, double length_s, double onset_s);
    [[nodiscard]] double table_at(double t_s) const;
    /// Integral of s up to t [s]; not of steps.
    [[nodiscard]] double integral_at(double t_s) const;
    [[nodiscard]] double table_integral_at(double t_s) const;
    [[nodiscard]] std::size_t row_before(double t_s) const;
    void set_moment_scale();

    Kind kind_;
    double a_ = 0.0, b_ = 0.0;                      ///< parameters in the order of the makers
    double centre_s_ = 0.0;                         ///< or onset
    double peak_ = 1.0;                             ///< of the unscaled function
    double per_area_ = 1.0;                         ///< moment rate / s
    std::vector<double> times_s_, values_, areas_;  ///< areas_: up to each row [s]
};

/// Regularised Yoffe function of unit area [1/s], x seconds after its onset: with the Yoffe
/// function
///   Y(x) = 2 / (pi tau_r) sqrt((tau_r - x) / x)
/// convolved with a triangle of unit area and duration 2 tau_s, which is the second difference
///   (Y2(x) - 2 Y2(x - tau_s) + Y2(x - 2 tau_s)) / tau_s^2,   Y2 = int int Y
/// (the same as the cases of Tinti et al. 2005, appendix).
[[nodiscard]] double yoffe_rate(double tau_r_s, double tau_s_s, double x_s);

/// Its integral from the onset to x_s [1].
[[nodiscard]] double yoffe_slip(double tau_r_s, double tau_s_s, double x_s);

/// Its largest value [1/s].
[[nodiscard]] double yoffe_peak(double tau_r_s, double tau_s_s);

}  // namespace kaname::source_time
