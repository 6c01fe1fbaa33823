// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/volume_mesh_checks.hpp"

#include <cmath>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/meshing/box_frame.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/require.hpp"

namespace kaname::cleaving {
namespace {

using meshing::require;
using meshing::require_length;

std::string element(const char* list, std::size_t index) {
    return std::string(list) + "[" + std::to_string(index) + "]";
}

void check_sizes(const SizeRequest& sizes) {
    require_length("sizes.far_m", sizes.far_m);
    require(std::isfinite(sizes.growth) && sizes.growth > 0.0, "sizes.growth", "finite and > 0",
            sizes.growth);
    require(sizes.detail_reach_m >= 0.0, "sizes.detail_reach_m", ">= 0", sizes.detail_reach_m);
    require(std::isfinite(sizes.at_surface_m) && sizes.at_surface_m >= 0.0, "sizes.at_surface_m",
            "finite and >= 0", sizes.at_surface_m);
    for (std::size_t k = 0; k < sizes.points.size(); ++k) {
        require_length(element("sizes.points", k) + ".size_m", sizes.points[k].size_m);
    }
    for (std::size_t k = 0; k < sizes.depths.size(); ++k) {
        require_length(element("sizes.depths", k) + ".size_m", sizes.depths[k].size_m);
    }
}

void check_faults(const VolumeMeshParams& params) {
    const auto count = params.faults.size();
    require(count <= static_cast<std::size_t>(kMaxFaults), "faults",
            ("at most " + std::to_string(kMaxFaults)).c_str(), static_cast<double>(count));
    const int surfaces = static_cast<int>(params.model->surfaces.size());
    for (std::size_t k = 0; k < count; ++k) {
        const FaultRequest& fault = params.faults[k];
        const std::string field = element("faults", k);
        require(fault.surface < surfaces && (fault.surface >= 0 || fault.plane.has_value()),
                field + ".surface", "one of the model's surfaces, or -1 with a plane",
                fault.surface);
        require(fault.outline.empty() || fault.outline.size() == 4, field + ".outline",
                "empty or of four corners", static_cast<double>(fault.outline.size()));
    }
}

}  // namespace

void check_volume_mesh(const VolumeMeshParams& params) {
    meshing::check_box(params.box);
    check_sizes(params.sizes);
    require(params.thinnest >= 0.0 && params.thinnest < 1.0, "thinnest", "in [0, 1)",
            params.thinnest);
    for (const std::int32_t n : params.roots) {
        require(n >= 0 && (n > 0) == (params.roots[0] > 0), "roots", "all > 0, or all 0", n);
    }
    check_faults(params);
}

}  // namespace kaname::cleaving
