// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/wave_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "solvers/aderdg/clustered_solver.hpp"
#include "solvers/aderdg/plasticity.hpp"
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

namespace {

std::string text(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", value);
    return buffer;
}

/// Barycentric coordinates may fall below zero by so much through rounding.
constexpr double kOutside = 1e-6;

}  // namespace

void check_setup(const WaveModel& model, const WaveParams& params) {
    std::vector<Violation> violations;
    const auto require = [&](bool holds, const std::string& field, const std::string& message) {
        if (!holds) {
            violations.push_back({field, message});
        }
    };
    require(!model.mesh.tets.empty(), "model.mesh", "must have tets, got none");
    require(!model.solids.empty(), "model.solids", "must not be empty");
    for (std::size_t k = 0; k < model.solids.size(); ++k) {
        const Solid& s = model.solids[k];
        const std::string field = "model.solids[" + std::to_string(k) + "].";
        require(s.density_kg_m3 > 0.0, field + "density_kg_m3",
                "must be > 0, got " + text(s.density_kg_m3));
        require(s.mu_pa >= 0.0, field + "mu_pa", "must be >= 0, got " + text(s.mu_pa));
        require(3.0 * s.lambda_pa + 2.0 * s.mu_pa > 0.0, field + "lambda_pa",
                "must be > -2/3 mu, got " + text(s.lambda_pa));
        require(s.mechanisms.size() == model.solids.front().mechanisms.size() &&
                    s.mechanisms.size() <= kMostMechanisms,
                field + "mechanisms",
                "must be as many in all solids, at most " + std::to_string(kMostMechanisms) +
                    ", got " + std::to_string(s.mechanisms.size()));
        for (const Solid::Mechanism& m : s.mechanisms) {
            require(m.omega_per_s > 0.0, field + "mechanisms.omega_per_s",
                    "must be > 0, got " + text(m.omega_per_s));
        }
    }
    require(params.order >= kLeastOrder && params.order <= kMostOrder, "params.order",
            "must be 2..7, got " + std::to_string(params.order));
    require(params.lanes >= 1 && params.lanes <= kMostSources, "params.lanes",
            "must be 1..4, got " + std::to_string(params.lanes));
    require(params.end_s > 0.0 && std::isfinite(params.end_s), "params.end_s",
            "must be > 0, got " + text(params.end_s));
    require(params.interval_s > 0.0 && std::isfinite(params.interval_s), "params.interval_s",
            "must be > 0, got " + text(params.interval_s));
    require(params.cfl >= 0.0 && params.cfl <= 1.0, "params.cfl",
            "must be 0..1, got " + text(params.cfl));
    require(params.least_wiggle > 0.5 && params.least_wiggle <= 1.0, "params.least_wiggle",
            "must be above 0.5 and at most 1, got " + text(params.least_wiggle));
    const rupture::FaultSetup& fault = model.fault;
    if (!fault.laws.empty()) {
        require(fault.laws.size() == model.mesh.faults.size(), "model.fault.laws",
                "must have one entry for each of the mesh's " +
                    std::to_string(model.mesh.faults.size()) + " faults, got " +
                    std::to_string(fault.laws.size()));
        require(fault.at != nullptr, "model.fault.at", "must be a function, got none");
        require(params.lanes == 1, "params.lanes",
                "must be 1 where faults have friction, got " + std::to_string(params.lanes));
        require(fault.receivers.empty() || fault.interval_s > 0.0, "model.fault.interval_s",
                "must be > 0 where there are receivers, got " + text(fault.interval_s));
        for (std::size_t k = 0; k < fault.receivers.size(); ++k) {
            require(fault.receivers[k].face >= 0 &&
                        fault.receivers[k].face < std::ssize(model.mesh.fault_faces),
                    "model.fault.receivers[" + std::to_string(k) + "].face",
                    "must be 0.." + std::to_string(std::ssize(model.mesh.fault_faces) - 1) +
                        ", got " + std::to_string(fault.receivers[k].face));
        }
    }
    if (model.plasticity.at) {
        require(params.lanes == 1, "params.lanes",
                "must be 1 with plasticity, got " + std::to_string(params.lanes));
        require(
            model.plasticity.relaxation_s >= 0.0 && std::isfinite(model.plasticity.relaxation_s),
            "model.plasticity.relaxation_s",
            "must be >= 0, got " + text(model.plasticity.relaxation_s));
    }
    if (std::ranges::count(model.surfaces, Boundary::Gravity) > 0) {
        require(model.gravity_m_s2 > 0.0 && std::isfinite(model.gravity_m_s2), "model.gravity_m_s2",
                "must be > 0, got " + text(model.gravity_m_s2));
    }
    if (!violations.empty()) {
        throw ValidationError(std::move(violations));
    }
}

void check_points(const WaveModel& model, const TetTopology& topology, const WaveParams& params,
                  const WavePoints& points) {
    std::vector<Violation> violations;
    const auto check = [&](const PointInTet& point, const std::string& field) {
        if (point.tet < 0 || point.tet >= std::ssize(topology.tets)) {
            violations.push_back(
                {field + ".tet", "must be a tet of the mesh, got " + std::to_string(point.tet)});
            return;
        }
        const auto lambda = barycentric(corners_of(model, topology, point.tet), point.at_m);
        if (!std::ranges::all_of(lambda, [](double l) { return l >= -kOutside; })) {
            violations.push_back({field + ".at_m", "must lie in tet " + std::to_string(point.tet) +
                                                       ", got (" + text(point.at_m.x) + ", " +
                                                       text(point.at_m.y) + ", " +
                                                       text(point.at_m.z) + ")"});
        }
    };
    for (std::size_t k = 0; k < points.sources.size(); ++k) {
        const PointSource& source = points.sources[k];
        const std::string field = "sources[" + std::to_string(k) + "]";
        check(source.at, field + ".at");
        if (source.at.tet >= 0 && source.at.tet < std::ssize(topology.tets) &&
            std::ranges::any_of(topology.beyond[source.at.tet],
                                &TetTopology::Beyond::conditioned)) {
            violations.push_back({field + ".at.tet",
                                  "must not be beside a fault with friction or a surface with "
                                  "gravity, got " +
                                      std::to_string(source.at.tet)});
        }
        if (source.lane < 0 || source.lane >= params.lanes) {
            violations.push_back({field + ".lane", "must be 0.." +
                                                       std::to_string(params.lanes - 1) + ", got " +
                                                       std::to_string(source.lane)});
        }
        if (!source.rate) {
            violations.push_back({field + ".rate", "must be a function, got none"});
        }
    }
    for (std::size_t k = 0; k < points.receivers.size(); ++k) {
        check(points.receivers[k], "receivers[" + std::to_string(k) + "]");
    }
    for (std::size_t k = 0; k < points.strains.size(); ++k) {
        const std::string field = "strains[" + std::to_string(k) + "]";
        const std::size_t before = violations.size();
        check(points.strains[k], field);
        if (violations.size() == before &&
            model.solids[model.mesh.material[points.strains[k].tet]].mu_pa == 0.0) {
            violations.push_back({field + ".tet", "must be of a solid, got a liquid"});
        }
    }
    for (std::size_t k = 0; k < points.peaks.size(); ++k) {
        check(points.peaks[k], "peaks[" + std::to_string(k) + "]");
    }
    if (!violations.empty()) {
        throw ValidationError(std::move(violations));
    }
}

}  // namespace kaname::aderdg
