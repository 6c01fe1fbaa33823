// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/rupture/rupture_records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/rupture/fault_setup.hpp"
#include "worker/jobs/ader_dg/solver_session.hpp"
#include "worker/jobs/rupture/rupture_model.hpp"
#include "worker/jobs/rupture/rupture_package.hpp"

namespace kaname::jobs {
namespace {

using rupture::Kept;

constexpr double kRounding = 1e-9;  ///< of a step that ends at a time but for rounding
constexpr double kEnergiesInARun = 100.0;
constexpr double kNever_s = std::numeric_limits<double>::infinity();

template <class T>
void write_if_any(h5::File& file, const char* name, const std::vector<T>& values) {
    if (!values.empty()) {
        file.write<T>(name, values, {values.size()});
    }
}
template <class T>
void read_if_any(const h5::File& file, const char* name, std::vector<T>& values) {
    values = file.has(name) ? file.read<T>(name, {h5::kAny}) : std::vector<T>();
}

}  // namespace

std::span<const float> RuptureResult::at(std::size_t face, int field) const {
    return std::span(values).subspan(
        (face * Kept::kFields + static_cast<std::size_t>(field)) * n_points(), n_points());
}

void RuptureResult::write_series(h5::File& file) const {
    write_if_any(file, "rupture/samples", samples);
    write_if_any(file, "rupture/snapshot", snapshots_s);
    write_if_any(file, "rupture/rates", rates);
    write_if_any(file, "rupture/energy_time", energy_s);
    write_if_any(file, "rupture/energies", energies);
    write_if_any(file, "rupture/height_time", heights_s);
    write_if_any(file, "rupture/heights", heights_m);
}

void RuptureResult::read_series(const h5::File& file) {
    read_if_any(file, "rupture/samples", samples);
    read_if_any(file, "rupture/snapshot", snapshots_s);
    read_if_any(file, "rupture/rates", rates);
    read_if_any(file, "rupture/energy_time", energy_s);
    read_if_any(file, "rupture/energies", energies);
    read_if_any(file, "rupture/height_time", heights_s);
    read_if_any(file, "rupture/heights", heights_m);
}

void RuptureResult::write(h5::File& file) const {
    write_if_any(file, "rupture/points", points);
    write_if_any(file, "rupture/weights", weights);
    write_if_any(file, "rupture/values", values);
    write_if_any(file, "rupture/plastic", plastic);
    write_series(file);
}

RuptureResult RuptureResult::read(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    RuptureResult result;
    result.points = file.read<double>("rupture/points", {h5::kAny});
    result.weights = file.read<double>("rupture/weights", {h5::kAny});
    result.values = file.read<float>("rupture/values", {h5::kAny});
    read_if_any(file, "rupture/plastic", result.plastic);
    result.read_series(file);
    return result;
}

RuptureRecords::RuptureRecords(const RuptureJob& job, const RuptureModel& model,
                               std::span<const std::string> ids)
    : job_(job),
      model_(model),
      energy_interval_s_(job.energy_interval_s > 0.0 ? job.energy_interval_s
                                                     : job.end_s / kEnergiesInARun),
      waves_(job, model.seismic, ids) {}

double RuptureRecords::next_rates_s() const {
    const auto next = static_cast<std::size_t>(rates_taken_);
    return next < job_.fault_snapshots_s.size() ? job_.fault_snapshots_s[next] : kNever_s;
}

/// Returns true if the ground is a surface with gravity.
bool RuptureRecords::rises() const {
    const aderdg::WaveModel& waves = model_.seismic.waves;
    return waves.surfaces[static_cast<std::size_t>(static_cast<int>(waves.mesh.top))] ==
           aderdg::Boundary::Gravity;
}

double RuptureRecords::next_heights_s() const {
    const auto next = static_cast<std::size_t>(heights_taken_);
    return rises() && next < job_.snapshots_s.size() ? job_.snapshots_s[next] : kNever_s;
}

void RuptureRecords::take_heights(aderdg::WaveSolver& solver) {
    const std::vector<float> heights = solver.surface_height(model_.seismic.ground_points);
    rupture_.heights_m.insert(rupture_.heights_m.end(), heights.begin(), heights.end());
    rupture_.heights_s.push_back(solver.time_s());
}

double RuptureRecords::next_energy_s() const {
    const double next_s = energy_interval_s_ * static_cast<double>(energies_taken_ + 1);
    return next_s <= job_.end_s * (1.0 + kRounding) ? next_s : kNever_s;
}

double RuptureRecords::next_s() const {
    return std::min({waves_.next_s(), next_rates_s(), next_heights_s(), next_energy_s()});
}

void RuptureRecords::take_rates(aderdg::WaveSolver& solver) {
    const aderdg::FaultField field = solver.fault();
    const std::size_t n = field.points.size();
    const std::size_t faces =
        n == 0 ? 0 : field.values.size() / (n * static_cast<std::size_t>(Kept::kFields));
    for (std::size_t face = 0; face < faces; ++face) {
        for (const int component : {Kept::kRateStrike, Kept::kRateDip}) {
            const auto rate = field.at(static_cast<std::int64_t>(face), component);
            double mean = 0.0;
            for (std::size_t p = 0; p < n; ++p) {
                mean += field.weights[p] * rate[p];
            }
            rupture_.rates.push_back(static_cast<float>(mean));
        }
    }
    rupture_.snapshots_s.push_back(solver.time_s());
}

void RuptureRecords::take_energy(aderdg::WaveSolver& solver) {
    const aderdg::WaveEnergy e = solver.energy();
    last_energy_s_ = solver.time_s();
    rupture_.energy_s.push_back(last_energy_s_);
    rupture_.energies.insert(rupture_.energies.end(),
                             {e.kinetic_j, e.elastic_j, e.friction_j, e.released_j, e.plastic_j,
                              e.outflow_j, e.moment_nm, e.moment_rate_nm_s});
}

void RuptureRecords::take(aderdg::WaveSolver& solver) {
    waves_.take(solver);
    const std::vector<float> samples = solver.take_fault_record();
    rupture_.samples.insert(rupture_.samples.end(), samples.begin(), samples.end());
    const double now_s = solver.time_s() * (1.0 + kRounding);
    for (; next_rates_s() <= now_s; ++rates_taken_) {
        take_rates(solver);
    }
    for (; next_heights_s() <= now_s; ++heights_taken_) {
        take_heights(solver);
    }
    if (next_energy_s() <= now_s) {
        take_energy(solver);
        // One serves all times that a step has passed.
        energies_taken_ = static_cast<std::int64_t>(now_s / energy_interval_s_);
    }
}

void RuptureRecords::end(aderdg::WaveSolver& solver) {
    waves_.end(solver);
    if (last_energy_s_ < solver.time_s()) {
        take_energy(solver);
    }
    if (rises()) {
        take_heights(solver);
    }
    rupture_.plastic = solver.plastic_strain();
    const aderdg::FaultField field = solver.fault();
    for (const auto& lambda : field.points) {
        rupture_.points.insert(rupture_.points.end(), lambda.begin(), lambda.end());
    }
    rupture_.weights = field.weights;
    rupture_.values.assign(field.values.begin(), field.values.end());
}

void RuptureRecords::write(h5::File& file) const {
    waves_.write(file);
    rupture_.write_series(file);
}

void RuptureRecords::read(const h5::File& file) {
    waves_.read(file);
    rupture_.read_series(file);
}

void RuptureRecords::share(comm::Comm& comm) {
    waves_.share(comm);
    rates_taken_ = std::llround(comm.max(static_cast<double>(rupture_.snapshots_s.size())));
    heights_taken_ = std::llround(comm.max(static_cast<double>(rupture_.heights_s.size())));
    last_energy_s_ = comm.max(rupture_.energy_s.empty() ? 0.0 : rupture_.energy_s.back());
    energies_taken_ =
        static_cast<std::int64_t>(last_energy_s_ * (1.0 + kRounding) / energy_interval_s_);
}

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
        for (const SeismicSource& source : model_.seismic.sources) {
            points.sources.insert(points.sources.end(), source.points.begin(), source.points.end());
        }
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
