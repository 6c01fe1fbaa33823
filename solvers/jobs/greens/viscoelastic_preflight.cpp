// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "solvers/jobs/geometry/job_geometry.hpp"
#include "solvers/jobs/greens/method_choice.hpp"
#include "solvers/jobs/greens/viscoelastic_stages.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "solvers/viscoelastic/spectrum/relaxation_groups.hpp"

namespace kaname::jobs {
namespace {

// Peak resident memory per degree of freedom of `solve` with four sources, measured
// (docs/performance.md), and what the program itself needs.
constexpr double kBytesPerDof = 1350.0;
constexpr double kBytesPerDofOfASpectrum = 1450.0;
// Estimated: the P1 matrix of nodal dilatation has 65 instead of 15 blocks in a row, in FP64 and
// FP32.
constexpr double kBytesPerDofOfNodalDilatation = 250.0;
constexpr double kBaseBytes = 6e7;
// A source's surface field above this is not worth keeping against a later change of stations.
constexpr double kSurfaceCapBytes = 256e6;

/// Bytes of the stress that time steps keep for the second branch of standard linear solids and
/// Burgers bodies, as if all elements were such: how many are is known only with the mesh.
double second_branch_bytes(const GreensJob& job, const Steps& steps, std::int64_t tets) {
    const bool second = std::ranges::any_of(job.structure.used_materials(), [](const auto& m) {
        return viscoelastic::n_branches(m) == 2;
    });
    return second && !steps.spectrum && steps.grid.total_steps() > 0
               ? static_cast<double>(tets) * viscoelastic::kStressPerElement * sizeof(double)
               : 0.0;
}

/// Numbers of one volume snapshot: displacement of the points, strain and stress of the elements.
double volume_numbers(const Preflight& counts) {
    return 3.0 * static_cast<double>(counts.vertices) + 12.0 * static_cast<double>(counts.tets);
}

/// Bytes of a volume while it is summed up: the sums of all lanes, once more where they are
/// collected, and copies of the step's displacement and stress.
double volume_bytes(const GreensJob& job, const Preflight& counts) {
    if (!wants_volume(job)) {
        return 0.0;
    }
    const auto lanes = static_cast<double>(std::min<std::int64_t>(counts.sources, lanes::kLanes));
    const auto snapshots = static_cast<double>(job.scenario->volume.epochs_s.size());
    return sizeof(double) * (2.0 * lanes * snapshots * volume_numbers(counts) +
                             static_cast<double>(counts.dof) * lanes::kLanes +
                             static_cast<double>(counts.tets) * viscoelastic::kStressPerElement);
}

/// Bytes of a volume in the dataset, with three numbers per element of each receiver in all of it.
double volume_dataset_bytes(const GreensJob& job, const Preflight& counts) {
    if (!wants_volume(job)) {
        return 0.0;
    }
    const VolumeSpec& volume = job.scenario->volume;
    const auto receivers = static_cast<double>(
        std::ranges::count_if(volume.receivers, [](const auto& r) { return !r.at; }));
    return sizeof(float) * static_cast<double>(volume.epochs_s.size()) *
           (volume_numbers(counts) + 3.0 * receivers * static_cast<double>(counts.tets));
}

/// Steps that auto takes where the spectrum misses its tolerance; 0: it takes none.
int steps_to_fall_back_on(const GreensJob& job, const Steps& steps) {
    const bool ranges =
        !viscoelastic::relaxation_groups(job.structure.materials).range.parameters.empty();
    return steps.spectrum && job.time.method == TimeMethod::Auto && !ranges
               ? steps_in_place_of_spectrum(job).grid.total_steps()
               : 0;
}

/// How auto follows time, where that may change while it solves.
std::optional<std::string> time_note(const GreensJob& job, const Steps& steps) {
    const int n_steps = steps_to_fall_back_on(job, steps);
    if (n_steps == 0) {
        return std::nullopt;
    }
    char text[200];
    std::snprintf(text, sizeof text,
                  "time: by relaxation spectrum, error at most %.3g of the largest change; where "
                  "three times that is missed, by %d time steps in its place",
                  job.time.spectrum_tolerance, n_steps);
    return text;
}

/// Where solves at the end were seen not to converge (decision 0034).
std::optional<std::string> spectrum_warning(const GreensJob& job, const Steps& steps) {
    constexpr double kApart = 1e3;
    double longest_s = 0.0;
    for (const earth::Material& material : job.structure.used_materials()) {
        const auto tau = viscoelastic::shortest_relaxation_time_s(material);
        if (!tau) {
            return std::nullopt;
        }
        longest_s = std::max(longest_s, *tau);
    }
    const double shortest_s = steps.shortest_relaxation_time_s;
    if (!steps.spectrum || longest_s < kApart * shortest_s || job.time.end_s < longest_s) {
        return std::nullopt;
    }
    const int n_steps = steps_to_fall_back_on(job, steps);
    const std::string then = n_steps > 0 ? "sources that miss it are solved by " +
                                               std::to_string(n_steps) + " time steps"
                                         : std::string("sources that miss it fail");
    char text[400];
    std::snprintf(text, sizeof text,
                  "time.spectrum_tolerance: %.3g may be out of reach, and %s: all rock relaxes, "
                  "with relaxation times from %.3g to %.3g s, and the job ends later; it is "
                  "reached where some rock stays elastic or the job ends before",
                  job.time.spectrum_tolerance, then.c_str(), shortest_s, longest_s);
    return text;
}

void add_time_warnings(const GreensJob& job, const Steps& steps, Preflight& result) {
    const double longest_s = steps.longest_step_s();
    for (const earth::Material& material : job.structure.used_materials()) {
        const auto tau = viscoelastic::shortest_relaxation_time_s(material);
        if (tau && !steps.spectrum && job.time.alpha < 1.0 && longest_s > 2.0 * *tau) {
            char text[256];
            std::snprintf(
                text, sizeof text,
                "time.%s: %.4g s is beyond twice the shortest relaxation time %.4g s of material "
                "'%s'; with alpha %.3g the scheme oscillates there: use alpha 1 or "
                "smaller steps",
                steps.grid.later.empty() ? "step_s" : "max_step_s", longest_s, *tau,
                material.name.c_str(), job.time.alpha);
            result.warnings.emplace_back(text);
        }
    }
    if (const auto warning = spectrum_warning(job, steps)) {
        result.warnings.push_back(*warning);
    }
    const int n_steps = steps.grid.total_steps();
    if (job.time.step_s > 0.0 && n_steps > 0 &&
        std::abs(steps.grid.dt_s / job.time.step_s - 1.0) > 1e-6) {
        char text[160];
        std::snprintf(text, sizeof text,
                      "time.step_s: shortened from %.6g to %.6g s so that %d steps end at %.6g s",
                      job.time.step_s, steps.grid.dt_s, n_steps, job.time.end_s);
        result.warnings.emplace_back(text);
    }
    if (job.time.end_s > 0.0 && steps.shortest_relaxation_time_s == 0.0) {
        result.warnings.emplace_back(
            "time.end_s: no layer has a viscosity, so nothing changes after the coseismic step");
    }
}

/// Per unknown: basis vectors beyond those of a spectrum without ranges, four lanes each.
double bytes_of_more_shifts(const GreensJob& job) {
    return sizeof(double) * lanes::kLanes * (expected_shifts(job) - kExpectedShifts);
}

}  // namespace

Preflight ViscoelasticStages::preflight(const GreensJob& job) const {
    Preflight result;
    const Steps steps = time_steps(job);
    result.method = text_of(steps.spectrum ? TimeMethod::Spectrum : TimeMethod::Stepping);
    result.steps = steps.spectrum ? expected_shifts(job) : steps.grid.total_steps();
    result.step_s = steps.spectrum ? 0.0 : steps.grid.dt_s;
    result.longest_step_s = steps.spectrum ? 0.0 : steps.longest_step_s();
    result.end_s = job.time.end_s;
    result.shortest_relaxation_time_s = steps.shortest_relaxation_time_s;
    result.epochs = job.time.epochs_s.empty() ? steps.grid.total_steps() + 1
                                              : static_cast<std::int64_t>(job.time.epochs_s.size());
    result.stations = static_cast<std::int64_t>(job.stations.size());
    add_time_warnings(job, steps, result);
    if (const auto note = time_note(job, steps)) {
        result.notes.push_back(*note);
    }
    result.available_bytes = available_bytes();

    Survey survey;
    const auto take = [&] {
        std::ranges::move(survey.violations, std::back_inserter(result.violations));
        std::ranges::move(survey.warnings, std::back_inserter(result.warnings));
        std::ranges::move(survey.notes, std::back_inserter(result.notes));
        result.vertices = survey.vertices;
        result.tets = survey.tets;
        result.dof = 3 * survey.nodes;
    };
    try {
        const JobGeometry geometry(job);
        result.sources = static_cast<std::int64_t>(geometry.source_ids().size());
        const auto solved = static_cast<std::int64_t>(geometry.solve_ids().size());
        result.packs = (solved + lanes::kLanes - 1) / lanes::kLanes;
        if (job.by_receivers) {
            result.notes.push_back("solve_by receivers: " + std::to_string(job.stations.size()) +
                                   " stations: " + std::to_string(solved) + " solves in place of " +
                                   std::to_string(result.sources));
        }
        geometry.survey(survey);
    } catch (const ValidationError& error) {
        take();
        std::ranges::copy(error.violations(), std::back_inserter(result.violations));
        return result;
    } catch (const Error& error) {
        // Unreadable surfaces and impossible meshes name their field in the message.
        take();
        result.violations.push_back({"fault", error.what()});
        return result;
    }
    take();
    const viscoelastic::Element element = element_of(job, survey.slips_in_viscous_rock);
    if (job.mesh.sizes.max_elements > 0 && result.tets > job.mesh.sizes.max_elements) {
        result.violations.push_back(beyond_max_elements(result.tets, job.mesh.sizes.max_elements));
    }
    const bool nodal = element == viscoelastic::Element::NodalDilatation;
    result.effort = effort_of(job, element);
    const double of_element = nodal ? kBytesPerDofOfNodalDilatation : 0.0;
    const double least_bytes_per_dof =
        of_element +
        (steps.spectrum ? kBytesPerDofOfASpectrum + bytes_of_more_shifts(job) : kBytesPerDof);
    // Shifts are kept only where there is room.
    const double bytes_per_dof =
        least_bytes_per_dof + (steps.spectrum ? kKeptShifts * kBytesPerDofOfAShift : 0.0);
    const double base_bytes =
        kBaseBytes + second_branch_bytes(job, steps, result.tets) + volume_bytes(job, result);
    result.solve_bytes = base_bytes + bytes_per_dof * static_cast<double>(result.dof);
    const double least_bytes = base_bytes + least_bytes_per_dof * static_cast<double>(result.dof);
    result.gpu_bytes =
        device_bytes(job, steps, {result.dof / 3, result.tets, result.vertices, element}) +
        second_branch_bytes(job, steps, result.tets);
    result.dataset_bytes =
        8.0 * static_cast<double>(3 * result.sources * result.epochs * result.stations) +
        volume_dataset_bytes(job, result);
    // About two P2 nodes per surface triangle, and the top has about a sixth of the box's faces.
    const std::int64_t n_fields =
        steps.spectrum ? 1 + lanes::kLanes * expected_shifts(job) : 1 + result.steps;
    const double surface_nodes = 4.0 * std::pow(static_cast<double>(result.vertices), 2.0 / 3.0);
    result.surface_bytes = 12.0 * surface_nodes * static_cast<double>(n_fields);
    result.surface_stored = job.output.surface && result.surface_bytes <= kSurfaceCapBytes;
    if (result.available_bytes > 0.0 && least_bytes > result.available_bytes) {
        result.violations.push_back(
            {"mesh", "the problem must fit in memory: about " + std::to_string(result.tets) +
                         " elements with " + std::to_string(result.dof) + " unknowns need " +
                         gib(least_bytes) + ", available are " + gib(result.available_bytes) +
                         "; enlarge size_at_fault or size_far"});
    }
    return result;
}

}  // namespace kaname::jobs
