// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/io/dataset/seismogram_dataset.hpp"
#include "solvers/jobs/voxel_waves/wave_model.hpp"
#include "solvers/jobs/voxel_waves/wave_stages.hpp"

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
SeismogramDataset::Section section_of(const WaveModel& model) {
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

SeismogramDataset frame_of(const WaveJob& job, const WaveModel& model) {
    SeismogramDataset d;
    d.name = job.name;
    d.title = job.title;
    d.specification_json = job.specification_json;
    d.kaname_version = job.version;
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
    d.section = section_of(model);
    for (const std::int64_t step : model.snapshot_steps) {
        d.snapshots_s.push_back(static_cast<double>(step) * model.params.dt_s);
    }
    d.snapshot_stride = job.snapshot_stride;
    return d;
}

class WaveReader final : public SourceReader {
public:
    explicit WaveReader(const WaveJob& job) : job_(job) {
        const WaveModel model = build_wave_model(job);
        for (std::int64_t k = 0; k < model.n_samples(job.every); ++k) {
            times_s_.push_back(static_cast<double>(k * job.every) * model.params.dt_s);
        }
    }

    [[nodiscard]] const std::vector<double>& epochs_s() const override { return times_s_; }
    [[nodiscard]] std::vector<std::string> station_ids() const override {
        std::vector<std::string> ids;
        for (const WaveJob::Receiver& receiver : job_.receivers) {
            ids.push_back(receiver.id);
        }
        return ids;
    }
    [[nodiscard]] std::vector<std::string> components() const override { return {"x", "y", "z"}; }
    SourceBlock read(const SourceFiles& files) override {
        SourceBlock block;
        const std::size_t rows = job_.receivers.size() * 3;
        for (const auto& [id, file] : files) {
            const io::WaveResult result = io::read_wave_result(file);
            const std::size_t n = times_s_.size();
            block.ids.push_back(id);
            for (std::size_t t = 0; t < n; ++t) {
                for (std::size_t k = 0; k < rows; ++k) {
                    block.values.push_back(result.failed ? std::numeric_limits<double>::quiet_NaN()
                                                         : double(result.seismograms_m[k * n + t]));
                }
            }
        }
        return block;
    }

private:
    const WaveJob& job_;
    std::vector<double> times_s_;
};

}  // namespace

std::string wave_path(const std::string& work_dir, const std::string& source_id) {
    return work_dir + "/" + source_id + ".h5";
}

SourceFiles find_waves(const WaveJob& job, const std::string& work_dir) {
    SourceFiles files;
    for (const WaveJob::Source& source : job.sources) {
        const std::string path = wave_path(work_dir, source.id);
        if (std::filesystem::exists(path)) {
            files.emplace(source.id, path);
        }
    }
    return files;
}

PackageSummary package_waves(const WaveJob& job, const SourceFiles& files,
                             const std::string& dataset_path) {
    const WaveModel model = build_wave_model(job);
    SeismogramDataset dataset = frame_of(job, model);
    PackageSummary summary;
    for (std::size_t k = 0; k < job.sources.size(); ++k) {
        const WaveJob::Source& source = job.sources[k];
        SeismogramDataset::Source row;
        row.id = source.id;
        row.xyz_m = in_frame(model.sources_m[k], model);
        row.force_n = source.force_n;
        row.moment_nm = source.moment_nm;
        row.highest_hz = source.time.highest_hz();
        for (std::int64_t t = 0; t < dataset.n_samples; ++t) {
            row.function.push_back(source.time.at(static_cast<double>(t) * dataset.interval_s));
        }
        const auto found = files.find(source.id);
        row.failure = found == files.end() ? "has no result" : "";
        if (found != files.end()) {
            const io::WaveResult result = io::read_wave_header(found->second);
            row.status = result.failed ? 2 : 1;
            row.failure = result.failure;
            if (!result.failed && result.n_samples != dataset.n_samples) {
                throw Error(ErrorCode::DataLoss,
                            found->second + ": has " + std::to_string(result.n_samples) +
                                " samples, must have " + std::to_string(dataset.n_samples) +
                                ": another version solved it, or it is of another specification");
            }
        }
        ++(row.status == 1   ? summary.sources_done
           : row.status == 2 ? summary.sources_failed
                             : summary.sources_missing);
        if (row.status != 1) {
            summary.lacks.push_back(source.id + ": " + row.failure);
        }
        dataset.sources.push_back(std::move(row));
    }
    io::write_seismograms(dataset_path, dataset, [&](std::size_t k) {
        io::WaveResult result = io::read_wave_result(files.at(job.sources[k].id));
        for (const float value : result.seismograms_m) {
            summary.max_displacement_m =
                std::max(summary.max_displacement_m, std::abs(double(value)));
        }
        return result;
    });
    summary.epochs = dataset.n_samples;
    summary.stations = std::ssize(job.receivers);
    summary.warnings = model.warnings;
    return summary;
}

std::unique_ptr<SourceReader> read_waves(const WaveJob& job) {
    return std::make_unique<WaveReader>(job);
}

}  // namespace kaname::jobs
