// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/voxel_fem/wave_package.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/kinematic_sources.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
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
            row.highest_hz = source.time.highest_hz();
            for (const double time_s : times_s) {
                row.function.push_back(source.time.at(time_s));
            }
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

std::vector<voxelwave::PointMoment> patch_potencies(const WavePatch& patch,
                                                    const std::array<double, 3>& centre_m,
                                                    double north_rad, double part_m) {
    constexpr double kMostParts = 1e5, kRounding = 1e-9;
    const auto parts = [&](double side_m) {
        return std::max(1.0, std::ceil(side_m / part_m * (1.0 - kRounding)));
    };
    const double n_along = parts(patch.length_m), n_down = parts(patch.width_m);
    if (n_along * n_down > kMostParts) {
        throw Error(ErrorCode::InvalidArgument,
                    "must have at most 100000 parts of a voxel's size, got " +
                        std::to_string(static_cast<long long>(n_along * n_down)));
    }
    const slip_model::PlaneAxes axes =
        slip_model::plane_axes(patch.strike_deg * kDegree + north_rad, patch.dip_deg * kDegree);
    const double rake = patch.rake_deg * kDegree;
    const Vec3 slip = std::cos(rake) * axes.along_strike - std::sin(rake) * axes.down_dip;
    const std::array<double, 6> potency = slip_model::double_couple(
        patch.slip_m * patch.length_m * patch.width_m / (n_along * n_down), slip, axes.normal);
    std::vector<voxelwave::PointMoment> made;
    for (int j = 0; j < n_down; ++j) {
        for (int i = 0; i < n_along; ++i) {
            const Vec3 from_centre =
                patch.length_m * ((i + 0.5) / n_along - 0.5) * axes.along_strike +
                patch.width_m * ((j + 0.5) / n_down - 0.5) * axes.down_dip;
            made.push_back({{centre_m[0] + from_centre.x, centre_m[1] + from_centre.y,
                             centre_m[2] + from_centre.z},
                            potency});
        }
    }
    return made;
}

}  // namespace kaname::jobs
