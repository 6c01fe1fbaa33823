// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/earth/volume_model.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

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

/// A rectangle with two level sides, in the map frame of the mesh. The plus side is that above it,
/// to the right when looking along strike; it may end at other faults or go through them.
struct FaultPlane {
    double x_m = 0.0, y_m = 0.0;  ///< middle of the upper edge, or of where it comes up
    double top_depth_m = 0.0;     ///< of the upper edge below z = 0; 0: up to the ground
    double strike_deg = 0.0;      ///< from y (north) clockwise
    double dip_deg = 90.0;        ///< 10 to 90, to the right of strike
    double length_m = 0.0;
    double width_m = 0.0;  ///< down dip, from the upper edge or z = 0
};

/// Part of a surface of EarthBox::volumes, which may bound volumes or lie inside one. The plus side
/// is above.
struct FaultSurface {
    std::string surface;                           ///< name of an earth::SurfaceDefinition
    std::vector<std::array<double, 2>> outline_m;  ///< x, y of at least three corners, map frame
};

/// A physical surface of MeshOfOnesOwn, inside the mesh.
struct FaultInFile {
    std::string surface;  ///< its name
    /// The plus side is to the right of this azimuth; without it, the one above. Vertical surfaces
    /// need it.
    std::optional<double> strike_deg;
};

/// A fault that the mesh has faces on.
struct SeismicFault {
    std::string name;   ///< in TetMesh::faults; unique
    std::string field;  ///< begins the messages about it: faults[0]
    std::variant<FaultPlane, FaultSurface, FaultInFile> place;
    /// Mean edge of the elements at the fault; grows from there on. 0: that of the waves. A mesh of
    /// one's own has its own.
    double element_size_m = 0.0;
};

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
