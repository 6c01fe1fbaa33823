// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::p2 {

struct Location {
    std::int32_t tet = -1;
    std::array<double, 4> barycentric{};
    double distance_m = 0.0;  ///< how far the point was moved to lie in the tet
    Vec3 snapped;
};

/// Containing tetrahedron of each point; a point outside is moved to the nearest place of the mesh
/// (distance_m says how far). Of several tets that touch the point the lowest id is taken.
[[nodiscard]] std::vector<Location> locate_points(const mesh::TetMesh& mesh,
                                                  std::span<const Vec3> points);

/// Bounds with sides along the axes; empty until something is included.
struct Box {
    Vec3 low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
             std::numeric_limits<double>::infinity()};
    Vec3 high{-low.x, -low.y, -low.z};

    void include(const Vec3& x) {
        for (int comp = 0; comp < 3; ++comp) {
            low[comp] = std::min(low[comp], x[comp]);
            high[comp] = std::max(high[comp], x[comp]);
        }
    }
    void include(const Box& other) {
        include(other.low);
        include(other.high);
    }
    /// 0 inside.
    [[nodiscard]] double distance(const Vec3& x) const {
        double sum = 0.0;
        for (int comp = 0; comp < 3; ++comp) {
            const double d = std::max({low[comp] - x[comp], 0.0, x[comp] - high[comp]});
            sum += d * d;
        }
        return std::sqrt(sum);
    }
};

/// Boxes of items 0..n-1 in a tree, for what lies near a point.
class BoxTree {
public:
    /// For fewer points one look at every item costs less than the tree.
    static constexpr std::int64_t kWorthATree = 8;

    BoxTree(std::int32_t n, const std::function<Box(std::int32_t)>& box_of);

    /// visit(item) for items whose box is not farther from x than within(), which may shrink
    /// meanwhile; near ones tend to come first.
    template <class Within, class Visit>
    void for_each_near(const Vec3& x, const Within& within, const Visit& visit) const {
        struct Open {
            std::int32_t node;
            double distance;
        };
        Open open[64];  // a path to a leaf has at most 32 nodes
        int n_open = 0;
        if (!nodes_.empty()) {
            open[n_open++] = {0, nodes_[0].box.distance(x)};
        }
        while (n_open > 0) {
            const Open next = open[--n_open];
            if (next.distance > within()) {
                continue;
            }
            const Node& node = nodes_[next.node];
            if (node.right < 0) {
                for (std::int32_t k = node.begin; k < node.end; ++k) {
                    if (items_[k].box.distance(x) <= within()) {
                        visit(items_[k].item);
                    }
                }
                continue;
            }
            Open left{next.node + 1, nodes_[next.node + 1].box.distance(x)};
            Open right{node.right, nodes_[node.right].box.distance(x)};
            if (left.distance < right.distance) {
                std::swap(left, right);
            }
            open[n_open++] = left;  // the farther one
            open[n_open++] = right;
        }
    }

private:
    struct Item {
        Box box;
        std::int32_t item;
    };
    struct Node {
        Box box;
        std::int32_t begin, end;  ///< of items_
        std::int32_t right;       ///< the left child is the next node; -1: a leaf
    };
    void split(std::int32_t begin, std::int32_t end);

    std::vector<Item> items_;
    std::vector<Node> nodes_;
};

}  // namespace kaname::p2
