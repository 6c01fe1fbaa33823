// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/io/wave_file.hpp"
#include "solvers/jobs/voxel_waves/wave_model.hpp"

namespace kaname::jobs {

/// What is taken of a pack while it is solved: seismograms and snapshots.
class WaveRecords {
public:
    WaveRecords(const WaveJob& job, const WaveModel& model, std::span<const std::string> ids);

    /// The next samples, [samples][sources][receivers][3].
    void add(std::span<const float> record);
    /// All nodes; of an empty field nothing is taken.
    template <class T>
    void add_snapshot(const voxelwave::NodeField<T>& displacement, std::int64_t step);
    /// Of one source: failed where a number is not finite.
    [[nodiscard]] io::WaveResult result(std::size_t lane) const;

    [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }
    /// All samples so far, as add() takes them; the first, at rest, among them.
    [[nodiscard]] const std::vector<float>& samples() const { return samples_; }
    [[nodiscard]] const std::vector<io::WaveSnapshots>& snapshots() const { return snapshots_; }
    /// Goes on from what was there before.
    void restore(std::vector<float> samples, std::vector<io::WaveSnapshots> snapshots);

private:
    const WaveJob& job_;
    const WaveModel& model_;
    std::vector<std::string> ids_, keys_;
    std::vector<float> samples_;
    std::vector<io::WaveSnapshots> snapshots_;  ///< [source]
};

}  // namespace kaname::jobs
