// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/lattice_planes.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/meshing/cleaving/roots.hpp"

namespace kaname::cleaving {
namespace {

// Cubes may become so much flatter or higher; planes that ask for more are cut like any other.
constexpr double kMostStretch = 1.5;

/// Largest edge of the roots' halves that the size allows.
double step_m(double edge_m, const Octree::Roots& roots, double size_m) {
    double size = kSizePerEdge * std::cbrt(roots.edge.x * roots.edge.y * roots.edge.z);
    while (size > kLargest * size_m) {
        size *= 0.5;
        edge_m *= 0.5;
    }
    return edge_m;
}

}  // namespace

LatticePlanes::LatticePlanes(const LatticePlaneRequest& request, const Octree::Roots& roots) {
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<Knot>& knots = knots_[axis];
        const double low = roots.lower[axis];
        const double high = low + roots.n[axis] * roots.edge[axis];
        knots = {{low, low}, {high, high}};
        for (const double at : request.at[axis]) {
            if (!(at > low && at < high)) {
                continue;
            }
            // The nearest plane of the lattice, as far as others have stretched it before.
            const double step = step_m(roots.edge[axis], roots, request.size_m);
            const auto next = std::ranges::upper_bound(knots, at, {}, &Knot::to);
            const auto last = std::prev(next);
            const double before =
                last->from + (at - last->to) / (next->to - last->to) * (next->from - last->from);
            const Knot knot{low + step * std::round((before - low) / step), at};
            const auto fits = [&](const Knot& a, const Knot& b) {
                const double stretch = (b.to - a.to) / (b.from - a.from);
                return b.from - a.from > 0.5 * step && stretch < kMostStretch &&
                       stretch > 1.0 / kMostStretch;
            };
            if (fits(*last, knot) && fits(knot, *next)) {
                knots.insert(next, knot);
            }
        }
    }
}

Vec3 LatticePlanes::operator()(const Vec3& x) const {
    Vec3 moved = x;
    for (int axis = 0; axis < 3; ++axis) {
        const std::vector<Knot>& knots = knots_[axis];
        // A hair's breadth before a knot belongs to it: a plane's vertices must lie on it exactly.
        const double hair = 1e-9 * (knots.back().from - knots.front().from);
        const auto next = std::ranges::lower_bound(knots, x[axis] - hair, {}, &Knot::from);
        if (knots.size() == 2 || next == knots.end() || next == knots.begin()) {
            continue;
        }
        if (std::abs(next->from - x[axis]) <= hair) {
            moved[axis] = next->to;
            continue;
        }
        const Knot& a = *std::prev(next);
        moved[axis] = a.to + (x[axis] - a.from) / (next->from - a.from) * (next->to - a.to);
    }
    return moved;
}

bool LatticePlanes::none() const {
    return std::ranges::all_of(knots_, [](const auto& knots) { return knots.size() == 2; });
}

}  // namespace kaname::cleaving
