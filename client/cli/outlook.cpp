// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/outlook.hpp"

#include <algorithm>
#include <cmath>

#include "client/cli/format.hpp"

namespace kaname::cli {

std::string time_text(double seconds, double low_s, double high_s) {
    return format_seconds(seconds) + ", mostly within " + format_seconds(low_s) + " to " +
           format_seconds(high_s);
}

std::string outlook(const v1::Estimate& estimate, const Reusable& reusable) {
    const std::int64_t sources = estimate.sources();
    const double share =
        static_cast<double>(std::max<std::int64_t>(0, sources - reusable.sources)) /
        static_cast<double>(std::max<std::int64_t>(1, sources));
    const double packs = std::ceil(estimate.packs() * share);
    double left_s = estimate.package_s();
    if (packs > 0.0) {
        left_s += estimate.setup_s() + packs * estimate.each_pack_s();
    }
    left_s += reusable.mesh ? 0.0 : estimate.mesh_s();
    const double spread = std::max(1.0, estimate.spread());
    return format_count(sources) + " sources, " + format_count(estimate.dof()) + " unknowns, " +
           format_count(estimate.steps()) + " steps; needs about " +
           format_bytes(estimate.solve_bytes()) + " and " +
           time_text(left_s, left_s / spread, left_s * spread) +
           (reusable.mesh ? " (the mesh has been made before)" : "");
}

}  // namespace kaname::cli
