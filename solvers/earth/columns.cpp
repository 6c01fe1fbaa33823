// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/columns.hpp"

#include <algorithm>
#include <cmath>
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

const std::vector<ColumnPiece>& ModelColumns::cut(double u, double v) {
    heights_ = Column::heights_at(*model_, u, v);
    const Column column(*model_, heights_);
    pieces_.clear();
    for (int r = column.runs - 1; r >= 0; --r) {
        const Column::Run& run = column.run[r];
        if (run.volume == kAir || !(run.thickness_m() > 0.0)) {
            continue;
        }
        if (!pieces_.empty() && pieces_.back().volume == run.volume) {
            pieces_.back().top_m = run.top_m;
        } else {
            pieces_.push_back({run.volume, run.bottom_m, run.top_m});
        }
    }
    return pieces_;
}

ModelColumns::Plan ModelColumns::plan(int longer) const {
    const double cell = std::max(model_->size_u_m, model_->size_v_m) / longer;
    Plan plan;
    plan.nu = std::max(1, static_cast<int>(std::lround(model_->size_u_m / cell)));
    plan.nv = std::max(1, static_cast<int>(std::lround(model_->size_v_m / cell)));
    plan.du = model_->size_u_m / plan.nu;
    plan.dv = model_->size_v_m / plan.nv;
    return plan;
}

std::vector<double> volumes_m3(const VolumeModel& model) {
    constexpr int kLines = 512;
    ModelColumns columns(model);
    const ModelColumns::Plan plan = columns.plan(kLines);
    std::vector<double> volume(model.volumes.size(), 0.0);
    for (int j = 0; j < plan.nv; ++j) {
        for (int i = 0; i < plan.nu; ++i) {
            for (const ColumnPiece& piece : columns.cut(columns.u(plan, i), columns.v(plan, j))) {
                volume[piece.volume] += (piece.top_m - piece.bottom_m) * plan.du * plan.dv;
            }
        }
    }
    return volume;
}

}  // namespace kaname::earth
