// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/seismic_package.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"
#include "worker/jobs/waves/wave_rows.hpp"

namespace kaname::jobs {
namespace {

using io::SeismogramDataset;

/// s(t) at the samples; a rupture's over its largest value there.
std::vector<double> sampled(const SeismicSource& source, bool rupture,
                            const std::vector<double>& times_s) {
    std::vector<double> values;
    double largest = 0.0;
    for (const double time_s : times_s) {
        values.push_back(source.function(time_s));
        largest = std::max(largest, std::abs(values.back()));
    }
    for (double& value : values) {
        value /= rupture && largest > 0.0 ? largest : 1.0;
    }
    return values;
}

using RowOf = std::function<SeismogramDataset::Source(std::size_t)>;

/// All sources from the strains of all forces, or none.
PackageSummary package_reciprocal(const SeismicJob& job, const SeismicModel& model,
                                  const SourceFiles& files, const SeismogramDataset& dataset,
                                  const RowOf& row, const std::string& path) {
    SeismogramDataset::Source all;  // what became of all of them
    all.status = 1;
    std::vector<std::string> lacks, paths;
    for (const WaveName& force : job.forces) {
        SeismogramDataset::Source one;
        set_wave_status(files, force.id, dataset.n_samples, one);
        if (one.status == 1) {
            paths.push_back(files.at(force.id));
            continue;
        }
        lacks.push_back("the force " + force.id + ": " + one.failure);
        if (all.status == 1) {
            all.status = one.status;
            all.failure = "needs " + lacks.back();
        }
    }
    WaveRows rows;
    for (const SeismicJob::Source& source : job.sources) {
        rows.ids.push_back(source.id);
    }
    rows.row = row;
    rows.set_status = [&](SeismogramDataset::Source& source) {
        source.status = all.status;
        source.failure = all.failure;
    };
    ReciprocalSeismograms seismograms(model.strains, paths, dataset.n_samples);
    rows.result = [&](std::size_t k) {
        io::WaveResult result;
        if (all.status != 1) {
            return result;
        }
        result.source_id = rows.ids[k];
        result.interval_s = dataset.interval_s;
        result.n_samples = dataset.n_samples;
        result.seismograms = seismograms.of_source(k);
        return result;
    };
    PackageSummary summary = write_wave_rows(job, rows, dataset, path);
    summary.lacks = lacks;
    return summary;
}

}  // namespace

io::SeismogramDataset::Source row_of_source(const SeismicJob& job, const SeismicModel& model,
                                            std::size_t k, const std::vector<double>& times_s) {
    const SeismicSource& source = model.sources[k];
    SeismogramDataset::Source row;
    row.id = job.sources[k].id;
    row.xyz_m = numbers_of(source.at_m);
    row.force_n = source.force_n;
    row.moment_nm = source.moment_nm;
    row.highest_hz = source.highest_hz;
    row.function = sampled(source, job.sources[k].rupture.has_value(), times_s);
    return row;
}

PackageSummary package_seismic(const SeismicJob& job, const std::string& mesh_path,
                               const SourceFiles& files, const std::string& dataset_path) {
    const SeismicModel model = load_seismic_model(job, mesh_path);
    SeismogramDataset dataset = dataset_frame(job, model, files);
    const std::vector<double> times_s = sample_times(dataset.n_samples, dataset.interval_s);
    const RowOf row_of = [&](std::size_t k) { return row_of_source(job, model, k, times_s); };
    PackageSummary summary =
        job.forces.empty() ? write_wave_dataset(job, files, dataset, row_of, dataset_path)
                           : package_reciprocal(job, model, files, dataset, row_of, dataset_path);
    summary.tets = std::ssize(model.waves.mesh.tets);
    return summary;
}

std::unique_ptr<SourceReader> read_seismic(const SeismicJob& job) {
    if (!job.forces.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "green.method reciprocal: seismograms are put together when all forces are "
                    "solved, and read from the dataset alone");
    }
    return read_samples(job, sample_times(job.n_samples(), job.interval_s));
}

namespace {

using io::SeismogramDataset;

SeismogramDataset::Ground ground_of(const SeismicJob& job, const SeismicModel& model) {
    SeismogramDataset::Ground ground;
    std::vector<std::int32_t> point(model.waves.mesh.xyz.size(), -1);
    for (const auto& triangle : model.ground.vertices) {
        for (const std::int32_t vertex : triangle) {
            if (point[vertex] < 0) {
                point[vertex] = static_cast<std::int32_t>(ground.xyz_m.size() / 3);
                const std::array<double, 3> at = numbers_of(model.waves.mesh.xyz[vertex]);
                ground.xyz_m.insert(ground.xyz_m.end(), at.begin(), at.end());
            }
            ground.triangles.push_back(point[vertex]);
        }
    }
    ground.peaks = job.peak_ground_velocity;
    return ground;
}

/// Times of the snapshots that were taken, of the first source that has some: all are of the same
/// steps.
std::vector<double> snapshot_times(const SourceFiles& files) {
    for (const auto& [id, path] : files) {
        const io::WaveResult result = io::read_wave_result(path);
        if (!result.failed) {
            return result.ground.times_s;
        }
    }
    return {};
}

}  // namespace

std::array<double, 3> numbers_of(const Vec3& at_m) {
    return {at_m.x, at_m.y, at_m.z};
}

io::SeismogramDataset dataset_frame(const SeismicJob& job, const SeismicModel& model,
                                    const SourceFiles& files) {
    SeismogramDataset d;
    describe_request(job, d);
    d.interval_s = job.interval_s;
    d.n_samples = job.n_samples();
    const bool velocity = job.motion == aderdg::Motion::Velocity;
    d.quantity = velocity ? "velocity" : "displacement";
    d.unit = velocity ? "m s-1" : "m";
    d.step_s = aderdg::find_clusters(model.waves, wave_params(job, 1)).step_s;
    d.points_per_wavelength = model.resolution.worst.per_wavelength;
    d.elements = SeismogramDataset::Elements{
        std::ssize(model.waves.mesh.tets), job.mesh.order, job.mesh.max_frequency_hz, {}, {}};
    if (job.volume_snapshots) {
        const mesh::TetMesh& mesh = model.waves.mesh;
        for (const Vec3& x : mesh.xyz) {
            d.elements->xyz_m.insert(d.elements->xyz_m.end(), {x.x, x.y, x.z});
        }
        for (const auto& tet : mesh.tets) {
            d.elements->tets.insert(d.elements->tets.end(), tet.begin(), tet.end());
        }
    }
    for (std::size_t k = 0; k < job.receivers.size(); ++k) {
        d.receivers.push_back({job.receivers[k].id, numbers_of(model.receivers[k].at_m)});
    }
    if (job.centre) {
        d.globe = {job.centre->lon_deg, job.centre->lat_deg, 0.0};
    }
    d.warnings = model.warnings;
    d.ground = ground_of(job, model);
    if (!job.snapshots_s.empty()) {
        d.ground.snapshots_s = snapshot_times(files);
    }
    return d;
}

}  // namespace kaname::jobs
