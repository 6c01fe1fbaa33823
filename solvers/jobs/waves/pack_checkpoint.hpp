// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/jobs/spec/checkpoint_clock.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "solvers/jobs/waves/wave_request.hpp"

namespace kaname::jobs {

/// The one checkpoint of a work folder, whatever is in it. One that is of other sources, or
/// damaged, is passed over with a warning, and so is one that cannot be written: neither ends a
/// solve.
class PackCheckpoint {
public:
    /// `format`: what kind of checkpoint it is.
    PackCheckpoint(const WaveRequest& job, std::string format, std::vector<std::string> keys,
                   const std::string& work_dir, comm::Comm& comm);

    /// Reads on rank 0. Returns on every rank the step at which the checkpoint was written, 0 where
    /// there is none. Collective.
    [[nodiscard]] std::int64_t read(const std::function<void(const h5::File&)>& read,
                                    SolveProgress& progress);
    /// Returns true if it is time to write a checkpoint. Collective.
    [[nodiscard]] bool due();
    /// Writes on rank 0.
    void write(std::int64_t step, const std::function<void(h5::File&)>& write,
               SolveProgress& progress);
    /// Removes the checkpoint of a pack that has ended.
    void remove();

private:
    bool wanted_;
    std::string path_, version_, format_;
    std::vector<std::string> keys_;
    comm::Comm& comm_;
    CheckpointClock clock_;
    CheckpointClock::Clock::time_point begin_{};
    bool warned_ = false;
};

}  // namespace kaname::jobs
