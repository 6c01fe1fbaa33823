// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/thin_layers.hpp"

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

std::uint64_t ThinLayers::slabs_of(const earth::VolumeModel& model) {
    std::uint64_t slabs = 0;
    for (std::size_t k = 0; k < model.volumes.size(); ++k) {
        if (model.volumes[k].top >= 0 && model.volumes[k].bottom >= 0) {
            slabs |= volume_bit(static_cast<int>(k));
        }
    }
    return slabs;
}

void ThinLayers::add_run(const earth::Column& column, int run, VolumeSet& set) const {
    const int volume = column.run[run].volume;
    const std::uint64_t bit = volume_bit(volume);
    set.volumes |= bit;
    if (volume == earth::kAir) {
        set.upper |= bit;
        set.lower |= bit;
        return;
    }
    const std::uint64_t cutting = slabs_ & (bit - 1);  // named earlier
    const auto cut_by = [&](int first, int last) {
        for (int r = first; cutting != 0 && r < last; ++r) {
            if ((volume_bit(column.run[r].volume) & cutting) != 0) {
                return true;
            }
        }
        return false;
    };
    const bool lower = cut_by(0, run);
    const bool upper = !lower && cut_by(run + 1, column.runs);
    set.upper |= lower ? 0 : bit;
    set.lower |= upper ? 0 : bit;
}

VolumeSet ThinLayers::at(const Vec3& x, earth::SideMask on) const {
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
    VolumeSet set{0, 0, 0};
    const auto add = [&](earth::SideMask sides) {
        for (int piece = 0; piece < column.pieces; ++piece) {
            if (column.sides[piece] == sides) {
                add_run(column, column.run_of[piece], set);
                return;
            }
        }
        // Not on this line but beside it.
        const std::uint64_t bit = volume_bit(model_->volume_of(sides));
        set.volumes |= bit;
        set.upper |= bit;
        set.lower |= bit;
    };
    const earth::SideMask met = on & ((earth::SideMask{1} << n) - 1);
    // All ways to be above or below the surfaces in `met`: its subsets.
    earth::SideMask subset = met;
    while (true) {
        add((above & ~met) | subset);
        if (subset == 0) {
            set.upper |= ~set.volumes;
            set.lower |= ~set.volumes;
            return set;
        }
        subset = (subset - 1) & met;
    }
}

}  // namespace kaname::cleaving
