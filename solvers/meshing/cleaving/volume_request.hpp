// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/earth/volume_model.hpp"
#include "solvers/meshing/mesh_source.hpp"

/// The requests here describe a mesh of volumes.
namespace kaname::cleaving {

/// A fault: part of one of the model's surfaces (which may bound volumes or lie inside one), or
/// part of a plane.
struct FaultRequest {
    std::string name;
    int surface = -1;  ///< index into VolumeModel::surfaces; -1: the plane
    struct Plane {
        Vec3 point, normal;  ///< map frame; the normal points to the plus side (hanging wall)
    };
    std::optional<Plane> plane;
    /// Points on the fault, map frame, no farther apart than half the size there: where elements
    /// have the size at the fault, and where the mesh conforms to its surface.
    std::vector<Vec3> samples;
    /// How far inside the fault's outline a point of its surface lies [m, map frame]; negative
    /// outside. Faces whose corners are all inside are fault faces: their rim is a staircase.
    std::function<double(const Vec3&)> inside_m;
    /// The four corners, in order, of the rectangle that the rim of a plane is to follow exactly; a
    /// side above the ground is no rim. Then faces whose centroid is inside are fault faces. Empty:
    /// a staircase.
    std::vector<Vec3> outline = {};
    /// For ruptures: all of a fault's faces lie on its sheet, also where the ground or another
    /// fault is close, at the price of smaller elements there; and those whose centroid is inside
    /// are the fault, also where the rim is a staircase, which then follows the outline in the
    /// mean.
    bool sharp = false;
};

/// Planes across the box's axes that the lattice has vertices on, as far as cubes of `size_m` need
/// not become much flatter or higher for it. Of two that are too close the first is met.
struct LatticePlaneRequest {
    double size_m = 0.0;                    ///< elements' size at the planes
    std::array<std::vector<double>, 3> at;  ///< u, v, z [m, box frame]
};

/// Target sizes of elements [m]: the edge of the regular tetrahedron of the same volume.
///   size(x) = min over wishes w of  w.size + growth * |x - nearest point of w|,  <= far
struct SizeRequest {
    double far_m = 0.0;
    double growth = 0.3;
    double at_surface_m = 0.0;  ///< 0: none; under the free surface
    bool volumes_grow = true;   ///< sizes of volumes grow outside of them; false: none there
    /// Sizes of the surface, of depths and of volumes hold so far from `points`; beyond they grow
    /// with the distance like the others. Without points they hold everywhere.
    double detail_reach_m = std::numeric_limits<double>::infinity();
    struct Points {
        double size_m = 0.0;
        std::vector<Vec3> at;  ///< map frame: faults' samples, stations
    };
    std::vector<Points> points;  ///< the first are met best: choose_roots()
    struct Depth {
        double depth_m = 0.0, size_m = 0.0;  ///< no larger than this above that depth
        double reach_m = 0.0;                ///< in place of detail_reach_m; 0: that
    };
    std::vector<Depth> depths;
};

struct VolumeMeshParams {
    meshing::Box box;
    std::shared_ptr<const earth::VolumeModel> model;
    std::vector<FaultRequest> faults;
    SizeRequest sizes;
    /// Layers thinner than this part of the size asked for join a neighbour (ThinLayers). 0: they
    /// are there in as many elements as their volume needs, with ragged boundaries.
    double thinnest = 0.1;
    /// Cubes along the box's east, north and upward sides that the octree begins with; zeros:
    /// choose_roots() chooses.
    std::array<std::int32_t, 3> roots{};
    LatticePlaneRequest planes = {};
    std::int64_t max_tets = 0;  ///< more is refused before anything is made; 0: 2^31 / 4
};

}  // namespace kaname::cleaving
