// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"
#include "solvers/base/error.hpp"
#include "solvers/io/source_file.hpp"
#include "worker/jobs/ader_dg/seismic_job.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"
#include "worker/jobs/stage/stage.hpp"

/// Seismograms of many sources from solves of few forces (Betti's theorem; aki2002, section 2.3):
/// the velocity along i at r of a source whose moment grows by M s(t) per second is M : e of the
/// strain e at the source of a force s(t) along i at r.
namespace kaname::jobs {

struct SeismicSource;

/// The forces of reciprocal solves: about what strains of the Earth in N come to, far from where
/// single precision ends.
inline constexpr double kReciprocalForce_n = 1e12;

/// Where the strains of forces are wanted.
struct StrainPoints {
    struct Share {
        std::size_t place = 0;
        std::array<double, 6> moment_nm{};  ///< xx, yy, zz, yz, xz, xy
    };
    std::vector<aderdg::PointInTet> places;   ///< each once
    std::vector<std::vector<Share>> sources;  ///< of the job
};

/// Throws ValidationError naming the field of a source that lies in a liquid.
[[nodiscard]] StrainPoints strain_points(const SeismicJob& job, const aderdg::WaveModel& waves,
                                         const std::vector<SeismicSource>& sources);

/// Force `number` of the job: along x, y, z at its receiver, with the sources' moment rate as s(t).
[[nodiscard]] aderdg::PointSource reciprocal_force(const SeismicJob& job,
                                                   const std::vector<aderdg::PointInTet>& receivers,
                                                   std::size_t number, int lane);

/// Seismograms of sources, put together from the strains of forces: file k is of force k, its
/// "receivers" 2 p and 2 p + 1 the strains xx, yy, zz and yz, xz, xy of place p. Strains are read
/// for as many places at a time as `bytes` hold, which suits sources that are asked for in order.
class ReciprocalSeismograms {
public:
    ReciprocalSeismograms(const StrainPoints& points, std::vector<std::string> files,
                          std::int64_t n_samples, double bytes = 256e6);

    /// [receiver][component][sample] of a source.
    [[nodiscard]] std::vector<float> of_source(std::size_t source);

private:
    /// Strains of a place of all files, [file][6][sample].
    [[nodiscard]] const float* strains(std::size_t file, std::size_t place) const {
        return held_.data() + (file * count_ + place - first_) * 6 * n_samples_;
    }
    void hold(std::size_t place);

    const StrainPoints& points_;
    std::vector<std::string> files_;
    std::size_t n_samples_, most_;
    std::size_t first_ = 0, count_ = 0;  ///< places that are held
    std::vector<float> held_;
};

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

/// Over facets of relief a place may be moved by this part of the shortest wavelength.
inline constexpr double kOutsideTolerance = 0.05;
/// Point sources of a rupture in the shortest wavelength, where nothing else is said.
inline constexpr double kPointsPerWavelength = 5.0;

/// The field of a source's rupture or patch.
[[nodiscard]] std::string rupture_field(const SeismicJob::Source& source);

/// The point sources of a rupture, where they lie, with moments per Pa of the rigidity there.
/// Throws ValidationError (of `field`) for a file that is none, and for what it leaves
/// unsaid and the request too.
[[nodiscard]] std::vector<slip_model::KinematicPoint> rupture_points(const SeismicJob& job,
                                                                     const RuptureRequest& rupture,
                                                                     const std::string& field,
                                                                     double spacing_m);

/// The corners of a request's patches in the model's frame, upper ones first; none of a file's.
[[nodiscard]] std::vector<std::array<Vec3, 4>> patch_corners(const SeismicJob& job,
                                                             const RuptureRequest& rupture);
/// The field of a request's patch of number k.
[[nodiscard]] std::string patch_field(const SeismicJob::Source& source, std::size_t k);

}  // namespace kaname::jobs
