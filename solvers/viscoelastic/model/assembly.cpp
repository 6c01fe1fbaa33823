// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <map>

#include "solvers/viscoelastic/model/stiffness.hpp"

namespace kaname::viscoelastic {
namespace {

using Row = std::map<std::int32_t, std::array<double, 3>>;  // grad N integrated, by node

/// d N_node / d L_(m+1) at vertex `at`: the coefficients of the vertex form.
double reference_derivative(int node, int m, int at) {
    const int v = m + 1;
    // N_v = L_v (2 L_v - 1), N_ab = 4 L_a L_b, L_0 = 1 - L_1 - L_2 - L_3.
    const auto dL = [&](int a) { return a == v ? 1.0 : a == 0 ? -1.0 : 0.0; };
    const auto L = [&](int a) { return a == at ? 1.0 : 0.0; };
    if (node < 4) {
        return (4.0 * L(node) - 1.0) * dL(node);
    }
    const auto& edge = p2::kTet10Edges[node - 4];
    return 4.0 * (L(edge[0]) * dL(edge[1]) + L(edge[1]) * dL(edge[0]));
}

struct ReferenceDerivatives {
    double d[10][4][3];  ///< [node][vertex][m]
    ReferenceDerivatives() {
        for (int node = 0; node < 10; ++node) {
            for (int at = 0; at < 4; ++at) {
                for (int m = 0; m < 3; ++m) {
                    d[node][at][m] = reference_derivative(node, m, at);
                }
            }
        }
    }
};

/// g[k] = grad N_node at vertex k.
void vertex_gradients(const ReferenceDerivatives& reference, const ElementGeometry& geometry,
                      int node, double (&g)[4][3]) {
    for (int at = 0; at < 4; ++at) {
        for (int j = 0; j < 3; ++j) {
            g[at][j] = 0.0;
            for (int m = 0; m < 3; ++m) {
                g[at][j] += reference.d[node][at][m] * geometry.grad[m][j];
            }
        }
    }
}

/// g[k] = grad L_k.
void barycentric_gradients(const ElementGeometry& geometry, double (&g)[4][3]) {
    for (int j = 0; j < 3; ++j) {
        for (int m = 0; m < 3; ++m) {
            g[m + 1][j] = geometry.grad[m][j];
        }
        g[0][j] = -g[1][j] - g[2][j] - g[3][j];
    }
}

/// K_ab += w (lam g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I).
void add_stiffness(const double (&ga)[3], const double (&gb)[3], double lam, double mu,
                   double* block) {
    const double along = mu * (ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            block[i * 3 + j] += lam * ga[i] * gb[j] + mu * gb[i] * ga[j];
        }
        block[i * 3 + i] += along;
    }
}

/// c_va = sum_e int L_v grad N_a over this rank's elements: the rows of C.
std::vector<Row> dilatation_rows(const Model& model, const ReferenceDerivatives& reference) {
    const p2::LocalMesh& mesh = model.mesh();
    const PressureNodes& nodes = *model.pressure_nodes();
    std::vector<Row> rows(nodes.size());
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        const ElementGeometry& geometry = model.geometry()[elem];
        for (int node = 0; node < 10 && nodes.conn[elem][0] < nodes.size(); ++node) {
            double g[4][3];
            vertex_gradients(reference, geometry, node, g);
            for (int v = 0; v < 4; ++v) {
                auto& c = rows[nodes.conn[elem][v]][mesh.conn[elem][node]];
                for (int j = 0; j < 3; ++j) {
                    c[j] +=
                        geometry.volume / 20.0 * (g[v][j] + g[0][j] + g[1][j] + g[2][j] + g[3][j]);
                }
            }
        }
    }
    return rows;
}

/// Rows of P1, by vertex, whose gradients are constant.
std::vector<Row> dilatation_rows_p1(const Model& model) {
    const p2::LocalMesh& mesh = model.mesh();
    const PressureNodes& nodes = *model.pressure_nodes();
    std::vector<Row> rows(nodes.size());
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        if (nodes.conn[elem][0] == nodes.size()) {
            continue;
        }
        double g[4][3];
        barycentric_gradients(model.geometry()[elem], g);
        for (const std::int32_t v : nodes.conn[elem]) {
            for (int b = 0; b < 4; ++b) {
                auto& c = rows[v][mesh.conn_p1[elem][b]];
                for (int j = 0; j < 3; ++j) {
                    c[j] += 0.25 * model.geometry()[elem].volume * g[b][j];
                }
            }
        }
    }
    return rows;
}

/// block += w a b^T.
void add_outer(double w, const std::array<double, 3>& a, const std::array<double, 3>& b,
               double* block) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            block[i * 3 + j] += w * a[i] * b[j];
        }
    }
}

/// Rows and columns of fixed components become zero.
void zero_fixed(std::span<const std::uint8_t> fixed, std::int32_t row, std::int32_t col,
                double* block) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (fixed[row * 3 + i] != 0 || fixed[col * 3 + j] != 0) {
                block[i * 3 + j] = 0.0;
            }
        }
    }
}

std::vector<std::uint8_t> mask_of(std::span<const std::int32_t> dofs, std::size_t n_items) {
    std::vector<std::uint8_t> mask(n_items * 3, 0);
    for (const std::int32_t dof : dofs) {
        mask[dof] = 1;
    }
    return mask;
}

}  // namespace

std::vector<double> diagonal_blocks(const Model& model, const ElementModuli& moduli) {
    const ReferenceDerivatives reference;
    const p2::LocalMesh& mesh = model.mesh();
    std::vector<double> D(std::size_t(mesh.n_nodes()) * 9, 0.0);
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        const ElementGeometry& geometry = model.geometry()[elem];
        const double weight = geometry.volume / 20.0;
        for (int node = 0; node < 10; ++node) {
            double g[4][3];
            vertex_gradients(reference, geometry, node, g);
            double sum[3] = {};
            for (int j = 0; j < 3; ++j) {
                sum[j] = g[0][j] + g[1][j] + g[2][j] + g[3][j];
            }
            // int g g^T = V/20 (sum_k g_k g_k^T + (sum g)(sum g)^T) for linear g.
            double* block = D.data() + std::size_t(mesh.conn[elem][node]) * 9;
            for (int at = 0; at < 4; ++at) {
                add_stiffness(g[at], g[at], moduli.lam[elem] * weight, moduli.mu[elem] * weight,
                              block);
            }
            add_stiffness(sum, sum, moduli.lam[elem] * weight, moduli.mu[elem] * weight, block);
        }
    }
    if (moduli.nodal()) {
        const auto rows = dilatation_rows(model, reference);
        for (std::size_t v = 0; v < rows.size(); ++v) {
            const double w = moduli.nodal_bulk[v] / model.pressure_nodes()->own_volume[v];
            for (const auto& [node, c] : rows[v]) {
                add_outer(w, c, c, D.data() + std::size_t(node) * 9);
            }
        }
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
    const auto fixed = mask_of(model.boundary().fixed(), mesh.n_nodes());
    for (std::int32_t node = 0; node < mesh.n_nodes(); ++node) {
        zero_fixed(fixed, node, node, D.data() + std::size_t(node) * 9);
    }
    return D;
}

multigrid::BlockMatrix p1_stiffness(const Model& model, const ElementModuli& moduli) {
    const p2::LocalMesh& mesh = model.mesh();
    multigrid::BlockMatrix A;
    A.n_cols = mesh.n_vertices();
    std::vector<std::vector<std::int32_t>> columns(mesh.n_vertices());
    for (const auto& v : mesh.conn_p1) {
        for (const std::int32_t a : v) {
            columns[a].insert(columns[a].end(), v.begin(), v.end());
        }
    }
    const auto nodal = moduli.nodal() ? dilatation_rows_p1(model) : std::vector<Row>{};
    for (const Row& vertices : nodal) {
        for (const auto& [a, unused] : vertices) {
            for (const auto& [b, unused_too] : vertices) {
                columns[a].push_back(b);
            }
        }
    }
    for (auto& row : columns) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        A.col.insert(A.col.end(), row.begin(), row.end());
        A.row_ptr.push_back(static_cast<std::int64_t>(A.col.size()));
    }
    A.val.assign(A.col.size() * 9, 0.0);
    const auto fixed = mask_of(model.boundary().fixed_p1(), mesh.n_vertices());
    const auto add_block = [&](std::int32_t row, std::int32_t col, double* block) {
        const auto begin = A.col.begin() + A.row_ptr[row];
        const auto end = A.col.begin() + A.row_ptr[row + 1];
        const auto at = std::lower_bound(begin, end, col) - A.col.begin();
        zero_fixed(fixed, row, col, block);
        for (int k = 0; k < 9; ++k) {
            A.val[at * 9 + k] += block[k];
        }
    };
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        const ElementGeometry& geometry = model.geometry()[elem];
        double g[4][3];
        barycentric_gradients(geometry, g);
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                double block[9] = {};
                add_stiffness(g[a], g[b], moduli.lam[elem] * geometry.volume,
                              moduli.mu[elem] * geometry.volume, block);
                add_block(mesh.conn_p1[elem][a], mesh.conn_p1[elem][b], block);
            }
        }
    }
    for (std::size_t v = 0; v < nodal.size(); ++v) {
        const double w = moduli.nodal_bulk[v] / model.pressure_nodes()->own_volume[v];
        for (const auto& [a, ca] : nodal[v]) {
            for (const auto& [b, cb] : nodal[v]) {
                double block[9] = {};
                add_outer(w, ca, cb, block);
                add_block(a, b, block);
            }
        }
    }
    if (moduli.buoyant) {
        for (const Buoyancy::Face& face : model.buoyancy()->faces()) {
            for (const int a : p2::kTetFaces[face.face]) {
                for (const int b : p2::kTetFaces[face.face]) {
                    // int L_a L_b dA = A/12 (1 + delta_ab)
                    double block[9] = {};
                    block[8] = face.weight * (a == b ? 30.0 : 15.0);
                    add_block(mesh.conn_p1[face.elem][a], mesh.conn_p1[face.elem][b], block);
                }
            }
        }
    }
    return A;
}

}  // namespace kaname::viscoelastic
