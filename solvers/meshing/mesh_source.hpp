// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "solvers/earth/structure.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/sources/fault_surface.hpp"

namespace kaname::meshing {

/// Model box centred on x = y = 0, its "north" side turned clockwise by the azimuth; z from
/// -depth to 0. Coordinates of the mesh stay x east, y north of the projection (not turned).
struct Box {
    double size_east_m = 0.0;
    double size_north_m = 0.0;
    double depth_m = 0.0;
    double azimuth_rad = 0.0;
};

struct Sizes {
    double at_fault_m = 0.0;
    double far_m = 0.0;
    double growth = 0.3;   ///< d(size)/d(distance)
    int layers_above = 5;  ///< column lattice: between surface and interface
    int layers_below = 8;  ///< column lattice: between interface and bottom
};

/// Part of a fault surface that is meshed as fault faces: a rectangle in fault coordinates.
struct FaultWindow {
    double s_min = 0.0;
    double s_max = 0.0;
    double d_min = 0.0;
    double d_max = 0.0;
};

using Progress = std::function<void(double fraction, const char* stage)>;

/// Makes the mesh of one model. Deterministic.
class MeshSource {
public:
    virtual ~MeshSource() = default;
    /// Vertices and elements that build() would give, cheaply (within 10 %).
    struct Count {
        std::int64_t vertices = 0;
        std::int64_t tets = 0;
    };
    [[nodiscard]] virtual Count estimate() const = 0;
    [[nodiscard]] virtual mesh::TetMesh build(const Progress& progress) const = 0;
};

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
    const sources::FaultSurface* fault = nullptr;                 ///< for window coordinates
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
