// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/io/wave_file.hpp"
#include "solvers/jobs/voxel_waves/wave_model.hpp"
#include "solvers/jobs/waves/sample_records.hpp"

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

}  // namespace kaname::jobs
