// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/seismic_records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/ader_dg/solver_session.hpp"
#include "worker/jobs/waves/wave_rows.hpp"

namespace kaname::jobs {
namespace {

void take_one_of(int factor, io::WaveResult& result) {
    const auto n = static_cast<std::size_t>(result.n_samples);
    const std::span<const float> all(result.seismograms);
    std::vector<float> kept;
    for (std::size_t first = 0; first < all.size(); first += n) {
        const std::vector<float> series = decimate(all.subspan(first, n), factor);
        kept.insert(kept.end(), series.begin(), series.end());
        result.n_samples = std::ssize(series);
    }
    result.seismograms = std::move(kept);
}

/// NaN for the samples that a failed solve did not come to.
void fill_up(std::int64_t n_samples, io::WaveResult& result) {
    const auto had = static_cast<std::size_t>(result.n_samples),
               wanted = static_cast<std::size_t>(n_samples);
    std::vector<float> all;
    for (std::size_t first = 0; first < result.seismograms.size() && had > 0; first += had) {
        const auto row = result.seismograms.begin() + static_cast<std::ptrdiff_t>(first);
        all.insert(all.end(), row, row + static_cast<std::ptrdiff_t>(std::min(had, wanted)));
        all.resize(all.size() + wanted - std::min(had, wanted),
                   std::numeric_limits<float>::quiet_NaN());
    }
    result.seismograms = std::move(all);
    result.n_samples = n_samples;
}

}  // namespace

SeismicRecords::SeismicRecords(const SeismicJob& job, const SeismicModel& model,
                               std::span<const std::string> ids)
    : job_(job),
      model_(model),
      samples_(job, ids,
               job.forces.empty() ? job.receivers.size() : 2 * model.strains.places.size()) {}

double SeismicRecords::next_s() const {
    return times_s_.size() < job_.snapshots_s.size() ? job_.snapshots_s[times_s_.size()]
                                                     : std::numeric_limits<double>::infinity();
}

void SeismicRecords::take(aderdg::WaveSolver& solver) {
    samples_.add(solver.take_record());
    // Every time that has come is served by this moment: several may lie within a step.
    const double now_s = solver.time_s();
    while (next_s() <= now_s) {
        const std::vector<float> velocity = solver.velocity_at(model_.snapshot_points);
        velocity_.insert(velocity_.end(), velocity.begin(), velocity.end());
        times_s_.push_back(now_s);
    }
}

void SeismicRecords::fail(std::size_t lane, double good_s, const std::string& why) {
    // Sample k is at k times the interval between recorded ones; those of good_s itself are good.
    const double interval_s = job_.interval_s / job_.oversampling;
    samples_.fail(lane, static_cast<std::int64_t>(std::floor(good_s / interval_s + 1e-9)) + 1, why);
}

void SeismicRecords::end(aderdg::WaveSolver& solver) {
    if (job_.peak_ground_velocity) {
        peak_ = solver.peak_velocity();
    }
}

io::WaveResult SeismicRecords::result(std::size_t lane) const {
    io::WaveResult result = samples_.result(lane, job_.interval_s);
    if (job_.oversampling > 1) {
        take_one_of(job_.oversampling, result);
    }
    if (samples_.failed(lane)) {
        fill_up(job_.n_samples(), result);
        return result;
    }
    const std::size_t n = model_.ground_points.size(), lanes = samples_.sources();
    io::GroundMotion& ground = result.ground;
    if (!peak_.empty()) {
        const auto first = peak_.begin() + static_cast<std::ptrdiff_t>(lane * n * 2);
        ground.peak_m_per_s.assign(first, first + static_cast<std::ptrdiff_t>(n * 2));
    }
    ground.times_s = times_s_;
    if (!velocity_.empty()) {
        const std::size_t all = model_.snapshot_points.size();
        for (std::size_t k = 0; k < times_s_.size(); ++k) {
            const auto first =
                velocity_.begin() + static_cast<std::ptrdiff_t>((k * lanes + lane) * all * 3);
            const auto middle = first + static_cast<std::ptrdiff_t>(n * 3);
            ground.velocity_m_per_s.insert(ground.velocity_m_per_s.end(), first, middle);
            result.elements_m_per_s.insert(result.elements_m_per_s.end(), middle,
                                           first + static_cast<std::ptrdiff_t>(all * 3));
        }
    }
    return result;
}

void SeismicRecords::write(h5::File& file) const {
    file.write<float>("samples", samples_.samples(), {samples_.samples().size()});
    file.write<double>("snapshot", times_s_, {times_s_.size()});
    file.write<float>("velocity", velocity_, {velocity_.size()});
}

void SeismicRecords::read(const h5::File& file) {
    samples_.restore(file.read<float>("samples", {h5::kAny}));
    times_s_ = file.read<double>("snapshot", {h5::kAny});
    velocity_ = file.read<float>("velocity", {h5::kAny});
}

void SeismicRecords::share(comm::Comm& comm) {
    comm::Bytes bytes(times_s_.size() * sizeof(double));
    std::memcpy(bytes.data(), times_s_.data(), bytes.size());
    comm.broadcast(bytes, 0);
    times_s_.resize(bytes.size() / sizeof(double));
    std::memcpy(times_s_.data(), bytes.data(), bytes.size());
}

namespace {

constexpr const char* kCheckpoint = "kaname-seismic-checkpoint-1";

Placement placement_of(const SeismicJob& job) {
    return job.forces.empty()
               ? job.placement
               : on_processors(job.placement,
                               "green.method: reciprocal must be solved on CPUs, device is cuda: "
                               "GPUs record no strains");
}

class ClusteredSession final : public SolverSession {
public:
    ClusteredSession(const SeismicJob& job, const std::string& mesh_path, std::string work_dir,
                     comm::Comm& comm)
        : SolverSession(job, std::move(work_dir), comm, placement_of(job)),
          job_(job),
          model_(load_seismic_model(job, mesh_path)) {
        ready(model_.waves);
    }
    PackOutcome solve(std::span<const std::string> ids, const SolveObserver& observer) override {
        const aderdg::WavePoints points = points_of(ids);
        SeismicRecords records(job_, model_, ids);
        return solve_pack(model_.waves, points, records, ids, kCheckpoint, observer,
                          [&](std::size_t lane) { return records.result(lane); });
    }

private:
    [[nodiscard]] aderdg::WavePoints points_of(std::span<const std::string> ids) const;

    const SeismicJob& job_;
    SeismicModel model_;
};

aderdg::WavePoints ClusteredSession::points_of(std::span<const std::string> ids) const {
    aderdg::WavePoints points;
    int lane = 0;
    if (!job_.forces.empty()) {
        for (const std::size_t k : places_of(job_, ids)) {
            points.sources.push_back(reciprocal_force(job_, model_.receivers, k, lane++));
        }
        points.strains = model_.strains.places;
        return points;
    }
    for (const std::size_t k : places_of(job_, ids)) {
        for (aderdg::PointSource point : model_.sources[k].points) {
            point.lane = lane;
            points.sources.push_back(std::move(point));
        }
        ++lane;
    }
    points.receivers = model_.receivers;
    if (job_.peak_ground_velocity) {
        points.peaks = model_.ground_points;
    }
    return points;
}

}  // namespace

std::unique_ptr<SeismicSession> open_seismic(const SeismicJob& job, const std::string& mesh_path,
                                             const std::string& work_dir, comm::Comm& comm) {
    return std::make_unique<ClusteredSession>(job, mesh_path, work_dir, comm);
}

std::int64_t unknowns_of(std::int64_t elements, const SeismicJob& job) {
    // Polynomials of degree N = order - 1 in a tet: (N + 1)(N + 2)(N + 3)/6; nine of stress and
    // velocity, six of each mechanism.
    const std::int64_t n = job.mesh.order;
    const std::int64_t mechanisms = job.quality.empty() ? 0 : job.band.mechanisms;
    return elements * (n * (n + 1) * (n + 2) / 6) * (9 + 6 * mechanisms);
}

}  // namespace kaname::jobs
