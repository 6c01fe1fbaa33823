// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/earth/structure.hpp"
#include "solvers/earth/volume_model.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::jobs {

/// Speed that wavelengths in a material come from [m/s]: that of S waves, P waves in a liquid.
[[nodiscard]] double slowest_m_per_s(const earth::Material& material);
[[nodiscard]] double fastest_m_per_s(const earth::Material& material);

/// Slowest and fastest waves in each volume, over the materials that vertical lines meet.
struct VolumeSpeeds {
    double slowest_m_per_s = 0.0, fastest_m_per_s = 0.0;  ///< 0: the volume is nowhere
};
[[nodiscard]] std::vector<VolumeSpeeds> speeds_of_volumes(const earth::VolumeModel& model);

/// Size to ask the mesher for, so that no edge of its lattice is longer than `edge_m`.
[[nodiscard]] double size_for_edge_m(double edge_m);

/// Roots of the octree (VolumeMeshParams::roots) for a model of level surfaces alone: those with
/// the fewest updates per second of signal. Interfaces that lie on lattice planes, or half-way
/// between, leave better elements than those that are met by moving vertices and cutting.
[[nodiscard]] std::array<std::int32_t, 3> roots_for_layers(const cleaving::VolumeMeshParams& params,
                                                           std::span<const VolumeSpeeds> speeds);

}  // namespace kaname::jobs
