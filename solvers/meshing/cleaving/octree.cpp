// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/octree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/meshing/cleaving/complex.hpp"

namespace kaname::cleaving {
namespace {

std::uint64_t cell_key(const Cell& cell) {
    return static_cast<std::uint64_t>(cell.at[2]) << 2 * (Octree::kBits + 1) |
           static_cast<std::uint64_t>(cell.at[1]) << (Octree::kBits + 1) |
           static_cast<std::uint64_t>(cell.at[0]);
}

Cell cell_of(int level, std::uint64_t key) {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << (Octree::kBits + 1)) - 1;
    return {level,
            {static_cast<std::int32_t>(key & kMask),
             static_cast<std::int32_t>(key >> (Octree::kBits + 1) & kMask),
             static_cast<std::int32_t>(key >> 2 * (Octree::kBits + 1))}};
}

template <class Visit>
void children_of(const Cell& cell, const Visit& visit) {
    for (int child = 0; child < 8; ++child) {
        visit(Cell{cell.level + 1,
                   {2 * cell.at[0] + (child & 1), 2 * cell.at[1] + (child >> 1 & 1),
                    2 * cell.at[2] + (child >> 2)}});
    }
}

Error too_many_leaves(std::int64_t most) {
    return {ErrorCode::Exhausted,
            "the sizes asked for need more than " + std::to_string(most) + " cells of the lattice"};
}

}  // namespace

Octree::Octree(const Roots& roots, std::int64_t max_leaves,
               const std::function<bool(const Vec3&, const Vec3&)>& divide)
    : roots_(roots), max_leaves_(max_leaves) {
    double cells = 1.0;
    for (const std::int32_t n : roots.n) {
        if (n < 1 || n >= 1 << kBits) {
            throw Error(ErrorCode::Exhausted,
                        "the lattice must have 1.." + std::to_string((1 << kBits) - 1) +
                            " of its largest cells along each axis, has " + std::to_string(n));
        }
        cells *= n;
    }
    if (cells > static_cast<double>(max_leaves_)) {
        throw too_many_leaves(max_leaves_);
    }
    n_leaves_ = static_cast<std::int64_t>(cells);
    refine(divide);
    balance();
    collect();
}

void Octree::refine(const std::function<bool(const Vec3&, const Vec3&)>& divide) {
    const std::int64_t widest = std::ranges::max(roots_.n);
    int levels = 0;
    while (widest << (levels + 1) < 1 << kBits) {
        ++levels;
    }
    Keys cells;
    for (std::int32_t k = 0; k < roots_.n[2]; ++k) {
        for (std::int32_t j = 0; j < roots_.n[1]; ++j) {
            for (std::int32_t i = 0; i < roots_.n[0]; ++i) {
                cells.push_back(cell_key({0, {i, j, k}}));
            }
        }
    }
    for (int level = 0; !cells.empty(); ++level) {
        std::vector<unsigned char> wanted(cells.size());
#pragma omp parallel for schedule(dynamic, 256)
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const Cell cell = cell_of(level, cells[c]);
            wanted[c] = divide(centre(cell), half(cell)) ? 1 : 0;
        }
        const auto n_split = std::ranges::count(wanted, 1);
        if (n_split == 0) {
            break;
        }
        if (level == levels) {
            throw Error(ErrorCode::Exhausted, "the smallest size asked for is less than 2^-" +
                                                  std::to_string(kBits) + " of the box");
        }
        add_divided(n_split);
        Keys split, next;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (wanted[c] != 0) {
                split.push_back(cells[c]);
                children_of(cell_of(level, cells[c]),
                            [&](const Cell& child) { next.push_back(cell_key(child)); });
            }
        }
        divided_.push_back(std::move(split));
        std::ranges::sort(next);
        cells = std::move(next);
    }
}

void Octree::add_divided(std::int64_t cells) {
    n_leaves_ += 7 * cells;
    if (n_leaves_ > max_leaves_) {
        throw too_many_leaves(max_leaves_);
    }
}

void Octree::balance() {
    // The 26 neighbours of a divided cube must exist, that is, their parents must be divided.
    for (int level = depth() - 1; level > 0; --level) {
        Keys& coarser = divided_[static_cast<std::size_t>(level) - 1];
        const std::size_t known = coarser.size();
        for (const std::uint64_t key : divided_[static_cast<std::size_t>(level)]) {
            const Cell cell = cell_of(level, key);
            for (int n = 0; n < 27; ++n) {
                const Cell neighbour{
                    level,
                    {cell.at[0] + n % 3 - 1, cell.at[1] + n / 3 % 3 - 1, cell.at[2] + n / 9 - 1}};
                if (inside(neighbour)) {
                    const std::uint64_t needed = cell_key(parent(neighbour));
                    if (!std::binary_search(coarser.begin(),
                                            coarser.begin() + static_cast<std::ptrdiff_t>(known),
                                            needed)) {
                        coarser.push_back(needed);
                    }
                }
            }
        }
        sort_unique(coarser);
        add_divided(static_cast<std::int64_t>(coarser.size() - known));
    }
}

void Octree::collect() {
    leaves_.reserve(static_cast<std::size_t>(n_leaves_));
    for (std::int32_t k = 0; k < roots_.n[2]; ++k) {
        for (std::int32_t j = 0; j < roots_.n[1]; ++j) {
            for (std::int32_t i = 0; i < roots_.n[0]; ++i) {
                if (const Cell root{0, {i, j, k}}; !divided(root)) {
                    leaves_.push_back(root);
                }
            }
        }
    }
    for (int level = 0; level < depth(); ++level) {
        for (const std::uint64_t key : divided_[static_cast<std::size_t>(level)]) {
            children_of(cell_of(level, key), [&](const Cell& child) {
                if (!divided(child)) {
                    leaves_.push_back(child);
                }
            });
        }
    }
}

bool Octree::inside(const Cell& cell) const {
    for (int axis = 0; axis < 3; ++axis) {
        if (cell.at[axis] < 0 || cell.at[axis] >= static_cast<std::int64_t>(roots_.n[axis])
                                                      << cell.level) {
            return false;
        }
    }
    return true;
}

bool Octree::divided(const Cell& cell) const {
    return cell.level < depth() &&
           std::ranges::binary_search(divided_[static_cast<std::size_t>(cell.level)],
                                      cell_key(cell));
}

double Octree::Roots::place(int axis, double roots_from_lower) const {
    const Steady& of = steady[static_cast<std::size_t>(axis)];
    if (!of.stretched) {
        return lower[axis] + roots_from_lower * edge[axis];
    }
    if (roots_from_lower < of.from) {
        return lower[axis] + roots_from_lower / of.from * (of.at_m - lower[axis]);
    }
    const double last = n[static_cast<std::size_t>(axis)];
    if (roots_from_lower >= last) {
        return of.end_m;
    }
    const double within = of.at_m + (std::min(roots_from_lower, of.to) - of.from) * edge[axis];
    return roots_from_lower <= of.to
               ? within
               : of.end_m - (last - roots_from_lower) / (last - of.to) * (of.end_m - within);
}

Vec3 Octree::centre(const Cell& cell) const {
    const double per_root = 1.0 / static_cast<double>(std::int64_t{1} << cell.level);
    Vec3 x;
    for (int axis = 0; axis < 3; ++axis) {
        x[axis] = 0.5 * (roots_.place(axis, cell.at[axis] * per_root) +
                         roots_.place(axis, (cell.at[axis] + 1) * per_root));
    }
    return x;
}

Vec3 Octree::half(const Cell& cell) const {
    const double per_root = 1.0 / static_cast<double>(std::int64_t{1} << cell.level);
    Vec3 half = 0.5 * edge(cell.level);
    for (int axis = 0; axis < 3; ++axis) {
        if (roots_.steady[static_cast<std::size_t>(axis)].stretched) {
            half[axis] = 0.5 * (roots_.place(axis, (cell.at[axis] + 1) * per_root) -
                                roots_.place(axis, cell.at[axis] * per_root));
        }
    }
    return half;
}

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

// Roots that are laid from the fault: those of a side are at least so many edges long together,
// and an edge is no smaller than this part of the largest one that far elements allow.
constexpr double kLeastSide = 0.75, kLeastDepth = 1.5, kLeastEdge = 0.4;

/// Counts the roots between the fault and a side, and those of them that keep their edge.
struct SideRoots {
    std::int32_t n = 1;
    double steady = 0.0;
};

SideRoots roots_on(double length_m, double edge_m) {
    const auto n =
        std::max<std::int32_t>(1, static_cast<std::int32_t>(std::lround(length_m / edge_m)));
    return {n, 0.5 * (n - 1)};
}

/// Returns the largest cubes whose halves have exactly the first size at points, laid from the
/// middle of these and from sea level; nothing where the box has no room for them.
std::optional<Octree::Roots> steady_roots(const VolumeMeshParams& params) {
    const bool planes = std::ranges::any_of(
        params.planes.at, [](const std::vector<double>& axis) { return !axis.empty(); });
    if (planes || params.faults.empty() || params.sizes.points.empty() ||
        params.sizes.points.front().at.empty()) {
        return std::nullopt;
    }
    const meshing::Box& box = params.box;
    const meshing::BoxFrame frame(box.azimuth_rad);
    std::array<double, 2> low, high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (const Vec3& x : params.sizes.points.front().at) {
        const std::array<double, 2> at{frame.b(x.x, x.y), frame.a(x.x, x.y)};
        for (std::size_t axis = 0; axis < 2; ++axis) {
            low[axis] = std::min(low[axis], at[axis]);
            high[axis] = std::max(high[axis], at[axis]);
        }
    }
    const std::array<double, 2> middle{0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])};
    const std::array<double, 2> half{0.5 * box.size_east_m, 0.5 * box.size_north_m};
    const double least_side_m =
        std::min(half[0] - std::abs(middle[0]), half[1] - std::abs(middle[1]));
    const double far_m = params.sizes.far_m;
    const double largest_m = kLargest * far_m / kSizePerEdge;
    double edge_m = std::min(params.sizes.points.front().size_m, far_m) / kSizePerEdge;
    const auto fits = [&](double edge) {
        return edge <= largest_m && least_side_m >= kLeastSide * edge &&
               box.depth_m >= kLeastDepth * edge;
    };
    if (!fits(edge_m)) {
        return std::nullopt;
    }
    while (fits(2.0 * edge_m)) {
        edge_m *= 2.0;
    }
    if (edge_m < kLeastEdge * 0.5 * largest_m) {
        return std::nullopt;
    }
    Octree::Roots roots;
    roots.lower = {-half[0], -half[1], -box.depth_m};
    roots.edge = {edge_m, edge_m, edge_m};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const SideRoots before = roots_on(half[axis] + middle[axis], edge_m);
        const SideRoots behind = roots_on(half[axis] - middle[axis], edge_m);
        roots.n[axis] = before.n + behind.n;
        roots.steady[axis] = {true, before.n - before.steady, before.n + behind.steady,
                              middle[axis] - before.steady * edge_m, half[axis]};
    }
    // With relief the lattice ends somewhere in the air.
    const earth::HeightField& top = params.model->surfaces.front().height;
    const double highest_m = top.highest();
    const auto above =
        top.constant() ? 0 : static_cast<std::int32_t>(std::ceil(highest_m / edge_m + 0.05));
    const double sea_m = top.constant() ? highest_m : 0.0;
    const SideRoots below = roots_on(box.depth_m + sea_m, edge_m);
    roots.n[2] = below.n + above;
    roots.steady[2] = {true, below.n - below.steady, static_cast<double>(roots.n[2]),
                       sea_m - below.steady * edge_m, sea_m + above * edge_m};
    return roots;
}

}  // namespace

Octree::Roots choose_roots(const VolumeMeshParams& params) {
    if (params.roots[0] > 0) {
        return roots_given(params);
    }
    if (const auto roots = steady_roots(params)) {
        return *roots;
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
