// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/voxelwave/wave_solver.hpp"
#include "worker/jobs/voxel_fem/wave_model.hpp"
#include "worker/jobs/waves/wave_packs.hpp"
#include "worker/jobs/waves/wave_rows.hpp"

namespace kaname::jobs {

/// WaveRecords records a pack while it is solved: seismograms and snapshots.
class WaveRecords {
public:
    WaveRecords(const WaveJob& job, const WaveModel& model, std::span<const std::string> ids);

    /// All nodes; of an empty field nothing is taken.
    template <class T>
    void add_snapshot(const voxelwave::NodeField<T>& displacement, std::int64_t step);
    [[nodiscard]] io::WaveResult result(std::size_t lane) const;

    /// The first sample, at rest, among them.
    SampleRecords samples;
    std::vector<io::WaveSnapshots> snapshots;  ///< [source]

private:
    const WaveJob& job_;
    const WaveModel& model_;
};

/// Writes and reads the checkpoint of a pack: its two fields, exactly, and what was recorded.
template <class T>
class WaveCheckpoints {
public:
    WaveCheckpoints(const WaveJob& job, std::vector<std::string> keys, const std::string& work_dir,
                    comm::Comm& comm);

    /// On any number of ranks. Collective, as write_if_due.
    void resume(voxelwave::WaveSolver<T>& solver, WaveRecords& records, SolveProgress& progress);
    void write_if_due(const voxelwave::WaveSolver<T>& solver, const WaveRecords& records,
                      SolveProgress& progress);
    /// Removes the checkpoint of a pack that has ended.
    void remove() { file_.remove(); }

private:
    comm::Comm& comm_;
    PackCheckpoint file_;
};

extern template class WaveCheckpoints<double>;
extern template class WaveCheckpoints<float>;

}  // namespace kaname::jobs
