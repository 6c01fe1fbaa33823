// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <variant>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "solvers/viscoelastic/spectrum/relaxation_groups.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/greens/method_choice.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs {
namespace {

/// A box of cubes, each cut into six tetrahedra, of one material and without a fault, on which the
/// speed of a machine is measured. Beyond the second-level cache: 24,000 tets, 106,000 unknowns.
mesh::TetMesh calibration_mesh();

using Clock = std::chrono::steady_clock;

// The following constants are the work of a pack in conjugate gradient iterations of the default
// method, measured on the examples (docs/performance.md). In order they are the solve from zero;
// the first steps of one length, until the predictor has learnt the motion; one later step; the
// predictor and the stress of any step. The next is a shift of the spectrum from the reduced model.
// Block Jacobi needs about the cube root of the unknowns, times seven.
constexpr double kFirstIterations = 11.0;
constexpr double kRampIterations[] = {12.0, 9.0, 7.5, 5.5, 4.0, 3.0};
constexpr double kStepIterations = 2.0;
constexpr double kStepOverhead = 1.0;
constexpr double kShiftIterations = 12.0;
constexpr double kBlockJacobiIterations = 7.0;
// Making a mesh, over setting up on it: cut from an octree, read from a file.
constexpr double kCleavedMesh = 1.3, kMeshFile = 0.2;
constexpr double kDofPerTet = 4.35;
// All of setting up over the nodes, model and matrices of the calibration: the mesh file, the
// fault, stations and surface; a pack that records snapshots of the volume over one that does not.
constexpr double kWholeSetup = 1.5, kVolumeSnapshots = 1.2;
// Starting a program, reading the request and its files.
constexpr double kStart_s = 0.1;
// A source of a dataset, and one of its values, over setting up an unknown.
constexpr double kPackagedSource = 6e3, kPackagedValue = 0.02;

/// Time of one part of the calibration: of the clock, or that of the processors where it is less,
/// since other programs then had some of it.
class Stopwatch {
public:
    /// Time [s] of work that keeps `threads` threads busy.
    [[nodiscard]] double seconds(int threads) const {
        const double wall = std::chrono::duration<double>(Clock::now() - start_).count();
        const double busy = static_cast<double>(std::clock() - busy_) / CLOCKS_PER_SEC;
        return std::min(wall, busy / threads);
    }

private:
    Clock::time_point start_ = Clock::now();
    std::clock_t busy_ = std::clock();
};

double step_iterations(const viscoelastic::TimeGrid& grid) {
    constexpr int kRamp = std::size(kRampIterations);
    double sum = 0.0;
    const auto add = [&](int n_steps) {
        sum += std::accumulate(kRampIterations, kRampIterations + std::min(n_steps, kRamp), 0.0) +
               kStepIterations * std::max(0, n_steps - kRamp) + kStepOverhead * n_steps;
    };
    add(grid.n_steps);
    for (const auto& run : grid.later) {
        add(run.n_steps);
    }
    return sum;
}

}  // namespace

std::string ViscoelasticStages::speed_key(const GreensJob& job) const {
    return text_of(job.solver.method) + '/' + text_of(job.solver.element);
}

Speed ViscoelasticStages::measure_speed(const GreensJob& job) const {
    Speed speed;
    const mesh::TetMesh mesh = calibration_mesh();
    const Stopwatch setup;
    const p2::DofMap dofs(mesh);
    comm::SerialComm comm;
    device::Queue queue;
    std::vector<viscoelastic::BoundaryCondition> fixed;
    for (int comp = 0; comp < 3; ++comp) {
        fixed.push_back({mesh::Side::Bottom, comp});
    }
    const std::vector<earth::Material> rocks = {{"rock", 3e10, 3e10, 0.0, 1e19}};
    const viscoelastic::Model model(mesh, dofs, rocks, fixed, comm,
                                    job.solver.element == ElementChoice::NodalDilatation
                                        ? viscoelastic::Element::NodalDilatation
                                        : viscoelastic::Element::P2);
    viscoelastic::SolverParams params;
    params.method = method_of(job.solver.method);
    params.cg.max_iterations = 2;
    // The smoother whose iterations the constants count: a cheaper one needs more of them.
    params.hierarchy.p2 = params.hierarchy.p2_flat;
    params.hierarchy.kappa_flat = std::numeric_limits<double>::infinity();
    params.hierarchy.kappa_thin = params.hierarchy.kappa_flat;
    const double step_s = kDefaultStep * *rocks.front().maxwell_time_s();
    viscoelastic::Stiffness K(model, model.step_moduli(step_s, 0.5), params, comm, queue);
    const auto n_dof = static_cast<double>(model.n_dof());
    speed.setup_s = setup.seconds(1) / n_dof;

    device::Buffer<double> b(model.vector_size());
    device::Buffer<double> x(model.vector_size());
    linalg::PcgWorkspace work(model.vector_size(), queue);
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = static_cast<double>(i % 7) - 3.0;
    }
    lanes::zero_dofs<double>(model.boundary().fixed(), b, queue);
    // The median of some: the fastest is of a moment that no long solve has all the time.
    std::array<double, 9> seconds{};
    for (double& sample : seconds) {
        x.fill(0.0);
        const Stopwatch solve;
        const auto lanes = K.solve(b, x, work);
        sample = solve.seconds(device::max_threads()) / std::max(1, lanes[0].iterations);
    }
    std::ranges::nth_element(seconds, seconds.begin() + seconds.size() / 2);
    speed.iteration_s = seconds[seconds.size() / 2] / n_dof;
    return speed;
}

JobCosts ViscoelasticStages::costs(const GreensJob& job, const JobSize& size,
                                   const Speed& speed) const {
    const Steps steps = time_steps(job);
    const auto dof = static_cast<double>(size.dof);
    // Times of past stages are kept by how the mesh is made.
    const bool from_file = std::holds_alternative<MeshFileFaults>(job.fault);
    const std::string kind = from_file ? "file" : "cleaved";
    double iterations = kFirstIterations + (steps.spectrum ? kShiftIterations * expected_shifts(job)
                                                           : step_iterations(steps.grid));
    if (job.solver.method == SolverMethod::Pcge) {
        const double n_later = steps.spectrum ? expected_shifts(job) : steps.grid.total_steps();
        iterations = kBlockJacobiIterations * std::cbrt(dof) * (1.0 + n_later);
    }
    const double meshing = from_file ? kMeshFile : kCleavedMesh;
    const double values = 3.0 * static_cast<double>(size.sources) *
                          static_cast<double>(size.epochs) * static_cast<double>(size.stations);
    if (wants_volume(job)) {
        iterations *= kVolumeSnapshots;
    }
    const std::string solver =
        speed_key(job) + (steps.spectrum ? "/spectrum/" : "/stepping/") + kind;
    JobCosts costs;
    const double tet_s = kDofPerTet * speed.setup_s;
    const auto tets = static_cast<double>(size.tets);
    costs.mesh = {"mesh/" + kind, kStart_s + meshing * tet_s * tets};
    costs.setup = {"setup/" + solver, kStart_s + kWholeSetup * speed.setup_s * dof};
    costs.pack = {"pack/" + solver, speed.iteration_s * iterations * size.effort * dof};
    costs.package = {"package",
                     kStart_s + kMeshFile * tet_s * tets +
                         speed.setup_s * (kPackagedSource * static_cast<double>(size.sources) +
                                          kPackagedValue * values)};
    return costs;
}

namespace {

using Corner = std::array<int, 3>;

constexpr double kCell_m = 3.2e3;
constexpr Corner kCells = {20, 20, 10};  // east, north, up
constexpr mesh::Side kSides[3][2] = {{mesh::Side::West, mesh::Side::East},
                                     {mesh::Side::South, mesh::Side::North},
                                     {mesh::Side::Bottom, mesh::Side::Top}};

std::int32_t vertex(const Corner& at) {
    return at[2] + (kCells[2] + 1) * (at[0] + (kCells[0] + 1) * at[1]);
}

void add_tet(const std::array<Corner, 4>& corners, mesh::TetMesh& mesh) {
    std::array<std::int32_t, 4> tet{};
    std::ranges::transform(corners, tet.begin(), vertex);
    mesh.tets.push_back(tet);
    mesh.material.push_back(0);
    for (const auto& [a, b, c] : mesh::kTetFaces) {
        for (int axis = 0; axis < 3; ++axis) {
            const int at = corners[a][axis];
            if (corners[b][axis] == at && corners[c][axis] == at &&
                (at == 0 || at == kCells[axis])) {
                mesh.boundary_faces.push_back({{tet[a], tet[b], tet[c]}, kSides[axis][at != 0]});
            }
        }
    }
}

/// Kuhn's six tetrahedra: the paths from the low corner to the opposite one along the three axes.
void add_cube(const Corner& low, mesh::TetMesh& mesh) {
    Corner axes = {0, 1, 2};
    do {
        std::array<Corner, 4> corners = {low, low, low, low};
        for (int step = 0; step < 3; ++step) {
            for (int later = step + 1; later < 4; ++later) {
                ++corners[later][axes[step]];
            }
        }
        const bool even = axes[1] == (axes[0] + 1) % 3;
        if (!even) {
            std::swap(corners[1], corners[2]);
        }
        add_tet(corners, mesh);
    } while (std::next_permutation(axes.begin(), axes.end()));
}

mesh::TetMesh calibration_mesh() {
    mesh::TetMesh mesh;
    for (int j = 0; j <= kCells[1]; ++j) {
        for (int i = 0; i <= kCells[0]; ++i) {
            for (int k = 0; k <= kCells[2]; ++k) {
                mesh.xyz.push_back({(i - 0.5 * kCells[0]) * kCell_m,
                                    (j - 0.5 * kCells[1]) * kCell_m, (k - kCells[2]) * kCell_m});
            }
        }
    }
    for (int j = 0; j < kCells[1]; ++j) {
        for (int i = 0; i < kCells[0]; ++i) {
            for (int k = 0; k < kCells[2]; ++k) {
                add_cube({i, j, k}, mesh);
            }
        }
    }
    return mesh;
}

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
    const VolumeOutput& volume = job.scenario->volume;
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

/// Says how the job is solved: element, way through time, gravity, box and sizes.
std::string method_note(const GreensJob& job, const Steps& steps, viscoelastic::Element element) {
    const std::string time = steps.spectrum
                                 ? "relaxation spectrum"
                                 : std::to_string(steps.grid.total_steps()) + " time steps";
    std::string text = "method: element " + std::string(element_name(element)) + ", " + time +
                       ", solver " + text_of(job.solver.method) + ", gravity " +
                       (job.buoyancy ? "buoyancy" : "none");
    if (job.volume_model) {
        text += "; box " + number(job.region.size_east_m / 1e3) + " x " +
                number(job.region.size_north_m / 1e3) + " x " + number(job.region.depth_m / 1e3) +
                " km, elements of " + number(job.mesh.size_at_fault_m / 1e3) +
                " km at the fault and at most " + number(job.mesh.size_far_m / 1e3) + " km";
    }
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
    const auto later = [](const ScenarioEvent& event) {
        return event.time_s > 0.0 || event.repeats > 1 || event.history.kind != HistoryKind::Step;
    };
    if (job.time.end_s > 0.0 && steps.shortest_relaxation_time_s == 0.0 &&
        job.boundaries.data.empty() && job.slip_history.kind == HistoryKind::Step &&
        !(job.scenario && std::ranges::any_of(job.scenario->events, later))) {
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
    result.notes.push_back(method_note(job, steps, element));
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
