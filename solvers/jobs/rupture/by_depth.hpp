// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace kaname::jobs {

/// N numbers over depth below z = 0: linear between rows, a jump where a depth is repeated (the
/// second row counts there), constant above the first and below the last.
template <std::size_t N>
struct ByDepth {
    using Values = std::array<double, N>;
    struct Row {
        double depth_m = 0.0;
        Values values{};
    };
    std::vector<Row> rows;  ///< at least one; depths never decrease

    [[nodiscard]] static ByDepth constant(const Values& values) { return {{{0.0, values}}}; }

    [[nodiscard]] Values at(double depth_m) const {
        const auto below = std::ranges::upper_bound(rows, depth_m, {}, &Row::depth_m);
        if (below == rows.begin()) {
            return rows.front().values;
        }
        const Row& above = *(below - 1);
        if (below == rows.end()) {
            return above.values;
        }
        const double part = (depth_m - above.depth_m) / (below->depth_m - above.depth_m);
        Values values{};
        for (std::size_t k = 0; k < N; ++k) {
            values[k] = above.values[k] + part * (below->values[k] - above.values[k]);
        }
        return values;
    }
};

}  // namespace kaname::jobs
