// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/cleaving/layers_kept.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "solvers/cleaving/size_field.hpp"
#include "solvers/cleaving/thin_layers.hpp"
#include "solvers/earth/column.hpp"
#include "solvers/meshing/box_frame.hpp"

namespace kaname::cleaving {
namespace {

constexpr int kLines = 48;  // a side

struct Plan {
    double low_u, high_u, low_v, high_v;
};

Plan plan_of(const VolumeMeshParams& params, double reach_m) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const double half_u = 0.5 * params.box.size_east_m;
    const double half_v = 0.5 * params.box.size_north_m;
    const meshing::BoxFrame frame(params.box.azimuth_rad);
    Plan plan{kInf, -kInf, kInf, -kInf};
    for (const SizeRequest::Points& points : params.sizes.points) {
        for (const Vec3& x : points.at) {
            const double u = frame.b(x.x, x.y);
            const double v = frame.a(x.x, x.y);
            plan = {std::min(plan.low_u, u - reach_m), std::max(plan.high_u, u + reach_m),
                    std::min(plan.low_v, v - reach_m), std::max(plan.high_v, v + reach_m)};
        }
    }
    if (plan.low_u > plan.high_u) {
        return {-half_u, half_u, -half_v, half_v};
    }
    return {std::max(plan.low_u, -half_u), std::min(plan.high_u, half_u),
            std::max(plan.low_v, -half_v), std::min(plan.high_v, half_v)};
}

}  // namespace

std::vector<LayerKept> layers_kept(const VolumeMeshParams& params, double around_m) {
    const earth::VolumeModel& model = *params.model;
    const SizeField sizes(params.sizes, params.box, params.model);
    const ThinLayers thin(model, sizes, params.thinnest);
    const Plan plan = plan_of(params, around_m);
    const double du = (plan.high_u - plan.low_u) / kLines;
    const double dv = (plan.high_v - plan.low_v) / kLines;
    std::vector<LayerKept> kept(model.volumes.size());
    const auto add = [&](double u, double v, const earth::Column::Run& run) {
        const double bottom = std::max(run.bottom_m, -params.box.depth_m);
        if (run.volume == earth::kAir || !(run.top_m > bottom)) {
            return;
        }
        const double m3 = (run.top_m - bottom) * du * dv;
        kept[run.volume].model_m3 += m3;
        // Layers merge as wholes: the middle of one says where all of it went.
        const std::uint64_t at = thin.volumes_at({u, v, 0.5 * (run.top_m + bottom)}, 0);
        if (std::popcount(at) == 1 && at != kAirBit) {
            kept[std::countr_zero(at)].left_m3 += m3;
        }
    };
    for (int j = 0; j < kLines; ++j) {
        for (int i = 0; i < kLines; ++i) {
            const double u = plan.low_u + (i + 0.5) * du;
            const double v = plan.low_v + (j + 0.5) * dv;
            const earth::Column column(model, earth::Column::heights_at(model, u, v));
            for (int r = 0; r < column.runs; ++r) {
                add(u, v, column.run[r]);
            }
        }
    }
    return kept;
}

}  // namespace kaname::cleaving
