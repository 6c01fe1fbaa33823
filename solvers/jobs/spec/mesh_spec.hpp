// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace kaname::jobs {

/// Sizes beside those at the fault and far from it; 0: none.
struct VolumeSizes {
    struct Depth {
        double depth_m = 0.0, size_m = 0.0;  ///< elements above depth_m are no larger than size_m
        double reach_m = 0.0;                ///< so far from the fault; 0: as far as other details
    };
    double at_surface_m = 0.0, at_stations_m = 0.0;
    std::vector<Depth> by_depth;
    std::int64_t max_elements = 0;
    double thinnest_layer = 0.0;  ///< in element sizes: thinner layers merge with a neighbour
};

/// Sizes of the elements of a mesh that Kaname makes.
struct MeshSpec {
    double size_at_fault_m = 0.0, size_far_m = 0.0, growth = 0.0;
    VolumeSizes sizes;
};

}  // namespace kaname::jobs
