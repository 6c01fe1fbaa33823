// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"
#include "solvers/base/error.hpp"
#include "worker/jobs/ader_dg/seismic_job.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"
#include "worker/jobs/stage/stage.hpp"

namespace kaname::jobs {

/// A mesh file with the solids of its materials, so that nothing behind it reads the structure's
/// files again. Returns the report that the file holds.
MeshSummary write_seismic_mesh(const std::string& path, const SeismicMesh& mesh);

/// The mesh of a file of write_seismic_mesh with what the request says that its surfaces do. Throws
/// as io::read_mesh.
[[nodiscard]] SeismicMesh read_seismic_mesh(const std::string& path,
                                            const SeismicMeshRequest& request);

/// A place that a tet is looked for.
struct WantedPlace {
    Vec3 at_m;
    std::string name, field;     ///< for messages
    bool on_the_ground = false;  ///< x, y alone count: z becomes that of the mesh's top
};

struct FoundPlaces {
    std::vector<aderdg::PointInTet> places;  ///< as wanted; of tets that touch one the lowest
    std::vector<double> moved_m;             ///< how far each was moved to lie in the mesh
};

/// Tets of places. One that lies outside by no more than `tolerance_m` (over facets of relief) is
/// moved to the nearest point of the mesh. Throws ValidationError naming each place that is
/// outside, and how far.
[[nodiscard]] FoundPlaces find_places(const mesh::TetMesh& mesh,
                                      std::span<const WantedPlace> wanted, double tolerance_m);

/// Triangles of the mesh's top with their tets: where maps of the ground's motion are taken.
struct GroundFaces {
    std::vector<std::array<std::int32_t, 3>> vertices;  ///< outward
    std::vector<std::int64_t> tets;

    /// Middles of the triangles.
    [[nodiscard]] std::vector<aderdg::PointInTet> middles(const mesh::TetMesh& mesh) const;
};
[[nodiscard]] GroundFaces find_ground(const mesh::TetMesh& mesh);

/// The field of a source's rupture or patch.
[[nodiscard]] std::string rupture_field(const SeismicJob::Source& source);

/// The point sources of a rupture, where they lie, with moments per Pa of the rigidity there.
/// Throws ValidationError (of `field`) for a file that is none, and for what it leaves
/// unsaid and the request too.
[[nodiscard]] std::vector<slip_model::KinematicPoint> rupture_points(const SeismicJob& job,
                                                                     const RuptureRequest& rupture,
                                                                     const std::string& field,
                                                                     double spacing_m);

}  // namespace kaname::jobs
