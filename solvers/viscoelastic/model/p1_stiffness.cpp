// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/p1_stiffness.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "solvers/parallel/incidence.hpp"
#include "solvers/viscoelastic/kernels/element_loop.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"

namespace kaname::viscoelastic {
namespace {

using multigrid::BlockMatrix;

/// Rows for the vertices with a block for each of their edges, zero.
BlockMatrix vertex_pattern(const p2::LocalMesh& mesh) {
    const Incidence edges =
        incidence(2 * std::ssize(mesh.mid_edges), mesh.n_vertices(), [&](std::int64_t end) {
            const auto& edge = mesh.mid_edges[end / 2];
            return end % 2 == 0 ? edge.v0 : edge.v1;
        });
    BlockMatrix A;
    A.n_cols = mesh.n_vertices();
    A.row_ptr.assign(mesh.n_vertices() + 1, 0);
    parallel_for(mesh.n_vertices(),
                 [&](std::int64_t v) { A.row_ptr[v] = std::ssize(edges.of(v)) + 1; });
    A.col.resize(exclusive_sum(std::span(A.row_ptr)));
    parallel_for(mesh.n_vertices(), [&](std::int64_t v) {
        const auto row = A.col.begin() + A.row_ptr[v];
        *row = static_cast<std::int32_t>(v);
        std::ranges::transform(edges.of(v), row + 1, [&](std::int32_t end) {
            const auto& edge = mesh.mid_edges[end / 2];
            return end % 2 == 0 ? edge.v1 : edge.v0;
        });
        std::sort(row, A.col.begin() + A.row_ptr[v + 1]);
    });
    A.val.resize(A.col.size() * 9);
    return A;
}

/// Block of an entry that is there.
double* block_at(BlockMatrix& A, std::int32_t row, std::int32_t col) {
    // Rows are short: no guess of a branch is wrong more than once.
    std::int64_t at = A.row_ptr[row];
    while (A.col[at] != col) {
        ++at;
    }
    return A.val.data() + at * 9;
}

/// K_ab += V (lam G_a G_b^T + mu G_b G_a^T + mu (G_a . G_b) I), row by row: the elements around a
/// vertex in ascending order.
void add_elements(const Model& model, const ElementModuli& moduli, BlockMatrix& K) {
    const p2::LocalMesh& mesh = model.mesh();
    const Incidence around =
        incidence(4 * std::int64_t(mesh.n_tets()), mesh.n_vertices(),
                  [&](std::int64_t place) { return mesh.conn_p1[place / 4][place % 4]; });
    parallel_for(mesh.n_vertices(), [&](std::int64_t v) {
        for (const std::int32_t place : around.of(v)) {
            const std::int32_t elem = place / 4;
            double G[4][3];
            barycentric_gradients(model.geometry()[elem], G);
            const double(&a)[3] = G[place % 4];
            const double lam = moduli.lam[elem] * model.geometry()[elem].volume;
            const double mu = moduli.mu[elem] * model.geometry()[elem].volume;
            for (int k = 0; k < 4; ++k) {
                const double(&b)[3] = G[k];
                double* block = block_at(K, static_cast<std::int32_t>(v), mesh.conn_p1[elem][k]);
                const double along = mu * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j < 3; ++j) {
                        block[i * 3 + j] +=
                            lam * a[i] * b[j] + mu * b[i] * a[j] + (i == j ? along : 0.0);
                    }
                }
            }
        }
    });
}

/// C [pressure nodes][vertices] of 1 x 3 blocks: c_vb = sum_e V/4 G_b, the integral of L_v grad N_b
/// over this rank's elements.
BlockMatrix dilatation_rows(const Model& model) {
    const p2::LocalMesh& mesh = model.mesh();
    const PressureNodes& nodes = *model.pressure_nodes();
    const Incidence around =
        incidence(4 * std::int64_t(mesh.n_tets()), nodes.size(), [&](std::int64_t place) {
            const std::int32_t v = nodes.conn[place / 4][place % 4];
            return v < nodes.size() ? v : -1;
        });
    BlockMatrix C;
    C.R = 1;
    C.C = 3;
    C.n_cols = mesh.n_vertices();
    C.row_ptr.assign(nodes.size() + 1, 0);
    const auto columns = [&](std::int64_t v, std::vector<std::int32_t>& found) {
        found.clear();
        for (const std::int32_t place : around.of(v)) {
            for (const std::int32_t b : mesh.conn_p1[place / 4]) {
                if (std::find(found.begin(), found.end(), b) == found.end()) {
                    found.push_back(b);
                }
            }
        }
        std::sort(found.begin(), found.end());
    };
    parallel_ranges(nodes.size(), kRange, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int32_t> found;
        for (std::int64_t v = begin; v < end; ++v) {
            columns(v, found);
            C.row_ptr[v] = std::ssize(found);
        }
    });
    C.col.resize(exclusive_sum(std::span(C.row_ptr)));
    C.val.resize(C.col.size() * 3);
    parallel_ranges(nodes.size(), kRange, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int32_t> found;
        for (std::int64_t v = begin; v < end; ++v) {
            columns(v, found);
            std::copy(found.begin(), found.end(), C.col.begin() + C.row_ptr[v]);
            for (const std::int32_t place : around.of(v)) {
                const std::int32_t elem = place / 4;
                double G[4][3];
                barycentric_gradients(model.geometry()[elem], G);
                for (int b = 0; b < 4; ++b) {
                    const auto at =
                        std::lower_bound(found.begin(), found.end(), mesh.conn_p1[elem][b]);
                    double* c = C.val.data() + (C.row_ptr[v] + (at - found.begin())) * 3;
                    for (int j = 0; j < 3; ++j) {
                        c[j] += 0.25 * model.geometry()[elem].volume * G[b][j];
                    }
                }
            }
        }
    });
    return C;
}

/// K + C^T W C, W = bulk modulus / volume of the pressure nodes.
BlockMatrix with_pressure_nodes(const BlockMatrix& K, const Model& model,
                                const ElementModuli& moduli) {
    BlockMatrix C = dilatation_rows(model);
    const BlockMatrix CT = C.transposed({});
    parallel_for(C.n_rows(), [&](std::int64_t v) {
        const double w = moduli.nodal_bulk[v] / model.pressure_nodes()->own_volume[v];
        for (std::int64_t k = 3 * C.row_ptr[v]; k < 3 * C.row_ptr[v + 1]; ++k) {
            C.val[k] *= w;
        }
    });
    return multigrid::multiply(CT, C, &K);
}

/// int L_a L_b dA = A/12 (1 + delta_ab) of the faces that buoyancy loads.
void add_buoyancy(const Model& model, BlockMatrix& K) {
    for (const Buoyancy::Face& face : model.buoyancy()->faces()) {
        const auto& vertex = model.mesh().conn_p1[face.elem];
        for (const int a : p2::kTetFaces[face.face]) {
            for (const int b : p2::kTetFaces[face.face]) {
                block_at(K, vertex[a], vertex[b])[8] += face.weight * (a == b ? 30.0 : 15.0);
            }
        }
    }
}

}  // namespace

BlockMatrix p1_stiffness(const Model& model, const ElementModuli& moduli) {
    BlockMatrix A = vertex_pattern(model.mesh());
    add_elements(model, moduli, A);
    if (moduli.buoyant) {
        add_buoyancy(model, A);
    }
    if (moduli.nodal()) {
        A = with_pressure_nodes(A, model, moduli);
    }
    const auto fixed = fixed_bits(model.boundary().fixed_p1(), A.n_rows());
    parallel_for(A.n_rows(), [&](std::int64_t row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            zero_fixed(fixed[row], fixed[A.col[k]], A.val.data() + k * 9);
        }
    });
    return A;
}

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
