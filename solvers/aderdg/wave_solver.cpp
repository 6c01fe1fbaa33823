// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/wave_solver.hpp"

#include <string>

#include "solvers/aderdg/clustered_solver.hpp"
#include "solvers/aderdg/plasticity.hpp"
#include "solvers/aderdg/setup_checks.hpp"
#include "solvers/base/error.hpp"

namespace kaname::aderdg {
namespace {

/// A GPU's records of shared faces are laid out as its kernels read them.
void check_backends(comm::Comm& comm, const device::Queue& queue) {
    const std::int64_t on_gpus =
        comm.sum(std::int64_t{queue.backend() == device::Backend::Cuda ? 1 : 0});
    if (on_gpus != 0 && on_gpus != comm.size()) {
        throw ValidationError(std::vector<Violation>{
            {"device", "must be GPUs for all ranks of a problem or for none, got " +
                           std::to_string(on_gpus) + " of " + std::to_string(comm.size())}});
    }
}

}  // namespace

std::unique_ptr<WaveSolver> make_wave_solver(const WaveModel& model, const WaveParams& params,
                                             const WavePoints& points, comm::Comm& comm,
                                             const device::Queue& queue) {
    check_setup(model, params);
    check_plasticity(model);
    check_backends(comm, queue);
    if (!points.strains.empty() && queue.backend() == device::Backend::Cuda) {
        throw ValidationError(
            std::vector<Violation>{{"strains", "must be empty: a GPU records none; take the CPU"}});
    }
    return std::make_unique<ClusteredSolver>(model, params, points, comm, queue);
}

Clusters find_clusters(const WaveModel& model, const WaveParams& params) {
    check_setup(model, params);
    const TetTopology topology = TetTopology::of(model);
    const Clustering found = cluster(largest_steps(model, topology, params), topology, params);
    Clusters clusters;
    clusters.step_s = found.step_s;
    clusters.elements.resize(found.n_clusters);
    for (const std::uint8_t c : found.cluster) {
        ++clusters.elements[c];
    }
    return clusters;
}

double solver_bytes(std::int64_t elements, int mechanisms, const WaveParams& params) {
    const int N = params.order - 1;
    const double number = params.precision == Precision::Single ? 4.0 : 8.0;
    // Unknowns, traces, terms.
    const double each = tet_modes(N) * (9.0 + 6.0 * mechanisms) + 4.0 * 6.0 * face_modes(N) + 45.0 +
                        4.0 * mechanisms;
    constexpr double kTopology = 300.0;  // neighbours, records, the mesh
    return static_cast<double>(elements) * (each * lanes_of(params.lanes) * number + kTopology);
}

}  // namespace kaname::aderdg
