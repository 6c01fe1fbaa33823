// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/viscoelastic/model/model.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"
#include "worker/jobs/stage/greens_job.hpp"
#include "worker/jobs/stage/solve_options.hpp"

namespace kaname::jobs {

/// How a job's systems are solved. multistep2018 has a solver of its own, of the seed's kind with
/// one loop less (viscoelastic/stepping/multistep_solver.hpp).
[[nodiscard]] inline viscoelastic::Method method_of(SolverMethod method) {
    using viscoelastic::Method;
    return method == SolverMethod::Default ? Method::Default
           : method == SolverMethod::Pcge  ? Method::Pcge
                                           : Method::Seed;
}

/// Numbers of nodes, elements and vertices in one rank's part of the mesh.
struct MeshCounts {
    std::int64_t nodes = 0, tets = 0, vertices = 0;
    viscoelastic::Element element = viscoelastic::Element::P2;
};
[[nodiscard]] MeshCounts counts_of(const viscoelastic::Model& model);

/// One kind of array that a solve keeps in its queue's memory.
struct MemoryPart {
    const char* name;
    double bytes = 0.0;
    bool on_gpu_only = false;  ///< the CPU reads the host's own array, or has no need of it
};

/// Lists the arrays that a pack of four sources keeps from its first step to its last. The sizes
/// follow the arrays' declarations; those that depend on the mesh's connectivity (matrices of the
/// coarse levels, nodes of element blocks) were counted on lattices. A spectrum's shifts that are
/// kept for the next pack are left out.
[[nodiscard]] std::vector<MemoryPart> memory_parts(const GreensJob& job, const Steps& steps,
                                                   const MeshCounts& counts);
[[nodiscard]] double device_bytes(const GreensJob& job, const Steps& steps,
                                  const MeshCounts& counts);

/// Returns the free memory of this rank's GPU for each of the ranks that share it [bytes]. Throws
/// Unavailable where there is no GPU. Collective.
[[nodiscard]] double free_device_bytes(const GreensJob& job, comm::Comm& comm);

/// Returns the text of the error that require_device_memory() throws; memory in bytes.
[[nodiscard]] std::string device_memory_text(const MeshCounts& counts, double needed, double free);

/// Throws Exhausted, on every rank, naming what is needed, what is free and what to change, when
/// the ranks of a GPU need more than it has. Nothing to check on the CPU. Collective.
void require_device_memory(const GreensJob& job, const Steps& steps, const MeshCounts& counts,
                           const device::Queue& queue, comm::Comm& comm);

/// The element that `solver.element` means. `auto` is nodal dilatation where rock that slips
/// relaxes and the job goes on for more than four of the shortest relaxation times; plain P2
/// before, where all slip lies in elastic rock, and with multistep2018, which has no other
/// (docs/decisions/0037-element-by-what-slips.md).
[[nodiscard]] viscoelastic::Element element_of(const GreensJob& job, bool slips_in_viscous_rock);
[[nodiscard]] viscoelastic::Element element_of(const GreensJob& job, const JobGeometry& geometry,
                                               const mesh::TetMesh& mesh);

[[nodiscard]] std::string element_name(viscoelastic::Element element);

/// Returns the cost of an iteration over that of one in the calibration
/// (ViscoelasticStages::measure_speed). The calibration uses the element that solver.element names,
/// and plain P2 for `auto`.
[[nodiscard]] double effort_of(const GreensJob& job, viscoelastic::Element element);

}  // namespace kaname::jobs
