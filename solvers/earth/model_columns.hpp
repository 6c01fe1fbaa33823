// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/earth/column.hpp"

namespace kaname::earth {

/// Part of a vertical line through a model: bottom_m <= z <= top_m lies in `volume`.
struct ColumnPiece {
    int volume = 0;
    double bottom_m = 0.0, top_m = 0.0;
};

/// Cuts vertical lines at the surfaces: exact but for the plan.
class ModelColumns {
public:
    /// Borrows the model.
    explicit ModelColumns(const VolumeModel& model) : model_(&model) {}

    /// Pieces of the line at u, v from the bottom of the box up to the free surface; those of no
    /// thickness are left out. Valid until the next call.
    const std::vector<ColumnPiece>& cut(double u, double v);
    /// Heights of all surfaces where the last line was.
    [[nodiscard]] const Column::Heights& heights() const { return heights_; }

    /// Midpoints of nearly square cells over the plan, `longer` of them along its longer side.
    struct Plan {
        int nu = 0, nv = 0;
        double du = 0.0, dv = 0.0;
    };
    [[nodiscard]] Plan plan(int longer) const;
    [[nodiscard]] double u(const Plan& plan, int i) const {
        return (i + 0.5) * plan.du - 0.5 * model_->size_u_m;
    }
    [[nodiscard]] double v(const Plan& plan, int j) const {
        return (j + 0.5) * plan.dv - 0.5 * model_->size_v_m;
    }

private:
    const VolumeModel* model_;
    Column::Heights heights_{};
    std::vector<ColumnPiece> pieces_;
};

}  // namespace kaname::earth
