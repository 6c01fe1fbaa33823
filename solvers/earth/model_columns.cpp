// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/model_columns.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::earth {

const std::vector<ColumnPiece>& ModelColumns::cut(double u, double v) {
    heights_.clear();
    for (const ModelSurface& surface : model_->surfaces) {
        heights_.push_back(surface.height.z(u, v));
    }
    const double floor = -model_->depth_m;
    const double ceiling = heights_[0];
    cuts_.assign(1, floor);
    for (const double height : heights_) {
        if (height > floor && height < ceiling) {
            cuts_.push_back(height);
        }
    }
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.push_back(ceiling);

    pieces_.clear();
    for (std::size_t k = 0; k + 1 < cuts_.size(); ++k) {
        if (!(cuts_[k + 1] > cuts_[k])) {
            continue;
        }
        const double middle = 0.5 * (cuts_[k] + cuts_[k + 1]);
        SideMask above = 0;
        for (std::size_t s = 1; s < heights_.size(); ++s) {
            above |= static_cast<SideMask>(middle > heights_[s]) << s;
        }
        const int volume = model_->volume_of(above);
        if (!pieces_.empty() && pieces_.back().volume == volume) {
            pieces_.back().top_m = cuts_[k + 1];
        } else {
            pieces_.push_back({volume, cuts_[k], cuts_[k + 1]});
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
