// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/available_memory.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/base/machine.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"

namespace kaname::jobs {

double available_bytes() {
    return this_machine().available_bytes;
}

void warn_of_memory(double solve_bytes, double available_bytes,
                    std::vector<std::string>& warnings) {
    const std::string text = "a solve needs more memory than is free on this machine";
    if (available_bytes > 0.0 && solve_bytes > available_bytes &&
        std::ranges::count(warnings, text) == 0) {
        warnings.push_back(text);
    }
}

namespace {

constexpr double kEven = 1.3;       // sizes in a cube that need no closer look
constexpr double kHalfEdge = 0.56;  // half the edge of a leaf, in sizes
constexpr int kMostCubes = 200000;

struct Cube {
    Vec3 centre, half;
};

}  // namespace

double rough_count(const cleaving::VolumeMeshParams& request) {
    const cleaving::SizeField sizes(request.sizes, request.box, request.model);
    const meshing::Box& box = request.box;
    const double top = request.model->surfaces.front().height.highest();
    std::vector<Cube> open = {
        {{0.0, 0.0, 0.5 * (top - box.depth_m)},
         {0.5 * box.size_east_m, 0.5 * box.size_north_m, 0.5 * (top + box.depth_m)}}};
    double count = 0.0;
    // Breadth first: when the cubes run out, all that are left are about equally large.
    for (std::size_t next = 0; next < open.size(); ++next) {
        const Cube cube = open[next];
        const double reach = std::max({cube.half.x, cube.half.y, cube.half.z});
        const double low = sizes.smallest(cube.centre, reach);
        const double high =
            std::min(sizes.at(cube.centre) + request.sizes.growth * reach, request.sizes.far_m);
        if (high > kEven * low && open.size() + 8 <= kMostCubes) {
            const Vec3 half = 0.5 * cube.half;
            for (int corner = 0; corner < 8; ++corner) {
                open.push_back({cube.centre + Vec3{(corner & 1) != 0 ? half.x : -half.x,
                                                   (corner & 2) != 0 ? half.y : -half.y,
                                                   (corner & 4) != 0 ? half.z : -half.z},
                                half});
            }
            continue;
        }
        // A leaf is as fine as the finest place in it wants: half an edge ahead.
        const double here = sizes.at(cube.centre);
        const double finer = sizes.smallest(cube.centre, kHalfEdge * here) / here;
        // mean of s^-3 for s spread evenly from a to b
        const double a = finer * low;
        const double b = finer * high;
        const double mean = b - a > 1e-6 * a ? (1.0 / (a * a) - 1.0 / (b * b)) / (2.0 * (b - a))
                                             : 1.0 / (a * a * a);
        count += kTetsPerSizeCubed * mean * 8.0 * cube.half.x * cube.half.y * cube.half.z;
    }
    return count;
}

}  // namespace kaname::jobs
