// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/jobs/greens/viscoelastic_stages.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "solvers/viscoelastic/spectrum/relaxation_groups.hpp"

namespace kaname::jobs {
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

}  // namespace kaname::jobs
