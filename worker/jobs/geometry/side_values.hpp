// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_field.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/p2/dof_map.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// Displacement or traction given at points.
struct BoundaryTable {
    bool geographic = false;   ///< places are longitude [deg], latitude [deg], z up [m]
    std::vector<Vec3> places;  ///< x east, y north, z up [m] unless geographic
    std::vector<Vec3>
        values;  ///< east, north, up [m or Pa]; 0 in components that are not asked for
};

/// A comma-separated file with a header; lines that start with # are comments. Columns in any
/// order: x_m, y_m or lon_deg, lat_deg; z_m (up) or depth_m (down); and for every component that
/// the data prescribe east_m, north_m, up_m, or east_pa, north_pa, up_pa. _km may stand for the _m
/// of a place, _mm and _cm for that of a displacement, _mpa for _pa. Throws Error as "file:line:
/// ...".
[[nodiscard]] BoundaryTable read_boundary_table(const PrescribedSide& data);

/// SideData gives the values that data prescribe at places of one side, in the model's grid. They
/// are numbers or a table. A table is linear in the Delaunay triangulation of its points as seen
/// across the side, and exact at them. Where both horizontal components are given in true
/// directions (numbers, tables by longitude), they are turned by the meridian convergence at the
/// place.
class SideData {
public:
    /// `normal` of the side, of any length. Throws ValidationError naming the data's field: an
    /// unreadable table, one by longitude in a model without projection, points on one line.
    SideData(const PrescribedSide& data, const Domain& domain, const Vec3& origin,
             const Vec3& normal);

    /// Throws ValidationError with coordinates where a table does not reach.
    [[nodiscard]] Vec3 at(const Vec3& x);

private:
    [[nodiscard]] Vec3 from_table(const Vec3& x);

    const PrescribedSide& data_;
    const Domain& domain_;
    std::optional<fault::SlipField> table_;
    bool turned_ = false;
};

/// The values at all nodes of one side. In a mesh of several parts, whose motion is summed, each
/// part has its share of them.
class SideValues {
public:
    /// Throws as SideData, and when a table is to be seen across a side that bends by 90 degrees.
    SideValues(const PrescribedSide& data, const Domain& domain, const mesh::TetMesh& mesh,
               const p2::DofMap& dofs, mesh::SurfaceId side, int n_parts);

    /// At a node of the side, by its coordinates.
    [[nodiscard]] const Vec3& at(const Vec3& node) const {
        return at_.at({node.x, node.y, node.z});
    }

private:
    std::map<std::array<double, 3>, Vec3> at_;
};

/// The sources without slip: sides of the model that are moved or loaded.
class SideSources {
public:
    /// Borrows the job's.
    explicit SideSources(std::span<const BoundarySource> sources) : sources_(sources) {}

    [[nodiscard]] std::vector<std::string> ids() const;
    /// Index in the job's boundary_sources, -1 for a source that slips.
    [[nodiscard]] int index(const std::string& id) const;
    /// The dataset's row of one of these sources. It has no place on a fault: its patch names the
    /// sides.
    [[nodiscard]] io::GreensDataset::Source row(const std::string& id) const;
    [[nodiscard]] const BoundarySource& at(int index) const { return sources_[index]; }

private:
    std::span<const BoundarySource> sources_;
};

}  // namespace kaname::jobs
