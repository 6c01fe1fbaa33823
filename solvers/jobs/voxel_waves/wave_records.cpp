// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/voxel_waves/wave_records.hpp"

namespace kaname::jobs {

WaveRecords::WaveRecords(const WaveJob& job, const WaveModel& model,
                         std::span<const std::string> ids)
    : samples(job, ids), snapshots(ids.size()), job_(job), model_(model) {
    samples.add_rest();
}

template <class T>
void WaveRecords::add_snapshot(const voxelwave::NodeField<T>& displacement, std::int64_t step) {
    const int stride = job_.snapshot_stride;
    const auto nodes = displacement.nodes();
    if (nodes[0] == 0) {
        return;  // all planes are on another rank
    }
    for (std::size_t lane = 0; lane < snapshots.size(); ++lane) {
        io::WaveSnapshots& shots = snapshots[lane];
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
    io::WaveResult result = samples.result(lane, job_.every * model_.params.dt_s);
    result.snapshots = snapshots[lane];
    return result;
}

template void WaveRecords::add_snapshot<double>(const voxelwave::NodeField<double>&, std::int64_t);
template void WaveRecords::add_snapshot<float>(const voxelwave::NodeField<float>&, std::int64_t);

}  // namespace kaname::jobs
