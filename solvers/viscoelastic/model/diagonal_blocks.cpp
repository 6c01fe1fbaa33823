// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "solvers/parallel/incidence.hpp"
#include "solvers/viscoelastic/kernels/element_loop.hpp"
#include "solvers/viscoelastic/model/barycentric.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"

namespace kaname::viscoelastic {
namespace {

/// int grad N grad N^T of a node over its element, with constant G_k = grad L_k:
///   vertex a:   3/5 V G_a G_a^T                             (grad N_a = (4 L_a - 1) G_a)
///   edge a-b:   4/5 V (G_a G_a^T + G_b G_b^T + (G_a + G_b)(G_a + G_b)^T)
/// from int q = V/20 (sum of q_k + ...) of products of linear functions.
void gradient_moment(const double (&G)[4][3], double volume, int node, double (&M)[3][3]) {
    if (node < 4) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                M[i][j] = 0.6 * volume * G[node][i] * G[node][j];
            }
        }
        return;
    }
    const double* a = G[p2::kTet10Edges[node - 4][0]];
    const double* b = G[p2::kTet10Edges[node - 4][1]];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            M[i][j] = 0.8 * volume * (a[i] * a[j] + b[i] * b[j] + (a[i] + b[i]) * (a[j] + b[j]));
        }
    }
}

/// int L_v grad N_node over an element, v one of its vertices:
///   vertex a:   V/20 (4 delta_av - 1) G_a
///   edge a-b:   V/5 (G_a + G_b + delta_av G_b + delta_bv G_a)
std::array<double, 3> weighted_gradient(const double (&G)[4][3], double volume, int node, int v) {
    std::array<double, 3> c{};
    if (node < 4) {
        for (int j = 0; j < 3; ++j) {
            c[j] = volume / 20.0 * (node == v ? 3.0 : -1.0) * G[node][j];
        }
        return c;
    }
    const int a = p2::kTet10Edges[node - 4][0];
    const int b = p2::kTet10Edges[node - 4][1];
    for (int j = 0; j < 3; ++j) {
        c[j] = volume / 5.0 * ((v == b ? 2.0 : 1.0) * G[a][j] + (v == a ? 2.0 : 1.0) * G[b][j]);
    }
    return c;
}

/// D_a += sum_v w_v c_va c_va^T,   c_va = sum_e int L_v grad N_a: all elements that have both are
/// around node a.
void add_pressure_nodes(const Model& model, const ElementModuli& moduli, std::span<double> D) {
    const p2::LocalMesh& mesh = model.mesh();
    const PressureNodes& nodes = *model.pressure_nodes();
    const Incidence around = incidence(
        std::int64_t(mesh.n_tets()) * p2::kNodesPerTet10, mesh.n_nodes(), [&](std::int64_t place) {
            return nodes.conn[place / p2::kNodesPerTet10][0] < nodes.size()
                       ? mesh.conn[place / p2::kNodesPerTet10][place % p2::kNodesPerTet10]
                       : -1;
        });
    struct Part {
        std::int32_t v;
        std::array<double, 3> c;
    };
    parallel_ranges(mesh.n_nodes(), kRange, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Part> parts;
        for (std::int64_t node = begin; node < end; ++node) {
            parts.clear();
            for (const std::int32_t place : around.of(node)) {
                const std::int32_t elem = place / p2::kNodesPerTet10;
                double G[4][3];
                barycentric_gradients(model.geometry()[elem], G);
                for (int k = 0; k < 4; ++k) {
                    const std::int32_t v = nodes.conn[elem][k];
                    const auto c = weighted_gradient(G, model.geometry()[elem].volume,
                                                     place % p2::kNodesPerTet10, k);
                    const auto known = std::ranges::find(parts, v, &Part::v);
                    if (known == parts.end()) {
                        parts.push_back({v, c});
                        continue;
                    }
                    for (int j = 0; j < 3; ++j) {
                        known->c[j] += c[j];
                    }
                }
            }
            std::ranges::sort(parts, {}, &Part::v);
            for (const auto& [v, c] : parts) {
                const double w = moduli.nodal_bulk[v] / nodes.own_volume[v];
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j < 3; ++j) {
                        D[node * 9 + i * 3 + j] += w * c[i] * c[j];
                    }
                }
            }
        }
    });
}

}  // namespace

std::vector<double> diagonal_blocks(const Model& model, const ElementModuli& moduli) {
    const p2::LocalMesh& mesh = model.mesh();
    std::vector<double> D(std::size_t(mesh.n_nodes()) * 9, 0.0);
    // K_aa = (lam + mu) M + mu tr(M) I
    element_loop::for_each_element(mesh.blocks, [&](std::int32_t elem) {
        double G[4][3];
        barycentric_gradients(model.geometry()[elem], G);
        for (int node = 0; node < p2::kNodesPerTet10; ++node) {
            double M[3][3];
            gradient_moment(G, model.geometry()[elem].volume, node, M);
            const double along = moduli.mu[elem] * (M[0][0] + M[1][1] + M[2][2]);
            double* block = D.data() + std::size_t(mesh.conn[elem][node]) * 9;
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    block[i * 3 + j] += (moduli.lam[elem] + moduli.mu[elem]) * M[i][j];
                }
                block[i * 4] += along;
            }
        }
    });
    if (moduli.nodal()) {
        add_pressure_nodes(model, moduli, D);
    }
    const Buoyancy::Rows none;
    const Buoyancy::Rows& springs = moduli.buoyant ? model.buoyancy()->rows() : none;
    for (std::size_t row = 0; row < springs.node.size(); ++row) {
        for (std::int32_t k = springs.ptr[row]; k < springs.ptr[row + 1]; ++k) {
            if (springs.col[k] == springs.node[row]) {
                D[std::size_t(springs.node[row]) * 9 + 8] += springs.val[k];
            }
        }
    }
    model.mesh().node_halo.sum(std::span<double>(D), 9);
    const auto fixed = fixed_bits(model.boundary().fixed(), mesh.n_nodes());
    parallel_for(mesh.n_nodes(), [&](std::int64_t node) {
        zero_fixed(fixed[node], fixed[node], D.data() + node * 9);
    });
    return D;
}

}  // namespace kaname::viscoelastic
