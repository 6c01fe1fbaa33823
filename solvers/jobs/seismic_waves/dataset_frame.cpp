// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/dataset_frame.hpp"

#include "solvers/jobs/waves/wave_rows.hpp"

namespace kaname::jobs {
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
    d.warnings = model.warnings;
    d.ground = ground_of(job, model);
    if (!job.snapshots_s.empty()) {
        d.ground.snapshots_s = snapshot_times(files);
    }
    return d;
}

}  // namespace kaname::jobs
