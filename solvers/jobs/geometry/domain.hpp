// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/jobs/geometry/volume_geometry.hpp"
#include "solvers/jobs/spec/greens_job.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::jobs {

/// Where a job takes place, in the model frame (x east, y north of the projection, z up, metres):
/// map, box, structure of volumes, stations.
class Domain {
public:
    /// Borrows the job. Throws InvalidArgument where its region has no projection.
    explicit Domain(const GreensJob& job);

    /// False where x and y have no place on the globe: then there is no projection.
    [[nodiscard]] bool projected() const { return projection_.has_value(); }
    [[nodiscard]] const earth::Projection& projection() const { return *projection_; }
    [[nodiscard]] const std::optional<earth::Projection>& optional_projection() const {
        return projection_;
    }
    /// Grid azimuth [rad] of a true azimuth at a place.
    [[nodiscard]] double grid_azimuth_rad(const earth::LonLat& at, double true_azimuth_deg) const;
    /// "141.0000E 38.0000N".
    [[nodiscard]] std::string lonlat_text(const Vec3& x) const;

    [[nodiscard]] const meshing::Box& box() const { return box_; }
    /// Box axes: "north" points along the box's azimuth.
    [[nodiscard]] double box_north_m(const Vec3& x) const;
    [[nodiscard]] double box_east_m(const Vec3& x) const;
    [[nodiscard]] bool inside_box(const Vec3& x) const;
    /// Grid axis (0 east, 1 north, 2 up) normal to a side of the box; -1 where the box is turned so
    /// that the side follows no axis.
    [[nodiscard]] int normal_axis(mesh::Side side) const;
    /// Distance to the nearest side, or the bottom, that is not free; infinity without any.
    [[nodiscard]] double gap_to_held_sides_m(const Vec3& x) const;

    [[nodiscard]] bool has_volumes() const { return volumes_.has_value(); }
    /// The job's volumes; only with has_volumes(): without a mesh file.
    [[nodiscard]] const VolumeGeometry& volumes() const { return *volumes_; }
    /// Height of the top of a model that is no mesh file's.
    [[nodiscard]] double ground_m(double x, double y) const {
        return volumes_ ? volumes_->ground_m(x, y) : 0.0;
    }

    /// Requested station positions; z = -depth, or that of the ground without a depth.
    [[nodiscard]] const std::vector<Vec3>& stations() const { return stations_; }

    /// Rollers face grid axes and lie on flat sides; stations lie inside and not in the air.
    void check(std::vector<Violation>& violations) const;

private:
    void check_sides(std::vector<Violation>& violations) const;
    void check_stations(std::vector<Violation>& violations) const;

    const GreensJob& job_;
    std::optional<earth::Projection> projection_;
    meshing::Box box_;
    std::optional<VolumeGeometry> volumes_;
    std::vector<Vec3> stations_;
};

}  // namespace kaname::jobs
