// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/roots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kaname::cleaving {
namespace {

// Costs of a choice beside those of a stretch: of an octave by which the size at the fault is
// missed, of roots an octave smaller than what is wanted far away, which are eight times as many,
// and larger.
constexpr double kMissed = 2.0, kOctaveSmaller = 0.12, kOctaveLarger = 0.02;
constexpr double kSmallest = 0.5;  // roots, of those wanted far away

/// With relief the lattice ends somewhere in the air.
double height_of_lattice(const meshing::Box& box, const earth::HeightField& top, double plan) {
    return box.depth_m + top.highest() + (top.constant() ? 0.0 : 0.05 * plan);
}

Octree::Roots roots_with(int n_east, const VolumeMeshParams& params) {
    const meshing::Box& box = params.box;
    const earth::HeightField& top = params.model->surfaces.front().height;
    const auto count = [](double length, double edge) {
        return std::max(1, static_cast<int>(std::lround(length / edge)));
    };
    Octree::Roots roots;
    roots.lower = {-0.5 * box.size_east_m, -0.5 * box.size_north_m, -box.depth_m};
    roots.edge.x = box.size_east_m / n_east;
    const int n_north = count(box.size_north_m, roots.edge.x);
    roots.edge.y = box.size_north_m / n_north;
    const double plan = std::sqrt(roots.edge.x * roots.edge.y);
    const double height = height_of_lattice(box, top, plan);
    if (top.constant()) {
        roots.n = {n_east, n_north, count(height, plan)};
        roots.edge.z = height / roots.n[2];
    } else {
        roots.n = {n_east, n_north, static_cast<int>(std::ceil(height / plan))};
        roots.edge.z = plan;
    }
    return roots;
}

Octree::Roots roots_given(const VolumeMeshParams& params) {
    const meshing::Box& box = params.box;
    const earth::HeightField& top = params.model->surfaces.front().height;
    Octree::Roots roots;
    roots.lower = {-0.5 * box.size_east_m, -0.5 * box.size_north_m, -box.depth_m};
    roots.n = params.roots;
    roots.edge = {box.size_east_m / roots.n[0], box.size_north_m / roots.n[1], 0.0};
    roots.edge.z = height_of_lattice(box, top, std::sqrt(roots.edge.x * roots.edge.y)) / roots.n[2];
    return roots;
}

/// By how much the sizes that come of halving miss the one asked for, 0 to 0.5 octaves.
double missed(double root_size_m, double size_m) {
    const double halvings = std::log2(root_size_m / size_m);
    return std::abs(halvings - std::round(halvings));
}

}  // namespace

Octree::Roots choose_roots(const VolumeMeshParams& params) {
    if (params.roots[0] > 0) {
        return roots_given(params);
    }
    const double far_m = params.sizes.far_m;
    const double wanted_m = far_m / kSizePerEdge;
    const double east_m = params.box.size_east_m;
    const int fewest = std::max(1, static_cast<int>(std::ceil(east_m / (kLargest * wanted_m))));
    const int most = std::max(fewest, static_cast<int>(east_m / (kSmallest * wanted_m)));
    Octree::Roots best;
    double least = std::numeric_limits<double>::infinity();
    for (int n = fewest; n <= most; ++n) {
        const Octree::Roots roots = roots_with(n, params);
        const auto [low, high] = std::minmax({roots.edge.x, roots.edge.y, roots.edge.z});
        const double size_m = kSizePerEdge * std::cbrt(roots.edge.x * roots.edge.y * roots.edge.z);
        const double octaves = std::log2(size_m / far_m);
        double cost = high / low - 1.0 +
                      (octaves < 0.0 ? -kOctaveSmaller * octaves : kOctaveLarger * octaves);
        if (!params.sizes.points.empty()) {
            cost += kMissed * missed(size_m, std::min(params.sizes.points.front().size_m, far_m));
        }
        if (cost < least) {
            least = cost;
            best = roots;
        }
    }
    return best;
}

}  // namespace kaname::cleaving
