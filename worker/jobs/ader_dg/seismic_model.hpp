// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/aderdg/wave_solver.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"
#include "worker/jobs/ader_dg/seismic_job.hpp"

namespace kaname::jobs {

/// A source in a mesh.
struct SeismicSource {
    std::vector<aderdg::PointSource> points;  ///< of lane 0
    /// Its place, of a rupture the centroid of its moment; the sums of forces and moments.
    Vec3 at_m;
    std::array<double, 3> force_n{};
    std::array<double, 6> moment_nm{};
    /// s(t): that of its time function, of a rupture its moment rate [N m/s].
    std::function<double(double)> function;
    double highest_hz = 0.0;
};

/// A job's mesh with its solids, places and sources: all that its stages share.
struct SeismicModel {
    aderdg::WaveModel waves;
    WaveResolution resolution;
    std::vector<SeismicSource> sources;  ///< of the job
    std::vector<aderdg::PointInTet> receivers;
    StrainPoints strains;  ///< where forces are solved in place of sources
    GroundFaces ground;
    std::vector<aderdg::PointInTet> ground_points;  ///< middles of its triangles
    /// Where snapshots are taken: those, and with job.volume_snapshots the middles of all tets.
    std::vector<aderdg::PointInTet> snapshot_points;
    std::vector<std::string> warnings;
};

/// Reads the mesh and finds all places in it. Throws ValidationError with everything that is wrong
/// with places, ruptures and frequencies, by their fields.
[[nodiscard]] SeismicModel load_seismic_model(const SeismicJob& job, const std::string& mesh_path);
/// Builds the model in a mesh that was just made. Throws as load_seismic_model.
[[nodiscard]] SeismicModel place_in_mesh(const SeismicJob& job, SeismicMesh mesh);

/// Returns the plan of a job's mesh; violations have the request's paths.
[[nodiscard]] SeismicMeshPlan plan_mesh(const SeismicJob& job);
/// Returns the violations of a request for a mesh by the fields of the request.
[[nodiscard]] std::vector<Violation> in_specification(std::vector<Violation> violations);
/// Returns the first violation of each field for unit sources, which share fields; for other jobs
/// all violations.
[[nodiscard]] std::vector<Violation> told_once(const SeismicJob& job,
                                               std::vector<Violation> violations);
/// Returns the violation of a point source with shear in a liquid (rigidity mu_pa = 0). A liquid
/// holds no shear stress: a moment tensor that is no pressure would move it for ever.
[[nodiscard]] std::optional<Violation> shear_in_liquid(const SeismicJob::Source& source,
                                                       double mu_pa);
/// Returns the violations of sources with points in elements beside a fault with friction or a
/// surface with gravity. The solver keeps the traces of these elements over a step, which leaves
/// out what a source adds in it.
[[nodiscard]] std::vector<Violation> sources_beside_surfaces(const SeismicJob& job,
                                                             const SeismicModel& model);
/// Returns a warning where a source has frequencies that elements do not resolve.
[[nodiscard]] std::optional<std::string> too_high(const SeismicJob& job, const std::string& id,
                                                  double highest_hz);
/// Returns a place in the model's frame, as find_places takes it.
[[nodiscard]] WantedPlace wanted_place(const SeismicJob& job, const WavePlace& at,
                                       const std::string& name, const std::string& field);
[[nodiscard]] aderdg::WaveParams wave_params(const SeismicJob& job, int lanes);
/// Returns the number of unknowns of a source.
[[nodiscard]] std::int64_t unknowns_of(std::int64_t elements, const SeismicJob& job);

}  // namespace kaname::jobs
