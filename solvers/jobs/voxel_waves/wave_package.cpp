// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "solvers/io/dataset/seismogram_dataset.hpp"
#include "solvers/jobs/voxel_waves/wave_model.hpp"
#include "solvers/jobs/voxel_waves/wave_stages.hpp"
#include "solvers/jobs/waves/wave_rows.hpp"

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

}  // namespace kaname::jobs
