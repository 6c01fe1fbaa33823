// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/p2/locate.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// The second-order nodes of the model's top, where results hold the surface's motion. A node on
/// the trace of a fault that breaks the surface moves differently on its two sides and stands there
/// once per side, so that within every face the motion is the solution itself. The order follows
/// from the mesh alone. A mesh of several parts has the points of its first one.
struct SurfacePoints {
    struct Face {
        std::array<std::int32_t, 3> vertices;
        std::array<std::int32_t, 6> points;  ///< points at the vertices, then on edges 01, 12, 20
        /// For each vertex, how many faults it is on the plus side of, less how many it is on the
        /// minus side of.
        std::array<int, 3> plus;
    };
    std::vector<p2::Location> places;  ///< [P]
    std::vector<Face> faces;
};
[[nodiscard]] SurfacePoints find_surface_points(const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                                                const fault::SplitNodes& split, int n_parts = 1);

/// Value at a place of the surface = sum of weights times values at points.
struct SurfaceStencil {
    std::array<std::int32_t, 6> points{};
    std::array<double, 6> weights{};
};
/// Nothing where `at` [m] does not lie on the surface (to a millionth of a face's size). On a
/// fault's trace the plus side.
[[nodiscard]] std::optional<SurfaceStencil> surface_stencil(const SurfacePoints& surface,
                                                            const mesh::TetMesh& mesh,
                                                            const Vec3& at);

/// Where the job's stations are in the mesh, in its first part; those on a fault on its plus side.
[[nodiscard]] std::vector<p2::Location> station_places(const JobGeometry& geometry,
                                                       const mesh::TetMesh& mesh,
                                                       const fault::SplitNodes& split);

/// Where motion is taken: at the stations, then at the points of the surface where results hold it.
/// In a mesh of several parts the motion of a point is the sum of that at its places in all parts.
struct ObservedPlaces {
    std::vector<p2::Location> places;  ///< those in the first part stand first, one for each point
    std::vector<std::int32_t> point;   ///< which point each place is of
};
[[nodiscard]] ObservedPlaces observed_places(const GreensJob& job, const JobGeometry& geometry,
                                             const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                                             const fault::SplitNodes& split);

/// Takes the job's stations out of results that may have been made for other stations.
class StationReader {
public:
    /// All is borrowed; places: where the job's stations are in the mesh, in the first of its
    /// parts.
    StationReader(const GreensJob& job, const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                  const std::vector<p2::Location>& places, int n_parts)
        : job_(job), mesh_(mesh), dofs_(dofs), places_(places), n_parts_(n_parts) {}

    /// [F][N][3]. Throws NotFound naming a station that the result cannot give.
    [[nodiscard]] std::vector<double> read(const io::SourceResult& result);

private:
    struct Place {
        std::int64_t stored = -1;  ///< index in the result, or:
        SurfaceStencil stencil;
    };
    void make_plan(const io::SourceResult& result);
    [[nodiscard]] SurfaceStencil interpolate(const io::SourceResult& result, std::size_t station);

    const GreensJob& job_;
    const mesh::TetMesh& mesh_;
    const p2::DofMap& dofs_;
    const std::vector<p2::Location>& places_;
    int n_parts_;
    std::vector<double> known_for_;
    std::vector<Place> plan_;
    std::optional<SurfacePoints> surface_;
};

}  // namespace kaname::jobs
