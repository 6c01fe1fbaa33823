// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/cleaving/thin_layers.hpp"

#include <limits>

namespace kaname::cleaving {

void ThinLayers::merge(double u, double v, earth::Column& column) const {
    const auto is_ground = [&](int r) {
        return r >= 0 && r < column.runs && column.run[r].volume != earth::kAir;
    };
    while (true) {
        int thinnest = -1;
        double least = std::numeric_limits<double>::infinity();
        for (int r = 0; r < column.runs; ++r) {
            const earth::Column::Run& run = column.run[r];
            const double thickness = run.thickness_m();
            if (is_ground(r) && (is_ground(r - 1) || is_ground(r + 1)) && thickness < least &&
                thickness < part_ * sizes_->far_m() &&
                thickness < part_ * sizes_->at({u, v, 0.5 * (run.top_m + run.bottom_m)})) {
                thinnest = r;
                least = thickness;
            }
        }
        if (thinnest < 0) {
            return;
        }
        const bool up = is_ground(thinnest - 1) &&
                        (!is_ground(thinnest + 1) || column.run[thinnest - 1].thickness_m() <
                                                         column.run[thinnest + 1].thickness_m());
        column.join(up ? thinnest - 1 : thinnest);
    }
}

std::uint64_t ThinLayers::volumes_at(const Vec3& x, earth::SideMask on) const {
    const earth::Column::Heights heights = earth::Column::heights_at(*model_, x.x, x.y);
    const std::size_t n = model_->surfaces.size();
    earth::SideMask above = 0;
    for (std::size_t k = 0; k < n; ++k) {
        above |= static_cast<earth::SideMask>(x.z > heights[k]) << k;
    }
    earth::Column column(*model_, heights);
    if (part_ > 0.0) {
        merge(x.x, x.y, column);
    }
    const auto volume_of = [&](earth::SideMask sides) {
        for (int piece = 0; piece < column.pieces; ++piece) {
            if (column.sides[piece] == sides) {
                return column.run[column.run_of[piece]].volume;
            }
        }
        return model_->volume_of(sides);  // not on this line but beside it
    };
    const earth::SideMask met = on & ((earth::SideMask{1} << n) - 1);
    // All ways to be above or below the surfaces in `met`: its subsets.
    std::uint64_t volumes = 0;
    earth::SideMask subset = met;
    while (true) {
        volumes |= volume_bit(volume_of((above & ~met) | subset));
        if (subset == 0) {
            return volumes;
        }
        subset = (subset - 1) & met;
    }
}

}  // namespace kaname::cleaving
