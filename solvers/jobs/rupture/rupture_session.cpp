// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "solvers/jobs/rupture/rupture_model.hpp"
#include "solvers/jobs/rupture/rupture_records.hpp"
#include "solvers/jobs/rupture/rupture_stages.hpp"
#include "solvers/jobs/seismic_waves/solver_session.hpp"

namespace kaname::jobs {
namespace {

constexpr const char* kCheckpoint = "kaname-rupture-checkpoint-1";

class RuptureSession final : public SolverSession {
public:
    RuptureSession(const RuptureJob& job, const std::string& mesh_path, std::string work_dir,
                   comm::Comm& comm)
        : SolverSession(job, std::move(work_dir), comm, job.placement),
          job_(job),
          model_(load_rupture_model(job, mesh_path)) {
        ready(model_.seismic.waves);
    }

    PackOutcome solve(std::span<const std::string> ids, const SolveObserver& observer) override {
        (void)places_of(job_, ids);  // one, the event
        aderdg::WavePoints points;
        points.receivers = model_.seismic.receivers;
        if (job_.peak_ground_velocity) {
            points.peaks = model_.seismic.ground_points;
        }
        RuptureRecords records(job_, model_, ids);
        return solve_pack(
            model_.seismic.waves, points, records, ids, kCheckpoint, observer,
            [&](std::size_t) { return records.waves(); },
            [&](h5::File& file) { records.rupture().write(file); });
    }

private:
    const RuptureJob& job_;
    RuptureModel model_;
};

}  // namespace

std::unique_ptr<SeismicSession> open_rupture(const RuptureJob& job, const std::string& mesh_path,
                                             const std::string& work_dir, comm::Comm& comm) {
    return std::make_unique<RuptureSession>(job, mesh_path, work_dir, comm);
}

}  // namespace kaname::jobs
