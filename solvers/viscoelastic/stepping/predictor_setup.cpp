// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/stepping/predictor_setup.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/mesh/partition.hpp"

namespace kaname::viscoelastic {
namespace {

/// As in Murakami et al. (2023): every column of the fit that does not break down is kept.
predictors::DataDrivenParams published() {
    predictors::DataDrivenParams params;
    params.drop = 1e-14;
    params.wait_for_all = true;
    params.with_fallback = false;
    return params;
}

}  // namespace

PredictorParams predictor_params(PredictorKind kind, double tolerance) {
    using predictors::Polynomial;
    switch (kind) {
        case PredictorKind::None:
            return Polynomial::None;
        case PredictorKind::Previous:
            return Polynomial::Previous;
        case PredictorKind::Ab2:
            return Polynomial::Ab2;
        case PredictorKind::Cubic:
            return Polynomial::Cubic;
        case PredictorKind::DataDriven: {
            predictors::DataDrivenParams params;
            // The history carries noise of the solver's tolerance; its second differences, which
            // are fitted, about 1e4 times as much of their size.
            params.drop = std::clamp(1e4 * tolerance, 1e-7, 1e-2);
            return params;
        }
        case PredictorKind::DataDrivenPublished:
            return published();
        case PredictorKind::Projection:
            return predictors::ProjectionParams{};
    }
    throw Error(ErrorCode::Internal, "unknown predictor");
}

predictors::Subdomains subdomains(const Model& model, int nodes_per_subdomain) {
    const p2::LocalMesh& mesh = model.mesh();
    std::int32_t owned = 0;
    for (std::int32_t node = 0; node < mesh.n_nodes(); ++node) {
        owned += mesh.node_halo.owned(node) ? 1 : 0;
    }
    const int nearest = (owned + nodes_per_subdomain / 2) / nodes_per_subdomain;
    const int parts = std::clamp(nearest, 1, std::max(1, mesh.n_tets()));
    std::vector<Vec3> vertices;
    for (const std::int32_t node : mesh.vertex_node) {
        vertices.push_back(mesh.node_xyz[node]);
    }
    std::vector<std::int32_t> part(mesh.n_tets(), 0);
    if (mesh.n_tets() > 0) {
        part = mesh::partition_tets(vertices, mesh.conn_p1, parts);
    }
    std::vector<std::vector<std::int32_t>> nodes(parts);
    std::vector<std::uint8_t> seen(mesh.n_nodes(), 0);
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        for (const std::int32_t node : mesh.conn[elem]) {
            if (seen[node] == 0 && mesh.node_halo.owned(node)) {
                seen[node] = 1;
                nodes[part[elem]].push_back(node);
            }
        }
    }
    predictors::Subdomains result;
    for (const auto& group : nodes) {
        result.node.insert(result.node.end(), group.begin(), group.end());
        result.ptr.push_back(static_cast<std::int32_t>(result.node.size()));
    }
    return result;
}

std::unique_ptr<predictors::Predictor> make_predictor(const PredictorParams& params,
                                                      const Model& model, comm::Comm& comm,
                                                      device::Queue& queue) {
    if (params.projection) {
        return std::make_unique<predictors::Projection>(model.mesh().node_gid,
                                                        model.mesh().node_halo.owned_mask(),
                                                        *params.projection, comm, queue);
    }
    if (!params.data_driven) {
        return std::make_unique<predictors::IncrementHistory>(params.polynomial,
                                                              model.vector_size(), queue);
    }
    return std::make_unique<predictors::DataDriven>(subdomains(model, params.nodes_per_subdomain),
                                                    *params.data_driven, model.vector_size(),
                                                    model.mesh().node_halo, queue);
}

int TimeGrid::total_steps() const {
    int total = n_steps;
    for (const Run& run : later) {
        total += run.n_steps;
    }
    return total;
}

std::vector<double> TimeGrid::times_s() const {
    std::vector<double> times;
    double start = 0.0;
    const auto add = [&](double dt, int n) {
        for (int k = 1; k <= n; ++k) {
            times.push_back(start + k * dt);
        }
        start += n * dt;
    };
    times.push_back(0.0);
    add(dt_s, n_steps);
    for (const Run& run : later) {
        add(run.dt_s, run.n_steps);
    }
    return times;
}

double TimeGrid::step_s(int step) const {
    if (step <= n_steps) {
        return dt_s;
    }
    int before = n_steps;
    for (const Run& run : later) {
        if (step <= before + run.n_steps) {
            return run.dt_s;
        }
        before += run.n_steps;
    }
    return later.empty() ? dt_s : later.back().dt_s;
}

const TimeGrid& TimeGrid::checked() const {
    const auto check_step = [](double dt_s, int n_steps) {
        if (n_steps > 0 && !(dt_s > 0.0)) {
            throw Error(ErrorCode::InvalidArgument,
                        "time.step_s must be > 0, got " + std::to_string(dt_s));
        }
    };
    check_step(dt_s, n_steps);
    for (const Run& run : later) {
        check_step(run.dt_s, run.n_steps);
    }
    if (!(alpha >= 0.5 && alpha <= 1.0)) {
        throw Error(ErrorCode::InvalidArgument,
                    "time.alpha must lie in [0.5, 1], got " + std::to_string(alpha));
    }
    return *this;
}

}  // namespace kaname::viscoelastic
