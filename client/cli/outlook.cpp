// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/outlook.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "client/cli/format.hpp"

namespace kaname::cli {

using nlohmann::json;

std::string time_text(double seconds, double low_s, double high_s) {
    return format_seconds(seconds) + ", mostly within " + format_seconds(low_s) + " to " +
           format_seconds(high_s);
}

std::string outlook(const json& estimate, const Reusable& reusable) {
    const std::int64_t sources = estimate.at("sources");
    const double all_packs = estimate.at("packs");
    const double share =
        static_cast<double>(std::max<std::int64_t>(0, sources - reusable.sources)) /
        static_cast<double>(std::max<std::int64_t>(1, sources));
    const double packs = std::ceil(all_packs * share);
    double left_s = estimate.at("package_s");
    if (packs > 0.0) {
        left_s +=
            estimate.at("setup_s").get<double>() + packs * estimate.at("pack_s").get<double>();
    }
    left_s += reusable.mesh ? 0.0 : estimate.at("mesh_s").get<double>();
    const double spread = estimate.at("spread");
    return format_count(sources) + " sources, " +
           format_count(estimate.at("dof").get<long long>()) + " unknowns, " +
           format_count(estimate.at("steps").get<long long>()) + " steps; needs about " +
           format_bytes(estimate.at("solve_bytes")) + " and " +
           time_text(left_s, left_s / spread, left_s * spread) +
           (reusable.mesh ? " (the mesh has been made before)" : "");
}

}  // namespace kaname::cli
