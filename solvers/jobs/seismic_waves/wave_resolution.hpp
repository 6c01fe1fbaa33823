// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::jobs {

/// Elements per wavelength with which waves lose 1.2 % of their amplitude over 30 wavelengths by
/// the dissipation of discontinuous Galerkin elements of degree N = order - 1 with upwind fluxes,
/// in one dimension (Ainsworth 2004, J. Comput. Phys. 198, 106-130): per element of length h
///   1/2 [N! / (2 N + 1)!]^2 (k h)^(2 N + 2),   k = 2 pi / wavelength.
/// Order 5 has 2.0, as is usual; orders 2 to 7 have 38, 7.3, 3.3, 2.0, 1.4, 1.1. Errors in phase
/// are smaller by an order in k h.
[[nodiscard]] double wanted_elements_per_wavelength(int order);

/// How well a mesh resolves waves of a frequency: in each tet, the length of the slowest wave (S,
/// or P in a liquid) over the longest edge.
struct WaveResolution {
    double wanted = 0.0, frequency_hz = 0.0;
    struct Worst {
        std::int64_t tet = 0;
        double per_wavelength = 0.0, edge_m = 0.0, speed_m_per_s = 0.0;
        Vec3 centroid;
    } worst;
    double mean = 0.0;          ///< of elements per wavelength over the volume
    double share_coarse = 0.0;  ///< part of the volume in tets below what is wanted
    /// Frequency up to which all tets have what is wanted.
    [[nodiscard]] double resolved_hz() const {
        return frequency_hz * worst.per_wavelength / wanted;
    }
};

/// Returns the speed of S waves, or of P waves in a liquid.
[[nodiscard]] double slowest_speed_m_per_s(const aderdg::Solid& solid);

[[nodiscard]] WaveResolution measure_resolution(const aderdg::WaveModel& model, double frequency_hz,
                                                double wanted);

/// Returns a note on the share of the volume that is coarse and the worst place; nothing where that
/// place has three quarters of the wanted resolution.
[[nodiscard]] std::optional<std::string> resolution_note(const WaveResolution& resolution);

/// Throws ValidationError (`field`) with the worst place below half of what is wanted: waves die
/// out within some wavelengths there.
void require_resolution(const WaveResolution& resolution, const std::string& field);

}  // namespace kaname::jobs
