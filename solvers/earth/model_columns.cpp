// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/model_columns.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::earth {

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

}  // namespace kaname::earth
