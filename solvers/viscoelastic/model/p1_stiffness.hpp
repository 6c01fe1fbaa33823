// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/model/elements.hpp"

namespace kaname::viscoelastic {

/// g[k] = grad L_k.
inline void barycentric_gradients(const ElementGeometry& geometry, double (&g)[4][3]) {
    for (int j = 0; j < 3; ++j) {
        for (int m = 0; m < 3; ++m) {
            g[m + 1][j] = geometry.grad[m][j];
        }
        g[0][j] = -g[1][j] - g[2][j] - g[3][j];
    }
}

/// Fixed components of each item: bit j for component j.
[[nodiscard]] inline std::vector<std::uint8_t> fixed_bits(std::span<const std::int32_t> dofs,
                                                          std::size_t n_items) {
    std::vector<std::uint8_t> bits(n_items, 0);
    for (const std::int32_t dof : dofs) {
        bits[dof / 3] |= static_cast<std::uint8_t>(1U << (dof % 3));
    }
    return bits;
}

/// Fixed rows and columns of a 3x3 block become zero.
inline void zero_fixed(std::uint8_t row, std::uint8_t col, double* block) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (((row >> i | col >> j) & 1U) != 0) {
                block[i * 3 + j] = 0.0;
            }
        }
    }
}

}  // namespace kaname::viscoelastic
