// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/box_tree.hpp"

#include "solvers/parallel/loops.hpp"

namespace kaname::p2 {
namespace {

constexpr std::int32_t kLeaf = 8;

}  // namespace

BoxTree::BoxTree(std::int32_t n, const std::function<Box(std::int32_t)>& box_of) : items_(n) {
    parallel_for(n, [&](std::int64_t item) {
        items_[item] = {box_of(static_cast<std::int32_t>(item)), static_cast<std::int32_t>(item)};
    });
    if (n > 0) {
        split(0, n);
    }
}

/// The middle of the longest side of what the centres span has as many items on either side.
void BoxTree::split(std::int32_t begin, std::int32_t end) {
    const std::span<Item> items(items_.data() + begin, items_.data() + end);
    Box centres;
    Node node{{}, begin, end, -1};
    for (const Item& item : items) {
        node.box.include(item.box);
        centres.include(item.box.low + item.box.high);  // twice the centre
    }
    const std::size_t place = nodes_.size();
    nodes_.push_back(node);
    if (end - begin <= kLeaf) {
        return;
    }
    const Vec3 extent = centres.high - centres.low;
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0
                     : extent.y >= extent.z                       ? 1
                                                                  : 2;
    const std::int32_t middle = begin + (end - begin) / 2;
    std::nth_element(items.begin(), items.begin() + (middle - begin), items.end(),
                     [axis](const Item& a, const Item& b) {
                         return std::pair(a.box.low[axis] + a.box.high[axis], a.item) <
                                std::pair(b.box.low[axis] + b.box.high[axis], b.item);
                     });
    split(begin, middle);
    nodes_[place].right = static_cast<std::int32_t>(nodes_.size());
    split(middle, end);
}

}  // namespace kaname::p2
