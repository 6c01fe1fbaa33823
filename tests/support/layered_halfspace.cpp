// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/layered_halfspace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "tests/support/gauss_legendre.hpp"

namespace kaname::test {
namespace {

using Complex = std::complex<double>;
using Values = std::array<double, SurfaceMotion::kParts>;

constexpr double kPi = std::numbers::pi;
constexpr double kDeepest = 32.0;  ///< exp(-k z) beyond is nothing
constexpr int kTalbot = 16;        ///< points: 1e-9.6 of the contour, 1e-9.6 of rounding
constexpr int kOctaves = 13;       ///< below the largest wavenumber, each with
constexpr int kSamples = 16;       ///< Chebyshev points of the half-space's motion

/// exp(s t)/s weights of the inverse Laplace transform of f(s)/s at t.
std::vector<std::pair<Complex, Complex>> contour(double t_s) {
    std::vector<std::pair<Complex, Complex>> points;
    const double r = 2.0 * kTalbot / (5.0 * t_s);
    points.emplace_back(r, 0.5 * std::exp(r * t_s) / kTalbot);
    for (int n = 1; n < kTalbot; ++n) {
        const double theta = n * kPi / kTalbot;
        const double cot = 1.0 / std::tan(theta);
        const Complex s = r * theta * Complex(cot, 1.0);
        const Complex slope(1.0, theta + (theta * cot - 1.0) * cot);
        points.emplace_back(s, r / kTalbot * std::exp(s * t_s) * slope / s);
    }
    return points;
}

Values motion_at(const LayeredMedium& medium, double k, double depth_m, double t_s) {
    Values values{};
    if (t_s == 0.0) {
        const SurfaceMotion motion = LayeredWaves(medium, k, std::nullopt).surface_motion(depth_m);
        std::ranges::transform(motion.of, values.begin(), [](Complex v) { return v.real(); });
        return values;
    }
    for (const auto& [s, weight] : contour(t_s)) {
        const SurfaceMotion motion = LayeredWaves(medium, k, s).surface_motion(depth_m);
        for (int part = 0; part < SurfaceMotion::kParts; ++part) {
            values[part] += (weight * motion.of[part]).real();
        }
    }
    return values;
}

/// J_0 to J_3.
std::array<double, 4> bessel(double x) {
    std::array<double, 4> j = {::j0(x), ::j1(x), 0.0, 0.0};
    if (std::abs(x) < 4.0) {  // forward recurrence would cancel
        j[2] = ::jn(2, x);
        j[3] = ::jn(3, x);
    } else {
        j[2] = 2.0 / x * j[1] - j[0];
        j[3] = 4.0 / x * j[2] - j[1];
    }
    return j;
}

}  // namespace

/// Motion of the surface around a source at one depth, by distance: the three components, of the
/// azimuthal orders 0 to 2, on rings r = depth sinh(x) with even steps of x, on which it is smooth.
class LayeredHalfspace::Rings {
public:
    enum Component { Down0, Out0, Down1, Out1, Round1, Down2, Out2, Round2, kComponents };
    using Motion = std::array<double, kComponents>;

    Rings(const LayeredHalfspace& medium, double depth_m)
        : depth_m_(depth_m), n_times_(medium.times_s_.size()) {
        const auto n =
            static_cast<std::size_t>(std::asinh(medium.reach_m_ / depth_m) / kStep + kOrder + 2);
        motion_.resize(n * n_times_);
        const double k_max = kDeepest / depth_m;
        const double period = 2.0 * kPi / (medium.reach_m_ + depth_m);
        double low = 0.0;
        for (int octave = kOctaves; octave >= 0; --octave) {
            const double high = k_max * std::ldexp(1.0, -octave);
            add(medium, low, high, period);
            low = high;
        }
    }

    [[nodiscard]] Motion at(double r_m, std::size_t time) const {
        const double x = std::asinh(r_m / depth_m_) / kStep + kBefore;
        const auto first = static_cast<std::size_t>(x) - kBefore;
        Motion motion{};
        for (int i = 0; i < kOrder; ++i) {
            double weight = 1.0;
            for (int j = 0; j < kOrder; ++j) {
                weight *= j == i ? 1.0 : (x - double(first) - j) / (i - j);
            }
            for (int c = 0; c < kComponents; ++c) {
                motion[c] += weight * motion_[(first + i) * n_times_ + time][c];
            }
        }
        return motion;
    }

private:
    static constexpr double kStep = 0.1;
    static constexpr int kOrder = 8;                ///< points of Lagrange's interpolation
    static constexpr int kBefore = kOrder / 2 - 1;  ///< points before the place

    /// The integral over wavenumbers low to high: the medium's motion at Chebyshev points, its
    /// interpolant at Gauss points, eight for each `period` of the farthest Bessel function.
    void add(const LayeredHalfspace& medium, double low, double high, double period) {
        std::array<double, kSamples> nodes;
        std::vector<Values> known(kSamples * n_times_);
        for (int i = 0; i < kSamples; ++i) {
            nodes[i] = std::cos(kPi * (i + 0.5) / kSamples);
            const double k = 0.5 * (low + high) + 0.5 * (high - low) * nodes[i];
            for (std::size_t time = 0; time < n_times_; ++time) {
                known[i * n_times_ + time] =
                    motion_at(medium.medium_, k, depth_m_, medium.times_s_[time]);
            }
        }
        const int panels = static_cast<int>((high - low) / period) + 1;
        const double width = (high - low) / panels;
        for (int panel = 0; panel < panels; ++panel) {
            for (const auto& [k, weight] :
                 gauss_legendre(8, low + panel * width, low + (panel + 1) * width)) {
                std::vector<Values> values(n_times_);
                double total = 0.0;
                for (int i = 0; i < kSamples; ++i) {
                    const double x = (2.0 * k - low - high) / (high - low);
                    const double share = (i % 2 == 0 ? 1.0 : -1.0) *
                                         std::sin(kPi * (i + 0.5) / kSamples) / (x - nodes[i]);
                    total += share;
                    for (std::size_t time = 0; time < n_times_; ++time) {
                        for (int part = 0; part < SurfaceMotion::kParts; ++part) {
                            values[time][part] += share * known[i * n_times_ + time][part];
                        }
                    }
                }
                add_wavenumber(k, weight * k / (2.0 * kPi * total), values);
            }
        }
    }

    /// Hankel transforms, with J_m' = (J_(m-1) - J_(m+1))/2 and m J_m/x = (J_(m-1) + J_(m+1))/2.
    void add_wavenumber(double k, double weight, const std::vector<Values>& values) {
        for (std::size_t ring = 0; ring * n_times_ < motion_.size(); ++ring) {
            const double r = depth_m_ * std::sinh((double(ring) - kBefore) * kStep);
            const auto j = bessel(k * r);
            const double slope1 = 0.5 * (j[0] - j[2]), ratio1 = 0.5 * (j[0] + j[2]);
            const double slope2 = 0.5 * (j[1] - j[3]), ratio2 = 0.5 * (j[1] + j[3]);
            for (std::size_t time = 0; time < n_times_; ++time) {
                const Values& of = values[time];
                Motion& to = motion_[ring * n_times_ + time];
                using S = SurfaceMotion;
                to[Down0] += weight * of[S::U0] * j[0];
                to[Out0] += weight * of[S::V0] * j[1];
                to[Down1] -= weight * of[S::U1] * j[1];
                to[Out1] += weight * (of[S::V1] * slope1 + of[S::W1] * ratio1);
                to[Round1] += weight * (of[S::V1] * ratio1 + of[S::W1] * slope1);
                to[Down2] -= weight * of[S::U2] * j[2];
                to[Out2] += weight * (of[S::V2] * slope2 - of[S::W2] * ratio2);
                to[Round2] += weight * (of[S::V2] * ratio2 - of[S::W2] * slope2);
            }
        }
    }

    double depth_m_;
    std::size_t n_times_;
    std::vector<Motion> motion_;  ///< [ring][time]; the first rings are mirrored ones, r < 0
};

namespace {

/// Gauss points over [low, high] whose integrand has kinks at `kinks`, none farther than about its
/// `depth` from the next; with the weights of slip that falls off over `ramp` around the edges.
std::vector<GaussPoint> edge_to_edge(double low, double high, double ramp, double depth,
                                     std::vector<double> kinks) {
    for (const double edge : {low, high}) {
        kinks.push_back(edge - 0.5 * ramp);
        kinks.push_back(edge + 0.5 * ramp);
    }
    std::ranges::sort(kinks);
    std::vector<GaussPoint> points;
    for (std::size_t piece = 0; piece + 1 < kinks.size(); ++piece) {
        const double a = std::max(kinks[piece], low - 0.5 * ramp);
        const double b = std::min(kinks[piece + 1], high + 0.5 * ramp);
        if (b - a <= 1e-9 * (high - low)) {
            continue;
        }
        const int panels = static_cast<int>((b - a) / (2.0 * depth)) + 1;
        for (int panel = 0; panel < panels; ++panel) {
            const double width = (b - a) / panels;
            for (auto [x, weight] : gauss_legendre(8, a + panel * width, a + (panel + 1) * width)) {
                const double inside = std::min(x - low, high - x) + 0.5 * ramp;
                points.push_back({x, ramp > 0.0 ? weight * std::min(1.0, inside / ramp) : weight});
            }
        }
    }
    return points;
}

}  // namespace

LayeredHalfspace::LayeredHalfspace(LayeredMedium medium, std::vector<double> times_s,
                                   double reach_m)
    : medium_(std::move(medium)), times_s_(std::move(times_s)), reach_m_(reach_m) {}

std::vector<std::vector<Vec3>> LayeredHalfspace::displacement(const OkadaFault& fault,
                                                              const OkadaSlip& slip,
                                                              std::span<const Vec3> places,
                                                              const SlipRamp& ramp) const {
    // Vectors in (north, east, down): along strike, down the dip, normal to the hanging wall.
    const double ss = std::sin(fault.strike_rad), cs = std::cos(fault.strike_rad);
    const double sd = std::sin(fault.dip_rad), cd = std::cos(fault.dip_rad);
    const std::array<double, 3> along = {cs, ss, 0.0}, down = {-ss * cd, cs * cd, sd},
                                normal = {-ss * sd, cs * sd, -cd};
    const auto potency = [&](int i, int j) {
        const auto moved = [&](int c) { return slip.strike * along[c] - slip.dip * down[c]; };
        return moved(i) * normal[j] + moved(j) * normal[i];
    };
    const double Pxx = potency(0, 0), Pyy = potency(1, 1), Pzz = potency(2, 2);
    const double Pxy = potency(0, 1), Pxz = potency(0, 2), Pyz = potency(1, 2);

    const double top_m = -fault.top_centre.z;
    std::vector<double> interfaces;
    for (const MaxwellLayer& layer : medium_.layers) {
        interfaces.push_back((layer.bottom_m - top_m) / sd);
    }
    std::vector<std::vector<Vec3>> moved(places.size(), std::vector<Vec3>(times_s_.size()));
    for (const auto& [eta, row_weight] :
         edge_to_edge(0.0, fault.width_m, ramp.dip_m, top_m - 0.5 * ramp.dip_m * sd,
                      std::move(interfaces))) {
        const double depth_m = top_m + eta * sd;
        const Rings rings(*this, depth_m);
        for (const auto& [xi, weight] : edge_to_edge(-0.5 * fault.length_m, 0.5 * fault.length_m,
                                                     ramp.strike_m, depth_m, {})) {
            const double north = fault.top_centre.y + xi * along[0] + eta * down[0];
            const double east = fault.top_centre.x + xi * along[1] + eta * down[1];
            for (std::size_t place = 0; place < places.size(); ++place) {
                const double x = places[place].y - north, y = places[place].x - east;
                const double r = std::hypot(x, y);
                const double c = r > 0.0 ? x / r : 1.0, s = r > 0.0 ? y / r : 0.0;
                const double c2 = c * c - s * s, s2 = 2.0 * s * c;
                const double of1 = c * Pxz + s * Pyz, round1 = -s * Pxz + c * Pyz;
                const double of2 = 0.5 * (Pxx - Pyy) * c2 + Pxy * s2;
                const double round2 = -0.5 * (Pxx - Pyy) * s2 + Pxy * c2;
                for (std::size_t time = 0; time < times_s_.size(); ++time) {
                    const Rings::Motion m = rings.at(r, time);
                    const double out =
                        m[Rings::Out0] * Pzz + m[Rings::Out1] * of1 + m[Rings::Out2] * of2;
                    const double round = m[Rings::Round1] * round1 + m[Rings::Round2] * round2;
                    const double down_z =
                        m[Rings::Down0] * Pzz + m[Rings::Down1] * of1 + m[Rings::Down2] * of2;
                    moved[place][time] =
                        moved[place][time] +
                        row_weight * weight *
                            Vec3{out * s + round * c, out * c - round * s, -down_z};
                }
            }
        }
    }
    return moved;
}

}  // namespace kaname::test
