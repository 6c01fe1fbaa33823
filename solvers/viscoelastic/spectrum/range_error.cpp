// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/range_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/parallel/loops.hpp"
#include "solvers/viscoelastic/spectrum/reduced_transform.hpp"

namespace kaname::viscoelastic {

double relative_error(double motion, double size) {
    if (motion == 0.0) {
        return 0.0;
    }
    const double error = motion / size;
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

double range_error(const ReducedModel& model, std::span<const Relaxation> relaxation,
                   const RangeErrorParts& parts) {
    const std::vector<double> shifts = shifts_between(relaxation, parts.end_s);
    std::vector<double> times_s;
    for (auto shift = shifts.rbegin(); shift != shifts.rend(); ++shift) {
        times_s.push_back(1.0 / *shift);
    }
    const std::vector<TimeRows> rows = rows_in_time(model, relaxation, times_s);
    std::vector<LaneNorms> residuals(times_s.size()), sizes(times_s.size());
    const auto measure = [&](std::int64_t k) {
        residuals[k] = parts.residual(rows[k].load, rows[k].c);
        sizes[k] = parts.size(rows[k].c[0]);
    };
    parallel_for(static_cast<std::int64_t>(times_s.size()), measure, 1);
    LaneNorms size = parts.least;
    for (const LaneNorms& at : sizes) {
        std::transform(at.begin(), at.end(), size.begin(), size.begin(),
                       [](double a, double b) { return std::max(a, b); });
    }
    double worst = 0.0;
    LaneNorms largest{};
    std::vector<double> g(relaxation.size());
    for (std::size_t k = 0; k < times_s.size(); ++k) {
        for (std::size_t j = 0; j < g.size(); ++j) {
            g[j] = relaxation[j].at(1.0 / times_s[k]);
        }
        const LaneNorms a = parts.motion_per_residual->at(g);
        for (int lane = 0; lane < lanes::kLanes; ++lane) {
            if (!(residuals[k][lane] <= largest[lane])) {  // what is no number stays
                largest[lane] = residuals[k][lane];
            }
            const double motion = kErrorSafety * a[lane] * (largest[lane] + parts.left[lane]);
            worst = std::max(worst, relative_error(motion, size[lane]));
        }
    }
    return worst;
}

}  // namespace kaname::viscoelastic
