// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/star_walk.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/p2/tet10.hpp"

namespace kaname::fault {
namespace {

/// Faces of a tet that hold the tet10 node; -1 never appears.
std::span<const int> faces_with(int local) {
    static const auto table = [] {
        std::array<std::vector<int>, 10> faces;
        for (int face = 0; face < 4; ++face) {
            for (const int node : p2::face_nodes(face)) {
                faces[node].push_back(face);
            }
        }
        return faces;
    }();
    return table[local];
}

}  // namespace

const std::vector<std::int8_t>& StarWalk::sides(std::span<const StarEntry> star, const Vec3& x) {
    const Parts parts = find_parts(star);
    if (parts.components > 1 && (parts.components != 2 || !parts.one_sided)) {
        throw Error(ErrorCode::InvalidArgument,
                    "the fault cuts the elements around " + place_text(x) + " into " +
                        std::to_string(parts.components) +
                        " parts; it must be one on the plus and one on the minus side. Such "
                        "a fault branches, changes orientation, folds back on itself or cuts "
                        "a piece off: make each branch a fault (physical surface) of its own, "
                        "which may touch and cross others, and let it end an element before "
                        "itself and before the sides of the model");
    }
    if (parts.components == 2 && parts.sum != 0) {
        throw Error(ErrorCode::InvalidArgument,
                    "both sides of the fault at " + place_text(x) + " have the same sign");
    }
    return side_;
}

const std::vector<std::int8_t>& StarWalk::sides_if_two(std::span<const StarEntry> star) {
    const Parts parts = find_parts(star);
    if (parts.components != 2 || !parts.one_sided || parts.sum != 0) {
        side_.clear();
    }
    return side_;
}

std::size_t StarWalk::root(std::size_t i) {
    while (parent_[i] != i) {
        parent_[i] = parent_[parent_[i]];
        i = parent_[i];
    }
    return i;
}

StarWalk::Parts StarWalk::find_parts(std::span<const StarEntry> star) {
    join(star);
    std::vector<std::int8_t>& side = side_;
    side.assign(star.size(), 0);  // each component's side stands at its root
    Parts parts;
    for (std::size_t i = 0; i < star.size(); ++i) {
        parts.components += root(i) == i;
        for (const int face : faces_with(star[i].local)) {
            const std::int8_t here = marks_.neighbours[star[i].neighbour].fault_side[face];
            std::int8_t& known = side[root(i)];
            // 2 marks a component that has both sides: right on the rim, wrong elsewhere.
            known = here == 0 || known == here ? known : known == 0 ? here : std::int8_t{2};
        }
    }
    if (parts.components == 1) {
        side.clear();
        return parts;
    }
    for (std::size_t i = 0; i < star.size(); ++i) {
        parts.one_sided = parts.one_sided && (side[root(i)] == 1 || side[root(i)] == -1);
        parts.sum += root(i) == i ? side[i] : 0;
    }
    for (std::size_t i = 0; i < star.size(); ++i) {
        side[i] = side[root(i)];
    }
    return parts;
}

void StarWalk::join(std::span<const StarEntry> star) {
    parent_.resize(star.size());
    inner_faces_.clear();
    for (std::size_t i = 0; i < star.size(); ++i) {
        parent_[i] = i;
        const Neighbour& neighbour = marks_.neighbours[star[i].neighbour];
        const auto& conn = conn10_[neighbour.tet];
        for (const int face : faces_with(star[i].local)) {
            if (neighbour.fault_side[face] == 0) {
                const auto& v = p2::kTetFaces[face];
                inner_faces_.emplace_back(face_key(conn[v[0]], conn[v[1]], conn[v[2]]), i);
            }
        }
    }
    std::sort(inner_faces_.begin(), inner_faces_.end());
    for (std::size_t k = 1; k < inner_faces_.size(); ++k) {
        if (inner_faces_[k].first == inner_faces_[k - 1].first) {
            parent_[root(inner_faces_[k].second)] = root(inner_faces_[k - 1].second);
        }
    }
}

}  // namespace kaname::fault
