// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/base/vec3.hpp"
#include "solvers/meshing/cleaving/octree.hpp"

namespace kaname::cleaving {
namespace {

using Place = std::array<std::int64_t, 3>;  // coordinates in halves of the finest leaf

std::uint64_t place_key(const Place& at) {
    return morton(static_cast<std::uint64_t>(at[0]), static_cast<std::uint64_t>(at[1]),
                  static_cast<std::uint64_t>(at[2]));
}

class Builder {
public:
    explicit Builder(const Octree& octree) : octree_(octree) { number_vertices(); }

    Lattice run() {
        const auto& leaves = octree_.leaves();
        constexpr std::size_t kChunk = 4096;  // leaves: pieces are joined in order
        std::vector<std::vector<Tet>> pieces((leaves.size() + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(dynamic)
        for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
            const std::size_t end = std::min(leaves.size(), (piece + 1) * kChunk);
            for (std::size_t leaf = piece * kChunk; leaf < end; ++leaf) {
                add_leaf(leaves[leaf], pieces[piece]);
            }
        }
        for (std::vector<Tet>& piece : pieces) {
            lattice_.tets.insert(lattice_.tets.end(), piece.begin(), piece.end());
            std::vector<Tet>().swap(piece);
        }
        std::ranges::sort(lattice_.tets, [](const Tet& a, const Tet& b) {
            return std::ranges::min(a) < std::ranges::min(b);
        });
        return std::move(lattice_);
    }

private:
    [[nodiscard]] std::int64_t unit(int level) const {
        return std::int64_t{1} << (octree_.depth() - level);  // half a leaf of that level
    }
    [[nodiscard]] Place middle(const Cell& cell) const {
        const std::int64_t half = unit(cell.level);
        return {(2 * cell.at[0] + 1) * half, (2 * cell.at[1] + 1) * half,
                (2 * cell.at[2] + 1) * half};
    }
    [[nodiscard]] std::int32_t find(const Place& at) const {
        const std::uint64_t key = place_key(at);
        const auto found = std::ranges::lower_bound(keys_, key);
        return found != keys_.end() && *found == key
                   ? static_cast<std::int32_t>(found - keys_.begin())
                   : -1;
    }
    void number_vertices();
    void add_leaf(const Cell& leaf, std::vector<Tet>& tets) const;
    void add_face(std::int32_t inner, std::int32_t outer, const std::array<Place, 4>& ring,
                  std::vector<Tet>& tets) const;
    void add_tet(Tet tet, std::vector<Tet>& tets) const;

    const Octree& octree_;
    std::vector<std::uint64_t> keys_;
    Lattice lattice_;
};

void Builder::number_vertices() {
    std::vector<std::pair<std::uint64_t, Place>> all;
    all.reserve(octree_.leaves().size() * 3);
    const auto add = [&](const Place& at) { all.emplace_back(place_key(at), at); };
    const auto tidy = [&] {
        std::ranges::sort(all, {}, [](const auto& entry) { return entry.first; });
        const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
        all.erase(std::unique(all.begin(), all.end(), same), all.end());
    };
    std::size_t tidy_at = 4'000'000;
    for (const Cell& leaf : octree_.leaves()) {
        const Place at = middle(leaf);
        const std::int64_t half = unit(leaf.level);
        add(at);
        for (int corner = 0; corner < 8; ++corner) {
            add({at[0] + ((corner & 1) != 0 ? half : -half),
                 at[1] + ((corner & 2) != 0 ? half : -half),
                 at[2] + ((corner & 4) != 0 ? half : -half)});
        }
        for (int axis = 0; axis < 3; ++axis) {
            for (const int way : {-1, 1}) {
                Cell neighbour = leaf;
                neighbour.at[axis] += way;
                if (!octree_.inside(neighbour)) {
                    Place face = at;
                    face[axis] += way * half;
                    add(face);
                }
            }
        }
        if (all.size() > tidy_at) {
            tidy();
            tidy_at = 2 * all.size() + 4'000'000;
        }
    }
    tidy();
    keys_.reserve(all.size());
    lattice_.xyz.reserve(all.size());
    lattice_.walls.reserve(all.size());
    const Octree::Roots& roots = octree_.roots();
    const double units = 2.0 * static_cast<double>(unit(0));
    for (const auto& [key, at] : all) {
        keys_.push_back(key);
        Vec3 x;
        Walls walls = 0;
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = roots.place(axis, static_cast<double>(at[axis]) / units);
            if (at[axis] == 0 || at[axis] == 2 * unit(0) * roots.n[axis]) {
                walls = static_cast<Walls>(walls | 1U << axis);
            }
        }
        lattice_.xyz.push_back(x);
        lattice_.walls.push_back(walls);
    }
}

void Builder::add_tet(Tet tet, std::vector<Tet>& tets) const {
    const auto& x = lattice_.xyz;
    if (det6(x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]) < 0.0) {
        std::swap(tet[2], tet[3]);
    }
    tets.push_back(tet);
}

void Builder::add_face(std::int32_t inner, std::int32_t outer, const std::array<Place, 4>& ring,
                       std::vector<Tet>& tets) const {
    for (int side = 0; side < 4; ++side) {
        const Place& from = ring[side];
        const Place& to = ring[(side + 1) % 4];
        const std::int32_t a = find(from);
        const std::int32_t b = find(to);
        const std::int32_t half =
            find({(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2});
        if (half < 0) {
            add_tet({inner, outer, a, b}, tets);
        } else {
            add_tet({inner, outer, a, half}, tets);
            add_tet({inner, outer, half, b}, tets);
        }
    }
}

void Builder::add_leaf(const Cell& leaf, std::vector<Tet>& tets) const {
    const Place at = middle(leaf);
    const std::int64_t half = unit(leaf.level);
    const std::int32_t own = find(at);
    for (int axis = 0; axis < 3; ++axis) {
        for (const int way : {-1, 1}) {
            Cell neighbour = leaf;
            neighbour.at[axis] += way;
            std::array<Place, 4> ring;
            for (int corner = 0; corner < 4; ++corner) {
                ring[corner] = at;
                ring[corner][axis] += way * half;
                ring[corner][(axis + 1) % 3] += corner == 0 || corner == 3 ? -half : half;
                ring[corner][(axis + 2) % 3] += corner < 2 ? -half : half;
            }
            if (!octree_.inside(neighbour)) {
                Place face = at;
                face[axis] += way * half;
                add_face(own, find(face), ring, tets);
            } else if (octree_.is_leaf(neighbour)) {
                if (way > 0) {  // once per pair
                    add_face(own, find(middle(neighbour)), ring, tets);
                }
            } else if (!octree_.divided(neighbour)) {
                add_face(own, find(middle(Octree::parent(neighbour))), ring, tets);
            }
        }
    }
}

}  // namespace

Lattice make_lattice(const Octree& octree) {
    return Builder(octree).run();
}

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

Stars::Stars(std::size_t vertices, std::span<const Tet> tets) : begin_(vertices + 1, 0) {
    for (const Tet& tet : tets) {
        for (const std::int32_t v : tet) {
            ++begin_[static_cast<std::size_t>(v) + 1];
        }
    }
    for (std::size_t v = 0; v < vertices; ++v) {
        begin_[v + 1] += begin_[v];
    }
    tets_.resize(4 * tets.size());
    std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t t = 0; t < tets.size(); ++t) {
        for (const std::int32_t v : tets[t]) {
            tets_[static_cast<std::size_t>(next[v]++)] = static_cast<std::int32_t>(t);
        }
    }
}

}  // namespace kaname::cleaving
