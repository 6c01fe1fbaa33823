// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "solvers/jobs/seismic_waves/seismic_model.hpp"
#include "solvers/jobs/seismic_waves/seismic_records.hpp"
#include "solvers/jobs/seismic_waves/solver_session.hpp"

namespace kaname::jobs {
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
