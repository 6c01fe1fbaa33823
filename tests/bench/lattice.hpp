// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/base/units.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "solvers/viscoelastic/model/boundary.hpp"
#include "solvers/viscoelastic/model/boundary_values.hpp"
#include "tests/bench/options.hpp"

namespace kaname::bench {

/// End of what is solved by spectrum.
inline constexpr double kSpectrumEnd_s = 100.0 * kJulianYear_s;

/// One body for all suites, and a mesh of it: a rectangle of 40 km x 28 km, dip 45 degrees, top at
/// 5 km, in an elastic lid of 30 km over a Maxwell half-space; box 160 km x 160 km x 80 km.
struct Lattice {
    std::string name;  ///< "lattice-50k", "cleaved-50k"
    earth::LayeredStructure structure;
    double maxwell_time_s = 0.0;
    mesh::TetMesh mesh;
};
/// Makes a lattice that is sheared to the fault, coarser away from it.
[[nodiscard]] Lattice make_lattice(Size size);
/// Makes a lattice of this family with about so many unknowns: "lattice-10m".
[[nodiscard]] Lattice make_lattice(double unknowns);
/// Makes the lattice that the options ask for.
[[nodiscard]] Lattice make_lattice(const Options& options);

/// These functions return what all families share: structure and Maxwell time without a mesh, the
/// box, the fault's plane and the rectangle in its coordinates. unknowns_text() returns the number
/// of unknowns of a size: "50k".
[[nodiscard]] Lattice lid_over_maxwell();
[[nodiscard]] meshing::Box model_box();
[[nodiscard]] fault::PlaneFault fault_plane();
[[nodiscard]] meshing::FaultWindow fault_window();
[[nodiscard]] const char* unknowns_text(Size size);

/// All sides but the surface.
[[nodiscard]] std::vector<viscoelastic::BoundaryCondition> fixed_sides();

/// Thrust on two by two bilinear hats that tile the rectangle, one per lane.
[[nodiscard]] viscoelastic::PackSlip four_hats(const p2::DofMap& dofs,
                                               const fault::SplitNodes& split);

}  // namespace kaname::bench
