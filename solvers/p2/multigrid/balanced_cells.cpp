// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/balanced_cells.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace kaname::multigrid {
namespace {

// Halvings, about twenty for each axis.
constexpr int kMostDepth = 60;

double component(const Vec3& x, int axis) {
    return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

/// The box of all points, and across which axis its parts are halved at each depth.
class Halvings {
public:
    Halvings(std::span<const Vec3> points, comm::Comm& comm) {
        std::array<double, 6> reach{};  // -lowest, highest
        reach.fill(-std::numeric_limits<double>::infinity());
        for (const Vec3& x : points) {
            for (int axis = 0; axis < 3; ++axis) {
                reach[axis] = std::max(reach[axis], -component(x, axis));
                reach[3 + axis] = std::max(reach[3 + axis], component(x, axis));
            }
        }
        comm.max(std::span<double>(reach));
        std::array<double, 3> side{};
        for (int axis = 0; axis < 3; ++axis) {
            low_[axis] = -reach[axis];
            size_[axis] = side[axis] = reach[3 + axis] + reach[axis];
        }
        for (int& axis : axis_) {
            axis = static_cast<int>(std::ranges::max_element(side) - side.begin());
            side[axis] *= 0.5;
        }
    }

    /// Which half at each depth, from the first in the highest bit on.
    [[nodiscard]] std::int64_t key(const Vec3& x) const {
        std::array<double, 3> place{};  // in the part that is being halved, 0..1
        for (int axis = 0; axis < 3; ++axis) {
            place[axis] = size_[axis] > 0.0 ? (component(x, axis) - low_[axis]) / size_[axis] : 0.0;
        }
        std::int64_t key = 0;
        for (const int axis : axis_) {
            place[axis] *= 2.0;
            const int upper = place[axis] >= 1.0 ? 1 : 0;
            place[axis] -= upper;
            key = 2 * key + upper;
        }
        return key;
    }

private:
    std::array<double, 3> low_{}, size_{};
    std::array<int, kMostDepth> axis_{};
};

/// First keys of the cells, ascending.
std::vector<std::int64_t> first_keys(std::vector<std::int64_t> owned_keys, int most,
                                     comm::Comm& comm) {
    std::ranges::sort(owned_keys);
    const auto keys_below = [&](std::int64_t key) {
        return std::ranges::lower_bound(owned_keys, key) - owned_keys.begin();
    };
    std::vector<std::int64_t> cells;
    std::vector<std::int64_t> open = {0};
    for (int depth = 0; !open.empty(); ++depth) {
        const std::int64_t width = std::int64_t(1) << (kMostDepth - depth);
        std::vector<double> count;
        for (const std::int64_t first : open) {
            count.push_back(static_cast<double>(keys_below(first + width) - keys_below(first)));
        }
        comm.sum(std::span<double>(count));
        std::vector<std::int64_t> halves;
        for (std::size_t k = 0; k < open.size(); ++k) {
            if (count[k] > most && depth < kMostDepth) {
                halves.insert(halves.end(), {open[k], open[k] + width / 2});
            } else if (count[k] > 0.0) {
                cells.push_back(open[k]);
            }
        }
        open = std::move(halves);
    }
    std::ranges::sort(cells);
    return cells;
}

}  // namespace

std::vector<std::int64_t> balanced_cells(std::span<const Vec3> points,
                                         std::span<const std::uint8_t> owned, int most,
                                         comm::Comm& comm) {
    const Halvings halvings(points, comm);
    std::vector<std::int64_t> keys;
    std::vector<std::int64_t> owned_keys;
    for (std::size_t i = 0; i < points.size(); ++i) {
        keys.push_back(halvings.key(points[i]));
        if (owned.empty() || owned[i] != 0) {
            owned_keys.push_back(keys.back());
        }
    }
    const std::vector<std::int64_t> cells = first_keys(std::move(owned_keys), most, comm);
    for (std::int64_t& key : keys) {
        key = std::ranges::upper_bound(cells, key) - cells.begin() - 1;
    }
    return keys;
}

}  // namespace kaname::multigrid
