// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/comm/comm.hpp"
#include "solvers/jobs/spec/checkpoint_clock.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "solvers/jobs/voxel_waves/wave_records.hpp"
#include "solvers/voxelwave/wave_solver.hpp"

namespace kaname::jobs {

/// Writes and reads the one checkpoint of a work folder: the two fields of a pack, exactly, and
/// what was recorded. One that is of other sources, or damaged, is passed over with a warning, and
/// so is one that cannot be written: neither ends a solve.
template <class T>
class WaveCheckpoints {
public:
    WaveCheckpoints(const WaveJob& job, const std::string& work_dir, comm::Comm& comm);

    /// On any number of ranks. Collective, as write_if_due.
    void resume(voxelwave::WaveSolver<T>& solver, WaveRecords& records, SolveProgress& progress);
    void write_if_due(const voxelwave::WaveSolver<T>& solver, const WaveRecords& records,
                      SolveProgress& progress);
    /// Of a pack that has ended.
    void remove();

private:
    bool wanted_;
    std::string path_, version_;
    comm::Comm& comm_;
    CheckpointClock clock_;
    bool warned_ = false;
};

extern template class WaveCheckpoints<double>;
extern template class WaveCheckpoints<float>;

}  // namespace kaname::jobs
