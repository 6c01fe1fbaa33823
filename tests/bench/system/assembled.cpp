// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/system/assembled.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

namespace kaname::bench {
namespace {

constexpr int kNodes = p2::kNodesPerTet10;
constexpr int kDofs = 3 * kNodes;

/// Column by column from the element operator itself.
void element_matrix(const viscoelastic::ElementGeometry& geometry, double lam, double mu,
                    double (&K)[kDofs][kDofs]) {
    const double weight = geometry.volume / 20.0;
    double G[3][3];
    std::copy_n(&geometry.grad[0][0], 9, &G[0][0]);
    for (int column = 0; column < kDofs; ++column) {
        double u[kNodes][3] = {};
        u[column / 3][column % 3] = 1.0;
        double s[4][6];
        viscoelastic::element_stress(u, G, lam * weight, mu * weight, s);
        double f[kNodes][3] = {};
        viscoelastic::add_element_force(s, G, f);
        for (int row = 0; row < kDofs; ++row) {
            K[row][column] = f[row / 3][row % 3];
        }
    }
}

/// Place of each node among the free ones, -1 for fixed ones.
std::vector<std::int32_t> free_nodes(const viscoelastic::Model& model,
                                     std::vector<std::int32_t>& nodes) {
    std::vector<int> n_fixed(model.mesh().n_nodes(), 0);
    for (const std::int32_t dof : model.boundary().fixed()) {
        ++n_fixed[dof / 3];
    }
    std::vector<std::int32_t> place(n_fixed.size(), -1);
    for (std::size_t node = 0; node < n_fixed.size(); ++node) {
        if (n_fixed[node] == 0) {
            place[node] = static_cast<std::int32_t>(nodes.size());
            nodes.push_back(static_cast<std::int32_t>(node));
        } else if (n_fixed[node] != 3) {
            throw Error(ErrorCode::InvalidArgument,
                        "nodes must be free or fixed as a whole, node " + std::to_string(node) +
                            " has " + std::to_string(n_fixed[node]) + " components fixed");
        }
    }
    return place;
}

}  // namespace

AssembledSystem assemble(const viscoelastic::Model& model,
                         const viscoelastic::ElementModuli& moduli) {
    AssembledSystem system;
    const std::vector<std::int32_t> place = free_nodes(model, system.nodes);
    const auto& conn = model.mesh().conn;
    std::vector<std::vector<std::int32_t>> neighbours(system.nodes.size());
    for (const auto& nodes : conn) {
        for (const std::int32_t a : nodes) {
            for (const std::int32_t b : nodes) {
                if (place[a] >= 0 && place[b] >= 0) {
                    neighbours[place[a]].push_back(place[b]);
                }
            }
        }
    }
    for (auto& row : neighbours) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        for (int i = 0; i < 3; ++i) {
            for (const std::int32_t node : row) {
                for (int j = 0; j < 3; ++j) {
                    system.col.push_back(3 * node + j);
                }
            }
            system.row_ptr.push_back(static_cast<std::int64_t>(system.col.size()));
        }
    }
    system.val.assign(system.col.size(), 0.0);
    for (std::size_t elem = 0; elem < conn.size(); ++elem) {
        double K[kDofs][kDofs];
        element_matrix(model.geometry()[elem], moduli.lam[elem], moduli.mu[elem], K);
        for (int a = 0; a < kNodes; ++a) {
            const std::int32_t row = place[conn[elem][a]];
            for (int b = 0; row >= 0 && b < kNodes; ++b) {
                const std::int32_t column = place[conn[elem][b]];
                if (column < 0) {
                    continue;
                }
                const auto& list = neighbours[row];
                const auto at = std::lower_bound(list.begin(), list.end(), column) - list.begin();
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j < 3; ++j) {
                        system.val[system.row_ptr[3 * row + i] + 3 * at + j] +=
                            K[3 * a + i][3 * b + j];
                    }
                }
            }
        }
    }
    return system;
}

}  // namespace kaname::bench
