// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <utility>

#include "solvers/parallel/incidence.hpp"
#include "solvers/viscoelastic/kernels/element_loop.hpp"
#include "solvers/viscoelastic/model/barycentric.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"

namespace kaname::viscoelastic {
namespace {

using multigrid::BlockMatrix;

/// The matrix of a mesh's vertices and edges, and where each edge is in it.
class VertexMatrix {
public:
    explicit VertexMatrix(const p2::LocalMesh& mesh)
        : mesh_(mesh),
          in_row_(mesh.mid_edges.size() * 2),
          diagonal_(mesh.n_vertices()),
          edge_of_(mesh.n_nodes(), -1) {
        const Incidence edges = incidence(std::ssize(in_row_), mesh.n_vertices(), [&](auto place) {
            const auto& edge = mesh.mid_edges[place / 2];
            return place % 2 == 0 ? edge.v0 : edge.v1;
        });
        parallel_for(std::ssize(mesh.mid_edges), [&](std::int64_t edge) {
            edge_of_[mesh.mid_edges[edge].node] = static_cast<std::int32_t>(edge);
        });
        A.n_cols = mesh.n_vertices();
        A.row_ptr.resize(mesh.n_vertices() + 1);
        parallel_for(mesh.n_vertices(), [&](std::int64_t v) {
            A.row_ptr[v] = static_cast<std::int64_t>(edges.of(v).size()) + 1;
        });
        A.row_ptr.back() = 0;
        A.col.resize(exclusive_sum(std::span(A.row_ptr)));
        A.val.resize(A.col.size() * 9);
        parallel_ranges(mesh.n_vertices(), kRange, [&](std::int64_t begin, std::int64_t end) {
            std::vector<std::pair<std::int32_t, std::int32_t>> row;  // (vertex, place)
            for (auto v = static_cast<std::int32_t>(begin); v < end; ++v) {
                row.assign(1, {v, -1});
                for (const std::int32_t place : edges.of(v)) {
                    const auto& edge = mesh.mid_edges[place / 2];
                    row.emplace_back(place % 2 == 0 ? edge.v1 : edge.v0, place);
                }
                std::sort(row.begin(), row.end());
                for (std::size_t k = 0; k < row.size(); ++k) {
                    const auto [col, place] = row[k];
                    A.col[A.row_ptr[v] + k] = col;
                    (place < 0 ? diagonal_[v] : in_row_[place]) = static_cast<std::int32_t>(k);
                }
            }
        });
    }

    /// Block (v, v).
    [[nodiscard]] double* diagonal(std::int32_t v) { return block(v, diagonal_[v]); }
    /// Blocks (a, b) and (b, a) of the edge whose middle is a node.
    [[nodiscard]] std::pair<double*, double*> edge(std::int32_t node, std::int32_t a) {
        const std::int32_t at = edge_of_[node];
        const auto& [middle, v0, v1] = mesh_.mid_edges[at];
        double* first = block(v0, in_row_[2 * at]);
        double* second = block(v1, in_row_[2 * at + 1]);
        return v0 == a ? std::pair{first, second} : std::pair{second, first};
    }

    BlockMatrix A;

private:
    [[nodiscard]] double* block(std::int32_t row, std::int32_t at) {
        return A.val.data() + (A.row_ptr[row] + at) * 9;
    }

    const p2::LocalMesh& mesh_;
    std::vector<std::int32_t> in_row_;    ///< [edges][2] places in the rows of v0 and v1
    std::vector<std::int32_t> diagonal_;  ///< [V] the same of the diagonal block
    std::vector<std::int32_t> edge_of_;   ///< [N] mid-edge, -1 for vertices
};

/// K_ab += V (lam G_a G_b^T + mu G_b G_a^T + mu (G_a . G_b) I), and K_ba, its transpose.
void add_element(const Model& model, const ElementModuli& moduli, std::int32_t elem,
                 VertexMatrix& K) {
    const auto& conn = model.mesh().conn[elem];
    const auto& vertex = model.mesh().conn_p1[elem];
    double G[4][3];
    barycentric_gradients(model.geometry()[elem], G);
    const double lam = moduli.lam[elem] * model.geometry()[elem].volume;
    const double mu = moduli.mu[elem] * model.geometry()[elem].volume;
    const auto stiffness = [&](int a, int b, double(&block)[3][3]) {
        const double along = mu * (G[a][0] * G[b][0] + G[a][1] * G[b][1] + G[a][2] * G[b][2]);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                block[i][j] = lam * G[a][i] * G[b][j] + mu * G[b][i] * G[a][j];
            }
            block[i][i] += along;
        }
    };
    double block[3][3];
    for (int a = 0; a < 4; ++a) {
        stiffness(a, a, block);
        double* at = K.diagonal(vertex[a]);
        for (int k = 0; k < 9; ++k) {
            at[k] += block[k / 3][k % 3];
        }
    }
    for (int e = 0; e < 6; ++e) {
        const auto& [a, b] = p2::kTet10Edges[e];
        stiffness(a, b, block);
        const auto [ab, ba] = K.edge(conn[4 + e], vertex[a]);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                ab[i * 3 + j] += block[i][j];
                ba[j * 3 + i] += block[i][j];
            }
        }
    }
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
void add_buoyancy(const Model& model, VertexMatrix& K) {
    for (const Buoyancy::Face& face : model.buoyancy()->faces()) {
        const auto& vertex = model.mesh().conn_p1[face.elem];
        const auto& conn = model.mesh().conn[face.elem];
        for (const int a : p2::kTetFaces[face.face]) {
            K.diagonal(vertex[a])[8] += face.weight * 30.0;
        }
        for (const int middle : p2::face_nodes(face.face)) {
            if (middle >= 4) {
                const auto [ab, ba] = K.edge(conn[middle], vertex[p2::kTet10Edges[middle - 4][0]]);
                ab[8] += face.weight * 15.0;
                ba[8] += face.weight * 15.0;
            }
        }
    }
}

}  // namespace

BlockMatrix p1_stiffness(const Model& model, const ElementModuli& moduli) {
    BlockMatrix A;
    {
        VertexMatrix K(model.mesh());
        element_loop::for_each_element(
            model.mesh().blocks, [&](std::int32_t elem) { add_element(model, moduli, elem, K); });
        if (moduli.buoyant) {
            add_buoyancy(model, K);
        }
        A = std::move(K.A);
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

}  // namespace kaname::viscoelastic
