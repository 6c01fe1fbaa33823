// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/viscoelastic_costs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iterator>
#include <limits>
#include <numeric>
#include <variant>

#include "solvers/comm/serial/serial_comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/jobs/greens/method_choice.hpp"
#include "solvers/jobs/greens/viscoelastic_stages.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"

namespace kaname::jobs {
namespace {

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
// Starting a program, reading the specification and its files.
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
    const bool from_file = std::holds_alternative<MeshFileSpec>(job.fault);
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

}  // namespace

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

}  // namespace kaname::jobs
