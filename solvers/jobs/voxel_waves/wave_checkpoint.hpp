// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/comm/comm.hpp"
#include "solvers/jobs/voxel_waves/wave_records.hpp"
#include "solvers/jobs/waves/pack_checkpoint.hpp"
#include "solvers/voxelwave/wave_solver.hpp"

namespace kaname::jobs {

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
