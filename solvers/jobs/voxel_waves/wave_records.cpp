// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/voxel_waves/wave_records.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::jobs {

WaveRecords::WaveRecords(const WaveJob& job, const WaveModel& model,
                         std::span<const std::string> ids)
    : job_(job), model_(model), ids_(ids.begin(), ids.end()), snapshots_(ids.size()) {
    for (const std::string& id : ids_) {
        keys_.push_back(std::ranges::find(job.sources, id, &WaveJob::Source::id)->key);
    }
    samples_.assign(ids.size() * job.receivers.size() * 3, 0.0F);  // at rest
}

void WaveRecords::add(std::span<const float> record) {
    samples_.insert(samples_.end(), record.begin(), record.end());
}

template <class T>
void WaveRecords::add_snapshot(const voxelwave::NodeField<T>& displacement, std::int64_t step) {
    const int stride = job_.snapshot_stride;
    const auto nodes = displacement.nodes();
    if (nodes[0] == 0) {
        return;  // all planes are on another rank
    }
    for (std::size_t lane = 0; lane < ids_.size(); ++lane) {
        io::WaveSnapshots& shots = snapshots_[lane];
        shots.times_s.push_back(static_cast<double>(step) * model_.params.dt_s);
        for (int axis = 0; axis < 3; ++axis) {
            shots.nodes[axis] = (nodes[axis] - 1) / stride + 1;
        }
        for (int z = 0; z < nodes[2]; z += stride) {
            for (int y = 0; y < nodes[1]; y += stride) {
                for (int x = 0; x < nodes[0]; x += stride) {
                    for (int c = 0; c < 3; ++c) {
                        shots.displacement_m.push_back(static_cast<float>(
                            displacement.of(c, x, y, z, static_cast<int>(lane))));
                    }
                }
            }
        }
    }
}

io::WaveResult WaveRecords::result(std::size_t lane) const {
    io::WaveResult result;
    result.source_id = ids_[lane];
    result.key = keys_[lane];
    result.interval_s = job_.every * model_.params.dt_s;
    const std::size_t per_source = job_.receivers.size() * 3;
    const std::size_t per_sample = ids_.size() * per_source;
    const std::size_t n = samples_.size() / per_sample;
    result.n_samples = static_cast<std::int64_t>(n);
    result.seismograms_m.resize(per_source * n);
    for (std::size_t t = 0; t < n; ++t) {
        for (std::size_t k = 0; k < per_source; ++k) {
            result.seismograms_m[k * n + t] = samples_[t * per_sample + lane * per_source + k];
        }
    }
    result.snapshots = snapshots_[lane];
    const auto bad = std::ranges::find_if(result.seismograms_m,
                                          [](float value) { return !std::isfinite(value); });
    if (bad != result.seismograms_m.end()) {
        result.failed = true;
        result.failure =
            "the motion is not finite from sample " +
            std::to_string((bad - result.seismograms_m.begin()) % static_cast<std::ptrdiff_t>(n)) +
            " on";
    }
    return result;
}

void WaveRecords::restore(std::vector<float> samples, std::vector<io::WaveSnapshots> snapshots) {
    samples_ = std::move(samples);
    snapshots_ = std::move(snapshots);
}

template void WaveRecords::add_snapshot<double>(const voxelwave::NodeField<double>&, std::int64_t);
template void WaveRecords::add_snapshot<float>(const voxelwave::NodeField<float>&, std::int64_t);

}  // namespace kaname::jobs
