// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/jobs/seismic_waves/seismic_model.hpp"
#include "solvers/jobs/waves/pack_checkpoint.hpp"
#include "solvers/jobs/waves/sample_records.hpp"

namespace kaname::jobs {

/// What is taken of a pack while it is solved: seismograms, and the ground's motion.
class SeismicRecords {
public:
    SeismicRecords(const SeismicJob& job, const SeismicModel& model,
                   std::span<const std::string> ids);

    /// Takes the samples that are complete, and a snapshot where the first time that has none yet
    /// has come. Collective.
    void take(aderdg::WaveSolver& solver);
    /// Takes the largest speeds. Collective.
    void end(aderdg::WaveSolver& solver);
    /// Time of the next snapshot; infinite when all are taken.
    [[nodiscard]] double next_snapshot_s() const;
    /// Of one source.
    [[nodiscard]] io::WaveResult result(std::size_t lane) const;

    [[nodiscard]] const std::vector<std::string>& keys() const { return samples_.keys(); }
    void write(h5::File& file) const;
    void read(const h5::File& file);
    /// After read() on rank 0: the others learn which snapshots are taken. Collective.
    void share(comm::Comm& comm);

private:
    const SeismicJob& job_;
    const SeismicModel& model_;
    SampleRecords samples_;
    std::vector<double> times_s_;  ///< of the snapshots taken so far
    std::vector<float> velocity_;  ///< [snapshots][lanes][snapshot points][3]
    std::vector<float> peak_;      ///< [lanes][triangles][2]
};

}  // namespace kaname::jobs
