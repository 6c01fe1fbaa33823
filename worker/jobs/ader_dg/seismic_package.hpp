// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "solvers/io/dataset/wave_datasets.hpp"
#include "worker/jobs/ader_dg/seismic_job.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/stage/stage.hpp"
#include "worker/jobs/waves/wave_packs.hpp"

namespace kaname::jobs {

/// Returns a dataset without its sources: times, receivers, mesh, ground, warnings. The times of
/// snapshots are those of the results.
[[nodiscard]] io::SeismogramDataset dataset_frame(const SeismicJob& job, const SeismicModel& model,
                                                  const SourceFiles& files);

/// Returns source k as a dataset has it, its function at these times; without status.
[[nodiscard]] io::SeismogramDataset::Source row_of_source(const SeismicJob& job,
                                                          const SeismicModel& model, std::size_t k,
                                                          const std::vector<double>& times_s);

[[nodiscard]] std::array<double, 3> numbers_of(const Vec3& at_m);

struct SeismicPreflight : Preflight {
    double updates = 0.0;  ///< of elements, for all of the time and one source
};
/// Checks a job and estimates its size, before anything is computed. Violations are of places,
/// files, frequencies and sizes.
[[nodiscard]] SeismicPreflight preflight_seismic(const SeismicJob& job);
/// Measures the seconds per update of an element and source on this machine, which takes about a
/// second. It uses a small mesh with the job's order and precision and the threads of
/// device::set_threads.
[[nodiscard]] double measure_seismic_speed(const SeismicJob& job);
/// Returns the key of a job's speed: jobs of one key run at one speed on a machine.
[[nodiscard]] std::string seismic_speed_key(const SeismicJob& job);

/// Makes the mesh and writes it with the solids of its materials. Throws ValidationError.
MeshSummary mesh_seismic(const SeismicJob& job, const std::string& mesh_path,
                         const MeshProgress& progress);

class SeismicSession : public SolveSession {
public:
    /// SeismicPreflight::updates, now that the mesh is there.
    [[nodiscard]] virtual double updates() const = 0;
};
/// Packs of up to four sources. Collective; the job lives as long as the session.
[[nodiscard]] std::unique_ptr<SeismicSession> open_seismic(const SeismicJob& job,
                                                           const std::string& mesh_path,
                                                           const std::string& work_dir,
                                                           comm::Comm& comm);

/// Packs the sources in `files`; the others are missing in the dataset.
PackageSummary package_seismic(const SeismicJob& job, const std::string& mesh_path,
                               const SourceFiles& files, const std::string& dataset_path);
/// The job lives as long as the reader; epochs are samples, stations receivers.
[[nodiscard]] std::unique_ptr<SourceReader> read_seismic(const SeismicJob& job);

/// Returns warnings on waves that absorbing sides of a box add to seismograms, estimated before
/// anything is solved. A side absorbs waves of normal incidence. It reflects about
/// (1 - cos theta)/(1 + cos theta) of a wave at the angle theta from its normal, and about 0.4 of
/// waves guided along the ground. As dashpots sides hold no static offset. Warnings name the
/// receivers, when the first reflection of over 5 % arrives and how large it is beside the direct
/// wave. They also name where displacements end over 10 % off, and the box that would suffice. The
/// list is empty for a mesh of one's own.
[[nodiscard]] std::vector<std::string> side_warnings(const SeismicJob& job);

}  // namespace kaname::jobs
