// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/voxel_fem/wave_package.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/jobs/voxel_fem/wave_model.hpp"
#include "worker/jobs/waves/wave_rows.hpp"

namespace kaname::jobs {
namespace {

using io::SeismogramDataset;

constexpr std::int64_t kMostOfASection = 1000;  ///< voxels along an axis of the picture

std::array<double, 3> in_frame(std::array<double, 3> xyz_m, const WaveModel& model) {
    for (int axis = 0; axis < 3; ++axis) {
        xyz_m[axis] += model.origin_m[axis];
    }
    return xyz_m;
}

/// The plane of voxels with the first source, thinned out where it is large.
SeismogramDataset::Section section_of_model(const WaveModel& model) {
    const auto& voxels = model.voxels;
    const auto [nx, ny, nz] = voxels.voxels;
    const int y = std::clamp(static_cast<int>(model.sources_m[0][1] / voxels.ds_m), 0, ny - 1);
    const int stride = static_cast<int>((std::max(nx, nz) + kMostOfASection - 1) / kMostOfASection);
    const auto centre = [&](int axis, int k) {
        return model.origin_m[axis] + (k + 0.5) * voxels.ds_m;
    };
    SeismogramDataset::Section section;
    section.y_m = centre(1, y);
    for (int x = 0; x < nx; x += stride) {
        section.x_m.push_back(centre(0, x));
    }
    for (int z = 0; z < nz; z += stride) {
        section.z_m.push_back(centre(2, z));
        for (int x = 0; x < nx; x += stride) {
            const voxelwave::Solid& solid = voxels.solid(x, y, z);
            section.vp_m_per_s.push_back(solid.is_void() ? std::numeric_limits<float>::quiet_NaN()
                                                         : static_cast<float>(solid.vp_m_per_s()));
        }
    }
    return section;
}

SeismogramDataset dataset_of_waves(const WaveJob& job, const WaveModel& model) {
    SeismogramDataset d;
    describe_request(job, d);
    d.interval_s = job.every * model.params.dt_s;
    d.n_samples = model.n_samples(job.every);
    d.step_s = model.params.dt_s;
    d.spacing_m = job.spacing_m;
    d.points_per_wavelength = model.points_per_wavelength();
    std::copy(model.voxels.voxels.begin(), model.voxels.voxels.end(), d.voxels.begin());
    d.origin_m = model.origin_m;
    for (std::size_t k = 0; k < job.receivers.size(); ++k) {
        d.receivers.push_back({job.receivers[k].id, in_frame(model.receivers_m[k], model)});
    }
    if (const auto* earth = std::get_if<WaveEarth>(&job.base)) {
        d.globe = {earth->centre.lon_deg, earth->centre.lat_deg, earth->azimuth_rad / kDegree};
    }
    d.warnings = model.warnings;
    d.section = section_of_model(model);
    for (const std::int64_t step : model.snapshot_steps) {
        d.snapshots_s.push_back(static_cast<double>(step) * model.params.dt_s);
    }
    d.snapshot_stride = job.snapshot_stride;
    return d;
}

/// Sets how a source goes with time: of a slip model its moment rate over the largest of the
/// samples.
void set_function(const WaveJob::Source& source, const std::vector<voxelwave::PointMoment>& parts,
                  std::span<const double> times_s, SeismogramDataset::Source& row) {
    const bool by_parts = !parts.empty() && parts[0].time.has_value();
    row.highest_hz = by_parts ? 0.0 : source.time.highest_hz();
    row.function.assign(times_s.size(), 0.0);
    for (std::size_t t = 0; t < times_s.size() && !by_parts; ++t) {
        row.function[t] = source.time.at(times_s[t]);
    }
    for (std::size_t k = 0; k < parts.size() && by_parts; ++k) {
        const source_time::TimeFunction& rate = *parts[k].time;
        row.highest_hz = std::max(row.highest_hz, rate.highest_hz());
        for (std::size_t t = 0; t < times_s.size(); ++t) {
            row.function[t] +=
                slip_model::scalar_moment(parts[k].moment_nm) * rate.moment_rate_at(times_s[t]);
        }
    }
    if (by_parts && !row.function.empty()) {
        if (const double most = std::ranges::max(row.function); most > 0.0) {
            std::ranges::for_each(row.function, [most](double& value) { value /= most; });
        }
    }
}

}  // namespace

PackageSummary package_waves(const WaveJob& job, const SourceFiles& files,
                             const std::string& dataset_path) {
    const WaveModel model = build_wave_model(job);
    const SeismogramDataset dataset = dataset_of_waves(job, model);
    const std::vector<double> times_s = sample_times(dataset.n_samples, dataset.interval_s);
    return write_wave_dataset(
        job, files, dataset,
        [&](std::size_t k) {
            const WaveJob::Source& source = job.sources[k];
            SeismogramDataset::Source row;
            row.xyz_m = in_frame(model.sources_m[k], model);
            row.force_n = source.force_n;
            row.moment_nm = source.moment_nm;
            for (const voxelwave::PointMoment& part : model.parts[k]) {
                for (std::size_t c = 0; c < 6; ++c) {
                    row.moment_nm[c] += part.moment_nm[c];
                }
            }
            set_function(source, model.parts[k], times_s, row);
            return row;
        },
        dataset_path);
}

std::unique_ptr<SourceReader> read_waves(const WaveJob& job) {
    const WaveModel model = build_wave_model(job);
    return read_samples(job,
                        sample_times(model.n_samples(job.every), job.every * model.params.dt_s));
}

namespace {

/// Returns the memory [bytes] of moments with times of their own: each on the nodes of 4 x 4 x 4
/// voxels, of the four sources that have most of them.
double bytes_of_parts(const WaveModel& model) {
    constexpr double kNodes = 125.0, kPerNode = 32.0;
    std::vector<std::size_t> counts;
    for (const std::vector<voxelwave::PointMoment>& parts : model.parts) {
        counts.push_back(!parts.empty() && parts[0].time ? parts.size() : 0);
    }
    std::ranges::sort(counts, std::greater());
    counts.resize(std::min(counts.size(), static_cast<std::size_t>(kWavePack)));
    return kNodes * kPerNode *
           static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
}

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
    found.notes = model.notes;
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
    found.solve_bytes += bytes_of_parts(model);
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
