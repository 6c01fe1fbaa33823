// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cmath>

#include "solvers/jobs/geometry/available_memory.hpp"
#include "solvers/jobs/voxel_waves/wave_model.hpp"
#include "solvers/jobs/voxel_waves/wave_stages.hpp"

namespace kaname::jobs {
namespace {

constexpr int kBlock = 48;  ///< voxels a side of the block that speed is measured on
constexpr double kMeasured_s = 0.3;

}  // namespace

Preflight preflight_waves(const WaveJob& job) {
    Preflight found;
    WaveModel model;
    try {
        model = build_wave_model(job);
    } catch (const ValidationError& error) {
        found.violations = error.violations();
        return found;
    }
    found.warnings = model.warnings;
    const auto nodes = static_cast<double>(model.voxels.n_nodes());
    const std::int64_t lanes = voxelwave::lanes_of(std::min(kWavePack, std::ssize(job.sources)));
    const double field = 3.0 * nodes * static_cast<double>(lanes) * (job.single ? 4.0 : 8.0);
    const double samples = static_cast<double>(model.n_samples(job.every)) *
                           static_cast<double>(job.receivers.size()) * 3.0;
    double snapshots = 0.0;
    if (!job.snapshots_s.empty()) {
        snapshots = 3.0 * nodes / std::pow(job.snapshot_stride, 3) *
                    static_cast<double>(job.snapshots_s.size());
    }
    const bool by_element = job.variant != voxelwave::Variant::OvfemWalsh;
    found.dof = 3 * model.voxels.n_nodes();
    found.sources = std::ssize(job.sources);
    found.packs = packs_of(found.sources);
    found.stations = std::ssize(job.receivers);
    found.steps = model.n_steps;
    found.epochs = model.n_samples(job.every);
    found.method = kWavesMethod;
    found.step_s = found.longest_step_s = model.params.dt_s;
    found.end_s = static_cast<double>(model.n_steps) * model.params.dt_s;
    found.solve_bytes = (by_element ? 4.0 : 3.0) * field + nodes * 18.0 +
                        4.0 * static_cast<double>(lanes) * (samples + snapshots);
    found.gpu_bytes = (by_element ? 12.0 : 3.0) * field + nodes * 10.0;
    found.available_bytes = available_bytes();
    found.dataset_bytes = 4.0 * static_cast<double>(found.sources) * (samples + snapshots);
    warn_of_memory(found.solve_bytes, found.available_bytes, found.warnings);
    return found;
}

std::string wave_speed_key(const WaveJob& job) {
    return "waves-" + std::to_string(static_cast<int>(job.variant)) + (job.single ? "-32" : "-64") +
           "-" + std::to_string(job.stages);
}

namespace {

template <class T>
double seconds_per_voxel(const WaveJob& job) {
    using Clock = std::chrono::steady_clock;
    voxelwave::VoxelModel model;
    model.voxels = {kBlock, kBlock, kBlock};
    model.ds_m = 1.0;
    model.solids = {voxelwave::Solid::of_speeds(4000.0, 2300.0, 2400.0)};
    model.solid_of.assign(static_cast<std::size_t>(model.n_voxels()), 0);
    voxelwave::WaveParams params;
    params.variant = job.variant;
    params.stages = job.stages;
    params.damping = {0.0, 1e-9};
    params.dt_s = 1e-4;
    const std::int64_t lanes = voxelwave::lanes_of(std::min(kWavePack, std::ssize(job.sources)));
    const std::vector<voxelwave::PointSource> sources(
        lanes,
        {{24.0, 24.0, 24.0}, {0.0, 0.0, 1.0}, {}, source_time::TimeFunction::ricker(20.0, 0.05)});
    voxelwave::WaveSolver<T> solver(model, params, sources, {});
    solver.step();
    const auto start = Clock::now();
    const std::int64_t first = solver.n_steps();
    double seconds = 0.0;
    do {
        solver.step();
        seconds = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds < kMeasured_s);
    return seconds / static_cast<double>(solver.n_steps() - first) /
           static_cast<double>(model.n_voxels()) / static_cast<double>(lanes);
}

}  // namespace

double measure_wave_speed(const WaveJob& job) {
    return job.single ? seconds_per_voxel<float>(job) : seconds_per_voxel<double>(job);
}

}  // namespace kaname::jobs
