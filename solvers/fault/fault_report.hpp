// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::fault {

/// One fault as the mesh has it.
struct FaultReport {
    std::string name;
    std::int64_t faces = 0;
    double area_m2 = 0.0;
    double top_depth_m = 0.0;     ///< depth of its shallowest vertex below z = 0; negative above
    double bottom_depth_m = 0.0;  ///< depth of its deepest vertex
    int pieces = 0;               ///< parts that no edge joins
    /// Faces in pieces of less than a fiftieth of the largest one's area: none in a sound mesh.
    std::int64_t stray_faces = 0;
    std::optional<Vec3> stray;     ///< a vertex of a stray face [m]
    double rim_m = 0.0;            ///< length of its border off the model's outside
    std::int64_t split_nodes = 0;  ///< second-order nodes that can slip
    std::int64_t rim_nodes = 0;    ///< nodes that cannot, because they are on the border
    /// Nodes that cannot slip although they are inside the fault: none in a sound mesh.
    std::int64_t orphan_nodes = 0;
    std::optional<Vec3> orphan;    ///< an orphan node [m]
    std::int64_t stuck_faces = 0;  ///< faces with all nodes on the border: they never slip
};

/// Reports on all faults [TetMesh::faults]; one without faces has zeros. Throws as
/// split_fault_nodes.
[[nodiscard]] std::vector<FaultReport> report_faults(const mesh::TetMesh& mesh);

/// Symmetric stress change in the model frame (x east, y north, z up) [Pa], tension positive:
/// xx, yy, zz, xy, yz, xz.
using StressChange = std::array<double, 6>;

/// Plane and slip direction on which stress is resolved; strike clockwise from the frame's north,
/// dips to its right, rake 0 left-lateral, 90 reverse.
struct Receiver {
    double strike_rad = 0.0;
    double dip_rad = 0.0;
    double rake_rad = 0.0;
    double friction = 0.4;  ///< mu >= 0
    double skempton = 0.0;  ///< B in [0, 1]; 0: friction is the apparent one
};

struct CoulombChange {
    double shear_pa = 0.0;    ///< shear in the slip's direction, > 0 promotes slip
    double normal_pa = 0.0;   ///< normal stress, > 0 unclamps
    double coulomb_pa = 0.0;  ///< shear + friction (normal + pore pressure change)
};

/// With n the normal into the hanging wall and r the hanging wall's slip direction
///   shear = n.S.r,  normal = n.S.n,  pore pressure change dp = -B tr(S)/3 (undrained)
///   coulomb = shear + friction (normal + dp)
/// (Cocco and Rice 2002, doi 10.1029/2000JB000138). With skempton = 0 and friction = mu' this is
/// the constant-apparent-friction form. Throws InvalidArgument for friction < 0, skempton outside
/// [0, 1] or a value that is not finite.
[[nodiscard]] CoulombChange coulomb_change(const StressChange& stress_pa, const Receiver& receiver);

}  // namespace kaname::fault
