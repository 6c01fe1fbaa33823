// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/ader_dg/solver_session.hpp"
#include "worker/jobs/waves/wave_rows.hpp"

namespace kaname::jobs {

/// SeismicRecords records a pack while it is solved: seismograms, and the motion of the ground.
class SeismicRecords : public SolverRecords {
public:
    SeismicRecords(const SeismicJob& job, const SeismicModel& model,
                   std::span<const std::string> ids);

    /// Takes the samples that are complete, and a snapshot where the first time that has none yet
    /// has come. Collective.
    void take(aderdg::WaveSolver& solver) override;
    /// Takes the largest speeds. Collective.
    void end(aderdg::WaveSolver& solver) override;
    void fail(std::size_t lane, double good_s, const std::string& why) override;
    /// Time of the next snapshot; infinite when all are taken.
    [[nodiscard]] double next_s() const override;
    /// Returns the results of one source.
    [[nodiscard]] io::WaveResult result(std::size_t lane) const;

    [[nodiscard]] const std::vector<std::string>& keys() const override { return samples_.keys(); }
    void write(h5::File& file) const override;
    void read(const h5::File& file) override;
    void share(comm::Comm& comm) override;

private:
    const SeismicJob& job_;
    const SeismicModel& model_;
    SampleRecords samples_;
    std::vector<double> times_s_;  ///< of the snapshots taken so far
    std::vector<float> velocity_;  ///< [snapshots][lanes][snapshot points][3]
    std::vector<float> peak_;      ///< [lanes][triangles][2]
};

}  // namespace kaname::jobs
