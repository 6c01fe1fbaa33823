// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <vector>

#include "solvers/linalg/dense.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/p2/local_mesh.hpp"
#include "solvers/p2/multigrid/aggregation.hpp"
#include "tests/unit/solvers/p2/multigrid/append_row.hpp"

namespace kaname::multigrid {

/// This rank's part of a truss: every edge of a tet is a bar of unit stiffness. Rigid motions of
/// the free truss need no force. Rows and columns of `fixed` (vertex * 3 + component) are zero.
inline BlockMatrix truss(const p2::LocalMesh& mesh, const std::vector<std::int32_t>& fixed = {}) {
    std::vector<std::map<std::int32_t, std::vector<double>>> rows(mesh.n_vertices());
    const auto add = [&](std::int32_t row, std::int32_t col, const Vec3& n, double sign) {
        auto& block = rows[row].try_emplace(col, std::vector<double>(9, 0.0)).first->second;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                block[i * 3 + j] += sign * n[i] * n[j];
            }
        }
    };
    for (const auto& v : mesh.conn_p1) {
        for (const auto& edge : p2::kTet10Edges) {
            const std::int32_t a = v[edge[0]];
            const std::int32_t b = v[edge[1]];
            const Vec3 n =
                normalized(mesh.node_xyz[mesh.vertex_node[b]] - mesh.node_xyz[mesh.vertex_node[a]]);
            add(a, a, n, 1.0);
            add(b, b, n, 1.0);
            add(a, b, n, -1.0);
            add(b, a, n, -1.0);
        }
    }
    std::vector<char> is_fixed(std::size_t(mesh.n_vertices()) * 3, 0);
    for (const std::int32_t dof : fixed) {
        is_fixed[dof] = 1;
    }
    BlockMatrix A;
    A.n_cols = mesh.n_vertices();
    for (std::int32_t row = 0; row < mesh.n_vertices(); ++row) {
        for (auto& [col, block] : rows[row]) {
            for (int k = 0; k < 9; ++k) {
                if (is_fixed[row * 3 + k / 3] != 0 || is_fixed[col * 3 + k % 3] != 0) {
                    block[k] = 0.0;
                }
            }
        }
        append_row(A, rows[row]);
    }
    return A;
}

inline Items vertex_items(const p2::LocalMesh& mesh) {
    Items items;
    items.gid = mesh.vertex_gid;
    items.scale.assign(mesh.n_vertices(), 0.0);
    for (const std::int32_t node : mesh.vertex_node) {
        items.centre.push_back(mesh.node_xyz[node]);
    }
    items.halo = mesh.vertex_halo;
    return items;
}

/// Inverse diagonal blocks of the matrix summed over ranks.
inline std::vector<double> inverse_blocks(const BlockMatrix& A, comm::Halo& halo) {
    const std::size_t size = A.block_size();
    std::vector<double> D(A.n_rows() * size, 0.0);
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            for (std::size_t m = 0; m < size && A.col[k] == row; ++m) {
                D[row * size + m] = A.val[k * size + m];
            }
        }
    }
    halo.sum(std::span<double>(D), static_cast<int>(size));
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        linalg::invert_semidefinite({D.data() + row * size, size}, A.R);
    }
    return D;
}

/// The motion t + w x x as unknowns of the items.
inline std::vector<double> rigid_motion(const Items& items, const Vec3& t, const Vec3& w) {
    std::vector<double> u;
    for (std::int32_t item = 0; item < items.size(); ++item) {
        const Vec3 at = t + cross(w, items.centre[item]);
        for (int comp = 0; comp < 3; ++comp) {
            u.push_back(at[comp]);
        }
        for (int comp = 3; comp < items.block; ++comp) {
            u.push_back(items.scale[item] * w[comp - 3]);
        }
    }
    return u;
}

inline std::vector<double> times(const BlockMatrix& A, const std::vector<double>& x) {
    std::vector<double> y(std::size_t(A.n_rows()) * A.R, 0.0);
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            for (int i = 0; i < A.R; ++i) {
                for (int j = 0; j < A.C; ++j) {
                    y[row * A.R + i] +=
                        A.val[k * A.block_size() + i * A.C + j] * x[A.col[k] * A.C + j];
                }
            }
        }
    }
    return y;
}

}  // namespace kaname::multigrid
