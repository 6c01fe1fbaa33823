// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "solvers/viscoelastic/spectrum/relaxation_groups.hpp"
#include "worker/jobs/greens/packing.hpp"
#include "worker/jobs/greens/step_response.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs {
void ViscoelasticStages::pack_sources(Packing& packing, bool only_these) const {
    if (packing.job.by_receivers) {
        pack_by_forces(packing);
        return;
    }
    const JobGeometry& geometry = packing.geometry;
    const SideSources& sides = geometry.sides();
    SlipOnMesh& slip = packing.slip();
    const StepResponse of_slip = packing.response(packing.job.slip_history);
    const auto add = [&](const std::string& id, const StepResponse& response, const auto& row) {
        if (only_these && !packing.files.contains(id)) {
            return;
        }
        Packing::Read read = packing.read(id);
        PackageSummary& summary = packing.summary;
        ++(read.status == 1   ? summary.sources_done
           : read.status == 2 ? summary.sources_failed
                              : summary.sources_missing);
        std::vector<double> motion;
        io::GreensDataset::Reduced reduced;
        if (read.status == 1) {
            motion = response.motion(*read.result, read.fields, packing.width());
            for (const double value : motion) {
                summary.max_displacement_m = std::max(summary.max_displacement_m, std::abs(value));
            }
            if (packing.steps.spectrum && read.result->by_spectrum()) {
                reduced = {read.result->reduced, std::move(read.fields)};
            }
        }
        packing.add(row(id), read, std::move(motion));
        if (packing.steps.spectrum) {
            packing.dataset.reduced.push_back(std::move(reduced));
        }
    };
    for (const std::string& id : geometry.slip().ids()) {
        add(id, of_slip, [&](const std::string& of) { return slip.row(of); });
    }
    slip.find_neighbours(packing.dataset.sources);
    for (const std::string& id : sides.ids()) {
        add(id, packing.response(sides.at(sides.index(id)).history),
            [&](const std::string& of) { return sides.row(of); });
    }
}

PackageSummary ViscoelasticStages::package(const GreensJob& job, const std::string& mesh_path,
                                           const SourceFiles& files, bool only_these,
                                           const std::string& dataset_path) const {
    Packing packing(job, mesh_path, files);
    pack_sources(packing, only_these);
    packing.write(dataset_path);
    packing.summary.tets = static_cast<std::int64_t>(packing.mesh.tets.size());
    return packing.summary;
}

SourceFiles ViscoelasticStages::find_results(const GreensJob& job,
                                             const std::string& work_dir) const {
    SourceFiles files;
    const JobGeometry geometry(job);
    for (const std::string& id : geometry.solve_ids()) {
        const std::string path = source_path(work_dir, id);
        if (std::filesystem::exists(path)) {
            files.emplace(id, path);
        }
    }
    return files;
}

namespace {

// The most epochs of a spectrum without epochs_s, whose steps may be many.
constexpr int kMostDefaultEpochs = 1000;
// A step that divides the end up to rounding must not give one step more.
constexpr double kRounding = 1e-9;

int steps_up_to(double end_s, double step_s) {
    return std::max(1, static_cast<int>(std::ceil(end_s / step_s - kRounding)));
}

/// Steps of `wanted` length, or from it on up to the longest, shortened so that they end at the
/// end.
void take_steps(double wanted, double max_step_s, double end_s, Steps& steps) {
    if (max_step_s < 2.0 * wanted) {
        const int uniform = steps_up_to(end_s, wanted);
        steps.grid.n_steps = uniform;
        steps.grid.dt_s = end_s / uniform;
        return;
    }
    std::vector<viscoelastic::TimeGrid::Run> runs;
    double sum = 0.0;
    for (double dt = wanted; sum < (1.0 - kRounding) * end_s; dt *= 2.0) {
        const bool longest = 2.0 * dt > max_step_s * (1.0 + kRounding);
        const int rest = steps_up_to(end_s - sum, dt);
        runs.push_back({dt, longest ? rest : std::min(rest, kStepsPerLength)});
        sum += dt * runs.back().n_steps;
    }
    const double shorter = end_s / sum;
    for (auto& run : runs) {
        run.dt_s *= shorter;
    }
    steps.grid.dt_s = runs.front().dt_s;
    steps.grid.n_steps = runs.front().n_steps;
    steps.grid.later.assign(runs.begin() + 1, runs.end());
}

void check_volume(const GreensJob& job) {
    if (!wants_volume(job)) {
        return;
    }
    const std::string wrong = job.time.method == TimeMethod::Spectrum ? "time.method spectrum"
                              : job.solver.method == SolverMethod::Multistep2018
                                  ? "solver.method multistep2018"
                                  : "";
    if (!wrong.empty()) {
        throw ValidationError(
            {{"output.volume", "needs time.method stepping, one step at a time, got " + wrong}});
    }
}

}  // namespace

bool wants_volume(const GreensJob& job) {
    return job.scenario && !job.scenario->volume.epochs_s.empty();
}

Steps time_steps(const GreensJob& job) {
    Steps steps;
    steps.grid.alpha = job.time.alpha;
    const auto tau = viscoelastic::shortest_relaxation_time_s(job.structure);
    steps.shortest_relaxation_time_s = tau.value_or(0.0);
    if (!tau || job.time.end_s <= 0.0) {
        return steps;
    }
    check_volume(job);
    const double wanted = job.time.step_s > 0.0 ? job.time.step_s : kDefaultStep * *tau;
    const int uniform = steps_up_to(job.time.end_s, wanted);
    const bool asked_for_steps = job.time.step_s > 0.0 || job.time.max_step_s > 0.0 ||
                                 job.solver.method == SolverMethod::Multistep2018;
    steps.spectrum =
        job.time.method == TimeMethod::Spectrum ||
        (job.time.method == TimeMethod::Auto && !asked_for_steps && !wants_volume(job) &&
         job.boundaries.data.empty() && uniform > kStepsWorthASpectrum);
    if (steps.spectrum) {
        steps.grid.n_steps = std::min(uniform, kMostDefaultEpochs);
        steps.grid.dt_s = job.time.end_s / steps.grid.n_steps;
        return steps;
    }
    take_steps(wanted, job.time.max_step_s, job.time.end_s, steps);
    return steps;
}

Steps steps_in_place_of_spectrum(const GreensJob& job) {
    Steps steps = time_steps(job);
    steps.spectrum = false;
    const double step_s = kDefaultStep * steps.shortest_relaxation_time_s;
    const bool uniform = steps_up_to(job.time.end_s, step_s) <= kMostUniformSteps;
    take_steps(step_s, uniform ? 0.0 : job.time.end_s, job.time.end_s, steps);
    return steps;
}

int expected_shifts(const GreensJob& job) {
    const auto& materials = job.structure.materials;
    switch (viscoelastic::relaxation_groups(materials).range.parameters.size()) {
        case 0:
        case 1:
            return kExpectedShifts;
        case 2:
            return 4 * kExpectedShifts;
        default:
            return 7 * kExpectedShifts;
    }
}

std::string source_path(const std::string& work_dir, const std::string& source_id) {
    std::string name = source_id;
    std::replace(name.begin(), name.end(), '/', '_');
    return work_dir + "/source_" + name + ".h5";
}

/// Packs a dataset of the files of each call and hands its values over instead of writing it.
class ViscoelasticStages::Reader final : public SourceReader {
public:
    Reader(const ViscoelasticStages& stages, const GreensJob& job, const std::string& mesh_path)
        : stages_(stages), packing_(job, mesh_path, files_) {}

    const std::vector<double>& epochs_s() const override { return packing_.dataset.epochs_s; }
    std::vector<std::string> station_ids() const override {
        std::vector<std::string> ids;
        for (const io::GreensDataset::Station& station : packing_.dataset.stations) {
            ids.push_back(station.id);
        }
        return ids;
    }
    std::vector<std::string> components() const override {
        return {kDirections.begin(), kDirections.end()};
    }
    SourceBlock read(const SourceFiles& files) override {
        files_ = files;
        packing_.restart();
        stages_.pack_sources(packing_, true);
        SourceBlock block;
        for (const io::GreensDataset::Source& source : packing_.dataset.sources) {
            block.ids.push_back(source.id);
        }
        block.values = std::move(packing_.dataset.greens);
        return block;
    }

private:
    const ViscoelasticStages& stages_;
    SourceFiles files_;
    Packing packing_;
};

/// A force alone has no values of a source: what has ended is told without any, and slices of the
/// dataset have them.
class ViscoelasticStages::ForceReader final : public SourceReader {
public:
    const std::vector<double>& epochs_s() const override { return none_; }
    std::vector<std::string> station_ids() const override { return {}; }
    std::vector<std::string> components() const override {
        return {kDirections.begin(), kDirections.end()};
    }
    SourceBlock read(const SourceFiles& files) override {
        SourceBlock block;
        for (const auto& [id, file] : files) {
            block.ids.push_back(id);
        }
        return block;
    }

private:
    std::vector<double> none_;
};

std::unique_ptr<SourceReader> ViscoelasticStages::reader(const GreensJob& job,
                                                         const std::string& mesh_path) const {
    if (job.by_receivers) {
        return std::make_unique<ForceReader>();
    }
    return std::make_unique<Reader>(*this, job, mesh_path);
}

}  // namespace kaname::jobs
