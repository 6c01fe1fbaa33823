// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solvers/fault/fault_stars.hpp"

namespace kaname::fault {

/// The walk around one node: union-find over its star, joined across faces that hold the node and
/// are not on the fault.
class StarWalk {
public:
    StarWalk(const FaultMarks& marks, Conn10 conn10) : marks_(marks), conn10_(conn10) {}

    /// Side of each entry; empty when the star does not split. Throws InvalidArgument when it
    /// splits otherwise than into one plus and one minus side.
    const std::vector<std::int8_t>& sides(std::span<const StarEntry> star, const Vec3& x);
    /// Sides as above; empty also when the star splits otherwise.
    const std::vector<std::int8_t>& sides_if_two(std::span<const StarEntry> star);

private:
    struct Parts {
        int components = 0;
        int sum = 0;  ///< sum of the components' sides
        bool one_sided = true;
    };
    [[nodiscard]] std::size_t root(std::size_t i);
    /// Leaves the sides of entries in side_, none where the star is whole.
    [[nodiscard]] Parts find_parts(std::span<const StarEntry> star);
    void join(std::span<const StarEntry> star);

    const FaultMarks& marks_;
    Conn10 conn10_;
    std::vector<std::size_t> parent_;
    std::vector<std::int8_t> side_;
    std::vector<std::pair<FaceKey, std::size_t>> inner_faces_;
};

}  // namespace kaname::fault
