// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/model_volumes.hpp"

#include "solvers/earth/model_columns.hpp"

namespace kaname::earth {

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
