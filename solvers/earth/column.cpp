// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/column.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kaname::earth {

Column::Heights Column::heights_at(const VolumeModel& model, double u, double v) {
    Heights heights;
    for (std::size_t k = 0; k < model.surfaces.size(); ++k) {
        heights[k] = model.surfaces[k].height.z(u, v);
    }
    return heights;
}

Column::Column(const VolumeModel& model, const Heights& heights) {
    const auto n = static_cast<int>(model.surfaces.size());
    std::array<int, kMaxSurfaces> order;
    std::iota(order.begin(), order.begin() + n, 0);
    std::sort(order.begin(), order.begin() + n,
              [&](int a, int b) { return heights[a] > heights[b]; });
    pieces = n + 1;
    SideMask above = (SideMask{1} << n) - 1;
    double top = std::numeric_limits<double>::infinity();
    for (int piece = 0; piece < pieces; ++piece) {
        const double bottom =
            piece < n ? std::max(heights[order[piece]], -model.depth_m) : -model.depth_m;
        const int volume = model.volume_of(above);
        sides[piece] = above;
        if (runs == 0 || run[runs - 1].volume != volume) {
            run[runs++] = {volume, top, bottom};
        }
        run[runs - 1].bottom_m = bottom;
        run_of[piece] = runs - 1;
        top = bottom;
        if (piece < n) {
            above &= ~(SideMask{1} << order[piece]);
        }
    }
}

void Column::join(int upper) {
    const Run lower = run[upper + 1];
    if (lower.thickness_m() > run[upper].thickness_m()) {
        run[upper].volume = lower.volume;
    }
    run[upper].bottom_m = lower.bottom_m;
    std::copy(run.begin() + upper + 2, run.begin() + runs, run.begin() + upper + 1);
    --runs;
    for (int piece = 0; piece < pieces; ++piece) {
        run_of[piece] -= run_of[piece] > upper ? 1 : 0;
    }
}

}  // namespace kaname::earth
