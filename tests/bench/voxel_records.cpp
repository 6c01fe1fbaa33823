// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/voxel_records.hpp"

#include <cmath>

#include "solvers/voxelwave/wave_solver.hpp"

namespace kaname::bench {

constexpr double kSample_s = 2e-7;

template <class T>
Record waveforms(const VoxelBlock& block, const Grid& grid, voxelwave::Variant variant,
                 const device::Queue& queue) {
    const voxelwave::VoxelModel model = block.model(grid.ds_m());
    voxelwave::WaveParams params;
    params.dt_s = grid.dt_s;
    params.damping = voxelwave::damping_of_band(kDampingRatio, 1e5, 1.25e5);
    params.variant = variant;
    for (const int x : {0, model.voxels[0]}) {
        for (const int y : {0, model.voxels[1]}) {
            params.fixed.push_back(model.node(x, y, 0));
        }
    }
    voxelwave::WaveSolver<T> solver(model, params, std::span(&block.source, 1), block.receivers_m,
                                    queue);
    solver.run(std::lround(block.duration_s / grid.dt_s), std::lround(kSample_s / grid.dt_s));
    return solver.take_record();
}

template Record waveforms<double>(const VoxelBlock&, const Grid&, voxelwave::Variant,
                                  const device::Queue&);
template Record waveforms<float>(const VoxelBlock&, const Grid&, voxelwave::Variant,
                                 const device::Queue&);

double error_of(const Record& record, const Record& reference, std::size_t channels) {
    double mean = 0.0;
    for (std::size_t channel = 0; channel < channels; ++channel) {
        double error = 0.0, size = 0.0;
        for (std::size_t at = channel; at < record.size(); at += channels) {
            const double difference = double(record[at]) - reference[at];
            error += difference * difference;
            size += double(reference[at]) * reference[at];
        }
        mean += error / size / static_cast<double>(channels);
    }
    return mean;
}

Record extrapolated(const Record& coarse, const Grid& of_coarse, const Record& fine,
                    const Grid& of_fine) {
    const double ratio = of_coarse.ds_m() / of_fine.ds_m();
    Record record = fine;
    for (std::size_t k = 0; k < fine.size(); ++k) {
        record[k] += (fine[k] - coarse[k]) / static_cast<float>(ratio * ratio - 1.0);
    }
    return record;
}

}  // namespace kaname::bench
