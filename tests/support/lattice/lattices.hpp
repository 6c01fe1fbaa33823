// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "solvers/base/vec3.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/meshing/mesh_source.hpp"

// Meshes of known shape for tests and benches, which no program makes of a request.
namespace kaname::meshing {

/// Throws InvalidArgument naming the field: a window has s_min < s_max, d_min < d_max.
void check_window(const FaultWindow& window);

struct Sizes {
    double at_fault_m = 0.0;
    double far_m = 0.0;
    double growth = 0.3;   ///< d(size)/d(distance)
    int layers_above = 5;  ///< column lattice: between surface and interface
    int layers_below = 8;  ///< column lattice: between interface and bottom
};

/// Throws InvalidArgument naming the field: lengths finite and > 0, far >= at fault, growth in
/// (0, 2].
void check_sizes(const Sizes& sizes);

/// Columns of prisms under a graded triangle lattice of the surface; one level of the columns is
/// the interface z = -depth(x, y). Layer boundaries are met by moving the nearest free level of a
/// column where one lies within half a spacing; elsewhere the element's centroid decides. Where
/// cells over twice the size at the fault are more than 17 times wider than the layers above a
/// shallow interface, that level passes below the interface and centroids decide, too.
/// Fault faces are the triangles whose three corners lie in the window: their rim is a staircase,
/// up to one cell inside it. With `surface_rupture` columns whose interface is shallower than a
/// tenth of the size at the fault (0 allowed) are closed: the fault begins on z = 0 there.
struct ColumnLatticeParams {
    Box box;
    Sizes sizes;
    earth::LayeredStructure structure;
    std::function<double(double x, double y)> interface_depth_m;  ///< > 0, see surface_rupture
    const fault::FaultSurface* fault = nullptr;                   ///< for window coordinates
    FaultWindow window;                                           ///< fault faces lie inside
    bool surface_rupture = false;
};
[[nodiscard]] std::unique_ptr<MeshSource> make_column_lattice(ColumnLatticeParams params);

/// Sheared tensor lattice for a rectangle of 20..90 degrees dip: lattice planes follow the fault,
/// its edges and (exactly) the layer boundaries; the shear fades out away from the fault.
struct PlaneLatticeParams {
    Box box;  ///< azimuth must equal the strike
    Sizes sizes;
    earth::LayeredStructure structure;
    Vec3 top_centre;
    double strike_rad = 0.0;
    double dip_rad = 0.0;
    FaultWindow
        window;  ///< fault faces fill it exactly, s from the top centre, d from the top edge
    int cells_strike = 0;  ///< cells along the window, 0: from the size at the fault
    int cells_dip = 0;
};
[[nodiscard]] std::unique_ptr<MeshSource> make_plane_lattice(PlaneLatticeParams params);

}  // namespace kaname::meshing
