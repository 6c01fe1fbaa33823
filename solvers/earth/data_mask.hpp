// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include "solvers/earth/height_field.hpp"

namespace kaname::earth {

/// Where a surface rests on its data: on the nodes of its grid, 1 where it does.
struct DataMask {
    HeightField::Grid grid;
    std::vector<unsigned char> known;  ///< [nv][nu]

    /// Returns true if all four nodes around a place rest on data; false outside of the grid.
    [[nodiscard]] bool at(double u, double v) const {
        const int i = static_cast<int>(std::floor(grid.column(u)));
        const int j = static_cast<int>(std::floor(grid.row(v)));
        if (i < 0 || j < 0 || i + 1 >= grid.nu || j + 1 >= grid.nv) {
            return false;
        }
        const auto node = [&](int column, int row) {
            return known[static_cast<std::size_t>(row) * grid.nu + column] != 0;
        };
        return node(i, j) && node(i + 1, j) && node(i, j + 1) && node(i + 1, j + 1);
    }
};

}  // namespace kaname::earth
