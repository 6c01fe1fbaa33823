// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "solvers/p2/dof_map.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// Gradients [10] of the P2 shape functions at barycentric coordinates L.
inline std::array<Vec3, 10> shape_gradients(const std::array<Vec3, 4>& grad_L,
                                            const std::array<double, 4>& L) {
    std::array<Vec3, 10> g;
    for (int v = 0; v < 4; ++v) {
        g[v] = (4.0 * L[v] - 1.0) * grad_L[v];
    }
    for (int e = 0; e < 6; ++e) {
        const auto [a, b] = p2::kTet10Edges[e];
        g[4 + e] = 4.0 * (L[a] * grad_L[b] + L[b] * grad_L[a]);
    }
    return g;
}

/// int B^T D B u of one element in SI units, by the four-point rule that is exact for quadratics.
inline std::array<Vec3, 10> reference_force(const std::array<Vec3, 4>& x, double lambda_pa,
                                            double mu_pa, const std::array<Vec3, 10>& u) {
    const double six_volume = det6(x[0], x[1], x[2], x[3]);
    std::array<Vec3, 4> grad_L;
    for (int k = 0; k < 4; ++k) {
        const auto& face = p2::kTetFaces[k];
        grad_L[k] = (-1.0 / six_volume) * cross(x[face[1]] - x[face[0]], x[face[2]] - x[face[0]]);
    }
    const double near = 0.25 + 0.75 / std::sqrt(5.0);
    const double far = 0.25 - 0.25 / std::sqrt(5.0);
    std::array<Vec3, 10> force;
    for (int q = 0; q < 4; ++q) {
        std::array<double, 4> L = {far, far, far, far};
        L[q] = near;
        const auto g = shape_gradients(grad_L, L);
        double grad_u[3][3] = {};
        for (int a = 0; a < 10; ++a) {
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    grad_u[i][j] += u[a][i] * g[a][j];
                }
            }
        }
        const double pressure = lambda_pa * (grad_u[0][0] + grad_u[1][1] + grad_u[2][2]);
        for (int a = 0; a < 10; ++a) {
            for (int i = 0; i < 3; ++i) {
                double sum = pressure * g[a][i];
                for (int j = 0; j < 3; ++j) {
                    sum += mu_pa * (grad_u[i][j] + grad_u[j][i]) * g[a][j];
                }
                force[a][i] += six_volume / 24.0 * sum;
            }
        }
    }
    return force;
}

inline std::array<Vec3, 4> corners(const p2::LocalMesh& mesh, std::int32_t elem) {
    return {mesh.node_xyz[mesh.conn[elem][0]], mesh.node_xyz[mesh.conn[elem][1]],
            mesh.node_xyz[mesh.conn[elem][2]], mesh.node_xyz[mesh.conn[elem][3]]};
}

/// K u [N][3][4] of this rank in the solver's scaled units, from SI quantities.
inline std::vector<double> reference_apply(const Model& model,
                                           const std::vector<earth::Material>& materials,
                                           device::View<const double> u) {
    const p2::LocalMesh& mesh = model.mesh();
    const double unit = model.scales().modulus_pa * model.scales().length_m;
    std::vector<double> y(u.size(), 0.0);
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        const earth::Material& material = materials[mesh.material[elem]];
        for (int lane = 0; lane < lanes::kLanes; ++lane) {
            const auto at = [&](int node, int comp) {
                return (std::size_t(mesh.conn[elem][node]) * 3 + comp) * lanes::kLanes + lane;
            };
            std::array<Vec3, 10> values;
            for (int node = 0; node < 10; ++node) {
                values[node] = {u[at(node, 0)], u[at(node, 1)], u[at(node, 2)]};
            }
            const auto force =
                reference_force(corners(mesh, elem), material.lambda_pa, material.mu_pa, values);
            for (int node = 0; node < 10; ++node) {
                for (int comp = 0; comp < 3; ++comp) {
                    y[at(node, comp)] += force[node][comp] / unit;
                }
            }
        }
    }
    return y;
}

}  // namespace kaname::viscoelastic
