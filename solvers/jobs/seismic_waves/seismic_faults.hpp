// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kaname::jobs {

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
    std::string surface;                           ///< name of an earth::SurfaceSpec
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

}  // namespace kaname::jobs
