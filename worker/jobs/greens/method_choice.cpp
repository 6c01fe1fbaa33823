// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/method_choice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/cuda/runtime.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "worker/jobs/stage/solve_options.hpp"

namespace kaname::jobs {
namespace {

using viscoelastic::Method;

constexpr double kDouble = 3 * lanes::kLanes * sizeof(double);  // bytes of a node in a vector
constexpr double kFloat = 3 * lanes::kLanes * sizeof(float);
constexpr double kStress = 4 * 6 * lanes::kLanes * sizeof(double);
constexpr double kCopyOfElements = 10 * 4 + 10 * 8;  // conn and geometry
constexpr double kModuli = 4 * 8;                    // lam, mu, two of relax
constexpr double kElementsDouble = 10 * 4 + 11 * 8;  // packed conn and coef
constexpr double kElementsFloat = 10 * 4 + 11 * 4;
// Counted on lattices of 50k to 800k unknowns. Element blocks: nodes and places of 64 elements, as
// many words as the largest block needs; packed elements' nodes among those of their block.
constexpr double kListsPerTet = 53.0;
constexpr double kStagedPerTet = 20.0;
// P1 matrix of 15 blocks a row, its smoother, transfers and everything below it: 1,820 to 2,560
// from 50k to 800k unknowns.
constexpr double kLevelsPerVertex = 2600.0;
constexpr double kP1NodalPerVertex = 1430.0;  // 65 blocks a row instead
constexpr double kNestedPerVertex = 960.0;
constexpr double kTransferPerNode = 8.0 + 8.0;
constexpr double kSketchPerNode = 3 * 4;

bool relaxes(const Steps& steps) {
    return steps.spectrum || steps.grid.total_steps() > 0;
}

/// Bytes of the P2 level and all levels below it, in FP32.
double hierarchy_bytes(Method method, const MeshCounts& n) {
    double bytes = 36.0 * n.nodes;  // inverse diagonal blocks
    if (method == Method::Pcge) {
        return bytes;
    }
    bytes += kElementsFloat * n.tets + kTransferPerNode * n.nodes;
    bytes += (method == Method::Seed ? 4 : 3) * kFloat * n.nodes;
    bytes += (method == Method::Seed ? kNestedPerVertex : kLevelsPerVertex) * n.vertices;
    const bool nodal = n.element == viscoelastic::Element::NodalDilatation;
    return bytes + (nodal ? kP1NodalPerVertex * n.vertices : 0.0);
}

double predictor_bytes(const GreensJob& job, const MeshCounts& n) {
    const auto params = viscoelastic::predictor_params(job.solver.predictor, job.solver.tolerance);
    if (params.projection) {
        const double columns = params.projection->columns;
        // Images of all columns and of the last two increments, sketches of f, r and of others.
        return (2 * kDouble + columns * kFloat + kSketchPerNode) * n.nodes +
               (columns + 5) * sizeof(double) * lanes::kLanes * params.projection->buckets;
    }
    if (params.data_driven) {
        const double columns = params.data_driven->columns + 1;
        const double row = params.data_driven->rows * sizeof(float);
        const double regions =
            std::max(1.0, std::round(static_cast<double>(n.nodes) / params.nodes_per_subdomain));
        // Q of one subdomain, and the compressed columns of all; a GPU's 13 MB of scratch are too
        // little to count
        return (2 * kDouble + columns * kFloat) * n.nodes + 3 * row * n.nodes / regions +
               columns * row * lanes::kLanes * regions;
    }
    switch (params.polynomial) {
        case predictors::Polynomial::None:
            return 0.0;
        case predictors::Polynomial::Previous:
            return kDouble * n.nodes;
        case predictors::Polynomial::Ab2:
            return 2 * kDouble * n.nodes;
        case predictors::Polynomial::Cubic:
            return 4 * kDouble * n.nodes;
    }
    return 0.0;
}

}  // namespace

MeshCounts counts_of(const viscoelastic::Model& model) {
    const p2::LocalMesh& mesh = model.mesh();
    return {mesh.n_nodes(), mesh.n_tets(), mesh.n_vertices(), model.element()};
}

std::vector<MemoryPart> memory_parts(const GreensJob& job, const Steps& steps,
                                     const MeshCounts& n) {
    const Method method = method_of(job.solver.method);
    // The coseismic K and the steps' Kv; the default method shares the hierarchy (PackSolver). Of a
    // spectrum: the elastic one, a shift's, and passes over K_el and each relaxing group.
    const int operators = relaxes(steps) ? 2 : 1;
    const int hierarchies =
        operators == 2 && method == Method::Default && !steps.spectrum ? 1 : operators;
    std::vector<MemoryPart> parts = {
        {"operators", operators * kElementsDouble * n.tets},
        // The mesh has two lists of element blocks: all blocks, and those where something relaxes.
        {"element lists",
         (2 * kListsPerTet + (operators + hierarchies) * (kListsPerTet + kStagedPerTet)) * n.tets,
         true},
        {"mesh", (kCopyOfElements + operators * kModuli) * n.tets, true},
        {"hierarchies", hierarchies * hierarchy_bytes(method, n)},
        {"conjugate gradients", (3 * kDouble + 2 * kFloat) * n.nodes},
    };
    if (steps.spectrum) {
        const auto groups = static_cast<double>(
            viscoelastic::relaxation_groups(job.structure.materials, n.element).relaxation.size());
        // u0, load, image, a load of each group, a vector of each shift
        const double vectors = 3 + groups + expected_shifts(job);
        parts.push_back({"basis", (vectors * kDouble + kSketchPerNode) * n.nodes});
        // This is the operator of a shift that uses the hierarchy of another shift.
        parts.push_back({"shift operator", kElementsDouble * n.tets});
        parts.push_back({"group operators", (1 + groups) * kElementsDouble * n.tets});
        parts.push_back(
            {"group element lists", (1 + groups) * (kListsPerTet + kStagedPerTet) * n.tets, true});
    } else {
        parts.push_back({"state", 3 * kDouble * n.nodes + (kStress + 4) * n.tets});
        parts.push_back({"predictor", predictor_bytes(job, n)});
    }
    return parts;
}

double device_bytes(const GreensJob& job, const Steps& steps, const MeshCounts& counts) {
    const auto parts = memory_parts(job, steps, counts);
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double sum, const MemoryPart& part) { return sum + part.bytes; });
}

double free_device_bytes(const GreensJob& job, comm::Comm& comm) {
    const int gpu = gpu_of_rank(job.placement.local_rank, device::cuda::device_count());
    const device::cuda::DeviceInfo info = device::cuda::device_info(gpu);
    // Ranks of all machines; a GPU's UUID is the same to all that share it.
    comm::Bytes mine(info.uuid.size());
    std::transform(info.uuid.begin(), info.uuid.end(), mine.begin(),
                   [](char c) { return static_cast<std::byte>(c); });
    const auto all = comm.all_gather(mine);
    return static_cast<double>(info.free_bytes) /
           static_cast<double>(std::ranges::count(all, mine));
}

void require_device_memory(const GreensJob& job, const Steps& steps, const MeshCounts& counts,
                           const device::Queue& queue, comm::Comm& comm) {
    if (queue.backend() == device::Backend::Cpu) {
        return;
    }
    const double free = free_device_bytes(job, comm);
    const double needed = device_bytes(job, steps, counts);
    std::exception_ptr error;
    if (needed > free) {
        error = std::make_exception_ptr(
            Error(ErrorCode::Exhausted, device_memory_text(counts, needed, free)));
    }
    comm.throw_if_any(error);
}

std::string device_memory_text(const MeshCounts& counts, double needed, double free) {
    return "device cuda: " + std::to_string(3 * counts.nodes) + " unknowns of a rank need about " +
           gib(needed) + " of GPU memory, free are " + gib(free) +
           " for it; use more GPUs, device cpu, or enlarge mesh.size_at_fault or mesh.size_far";
}

namespace {

using viscoelastic::Element;

// A pack in a half-space of 210,000 unknowns: 38 s, plain P2 20 s.
constexpr double kEffortOfNodalDilatation = 2.0;
// Relaxation times up to which plain P2 is at least as near to the closed form
// (docs/theory/viscoelastic.md, "Nodal dilatation").
constexpr double kLate = 4.0;

bool ends_late(const GreensJob& job) {
    const auto shortest = viscoelastic::shortest_relaxation_time_s(job.structure);
    return shortest && job.time.end_s > kLate * *shortest;
}

}  // namespace

Element element_of(const GreensJob& job, bool slips_in_viscous_rock) {
    if (job.solver.element != ElementChoice::Auto) {
        return job.solver.element == ElementChoice::P2 ? Element::P2 : Element::NodalDilatation;
    }
    const bool nodal =
        job.solver.method != SolverMethod::Multistep2018 && ends_late(job) && slips_in_viscous_rock;
    return nodal ? Element::NodalDilatation : Element::P2;
}

Element element_of(const GreensJob& job, const JobGeometry& geometry, const mesh::TetMesh& mesh) {
    return element_of(job, geometry.fault().slips_in_viscous_rock(geometry.slip(), mesh));
}

std::string element_name(Element element) {
    return text_of(element == Element::NodalDilatation ? ElementChoice::NodalDilatation
                                                       : ElementChoice::P2);
}

double effort_of(const GreensJob& job, Element element) {
    return job.solver.element == ElementChoice::Auto && element == Element::NodalDilatation
               ? kEffortOfNodalDilatation
               : 1.0;
}

}  // namespace kaname::jobs
