// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/mesh/gmsh/gmsh_mesh.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::meshing {

/// Curved second-order tets become straight where a mid-edge node lies within this part of the
/// edge's length from its middle; others are refused. Below the second number it is rounding.
inline constexpr double kMostBend = 1e-2;
inline constexpr double kBendByRounding = 1e-6;
/// A fault is vertical where its mean normal is within this angle of the horizontal [degrees].
inline constexpr double kVertical_deg = 1.0;

/// Which of a file's physical groups are what. Names are those of the file; `field` begins the
/// messages about it.
struct GmshRoles {
    struct Fault {
        std::string name;
        std::string field;
        /// The plus side (hanging wall) is to the right of this azimuth [rad, from y clockwise].
        /// Without it the side to which the mean normal points up; a vertical fault needs it.
        std::optional<double> strike_rad = std::nullopt;
    };
    struct Boundary {
        std::string name;
        std::string field;
    };
    /// The structure's materials: names of the physical volumes.
    std::vector<std::string> materials;
    std::vector<Fault> faults;
    std::vector<Boundary> boundaries;  ///< surfaces that conditions are given for
    std::string top;
    std::string length_unit;  ///< unit of coordinates: m, km; empty: metres, where they can be
};

struct GmshImport {
    mesh::TetMesh mesh;
    std::vector<std::string> notes;  ///< what a user should know
};

/// The mesh in the roles given. Vertices that no tet uses are left out, tets turned to positive
/// volume, outer faces without a physical surface collected on the surface "(unnamed)".
/// TetMesh::surfaces are the physical surfaces that are no faults, in alphabetical order.
/// Throws ValidationError (field mesh.length_unit) where the mesh's extent asks for the unit that
/// was not said, or does not go with the one that was.
/// Throws ValidationError with everything that is wrong with the names; else with coordinates:
/// a tet without a physical volume, a curved edge, triangles that are no faces of tets, that lie
/// inside where they should be outside or the other way round, volumes that are not joined, faults
/// that branch, or whose sides nothing tells apart.
[[nodiscard]] GmshImport import_gmsh(mesh::GmshMesh file, const GmshRoles& roles);

/// Reads `path` every time it is asked.
class GmshSource final : public MeshSource {
public:
    GmshSource(std::string path, GmshRoles roles);
    [[nodiscard]] GmshImport read() const;
    [[nodiscard]] Count estimate() const override;
    [[nodiscard]] mesh::TetMesh build(const Progress& progress) const override;

private:
    std::string path_;
    GmshRoles roles_;
};

}  // namespace kaname::meshing
