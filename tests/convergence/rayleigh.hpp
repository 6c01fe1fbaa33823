// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "solvers/voxelwave/slab.hpp"
#include "solvers/voxelwave/voxel_model.hpp"

namespace kaname::convergence {

/// c_R/c_s of a free surface: (2 - x^2)^2 = 4 sqrt(1 - x^2) sqrt(1 - x^2 c_s^2/c_p^2), by halving.
inline double rayleigh_speed(double poisson) {
    const double ratio2 = (1.0 - 2.0 * poisson) / (2.0 - 2.0 * poisson);
    double low = 0.5, high = 1.0;
    for (int k = 0; k < 60; ++k) {
        const double x2 = 0.25 * (low + high) * (low + high);
        const double f =
            (2.0 - x2) * (2.0 - x2) - 4.0 * std::sqrt((1.0 - x2) * (1.0 - ratio2 * x2));
        (f < 0.0 ? low : high) = std::sqrt(x2);
    }
    return 0.5 * (low + high);
}

/// A packet of Rayleigh waves on the surface z = 0, z down: exp(-((x - start)/0.8)^2 / 2) of a wave
/// of length 1, in a solid with c_s = 1. Of each wavenumber k, with theta = k (x - c t) and q, s =
/// sqrt(1 - c^2/c_p^2), sqrt(1 - c^2/c_s^2), b = 2 q/(1 + s^2),
///   u_x = (s b e^-skz - e^-qkz) sin theta,   u_z = (b e^-skz - q e^-qkz) cos theta.
class RayleighPacket {
public:
    RayleighPacket(double poisson, double start)
        : c_p(std::sqrt((2.0 - 2.0 * poisson) / (1.0 - 2.0 * poisson))),
          c_r(rayleigh_speed(poisson)),
          start_(start),
          q_(std::sqrt(1.0 - c_r * c_r / (c_p * c_p))),
          s_(std::sqrt(1.0 - c_r * c_r)),
          b_(2.0 * q_ / (1.0 + s_ * s_)) {}

    [[nodiscard]] voxelwave::NodeField<double> at(const voxelwave::VoxelModel& model,
                                                  double t) const {
        voxelwave::NodeField<double> field(model.nodes(), 1);
        const auto [nx, ny, nz] = model.nodes();
        for (int z = 0; z < nz; ++z) {
            for (int x = 0; x < nx; ++x) {
                const auto [along, down] =
                    displacement(x * model.ds_m - start_ - c_r * t, z * model.ds_m);
                for (int y = 0; y < ny; ++y) {
                    field.of(0, x, y, z, 0) = along;
                    field.of(2, x, y, z, 0) = down;
                }
            }
        }
        return field;
    }

    static constexpr double kWavenumber = 2.0 * std::numbers::pi;
    const double c_p, c_r;

private:
    static constexpr double kSpread = 0.8;

    [[nodiscard]] std::array<double, 2> displacement(double x, double z) const {
        constexpr int kWaves = 20;  // at either side of the centre, to five standard deviations
        std::array<double, 2> u{};
        for (int wave = -kWaves; wave <= kWaves; ++wave) {
            const double off = 5.0 * wave / kWaves, k = kWavenumber + off / kSpread;
            const double size = std::exp(-0.5 * off * off);
            const double p_part = std::exp(-q_ * k * z), s_part = b_ * std::exp(-s_ * k * z);
            u[0] += size * (s_ * s_part - p_part) * std::sin(k * x);
            u[1] += size * (s_part - q_ * p_part) * std::cos(k * x);
        }
        return u;
    }

    double start_, q_, s_, b_;
};

}  // namespace kaname::convergence
