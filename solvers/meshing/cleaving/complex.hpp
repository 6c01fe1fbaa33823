// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/meshing/cleaving/sheets.hpp"
#include "solvers/meshing/cleaving/thin_layers.hpp"

namespace kaname::cleaving {

/// The volumes and the sides of faults that a vertex or tet belongs to. Two ends of an edge without
/// a volume in common, or on opposite sides of a fault, are in conflict. Of a volume that another
/// one cuts in two the parts above and below count as two: an edge from above a slab to its bottom
/// must not pass through it, although the mantle is on both sides.
struct Labels {
    std::uint64_t volumes = 0;  ///< bit per volume, kAirBit
    std::uint64_t sides =
        ~std::uint64_t{0};  ///< bits 2f, 2f+1: plus, minus side of fault f; both: anywhere
    std::uint64_t upper = ~std::uint64_t{0}, lower = ~std::uint64_t{0};  ///< VolumeSet

    [[nodiscard]] static constexpr std::uint64_t plus(int fault) {
        return std::uint64_t{1} << 2 * fault;
    }
    [[nodiscard]] static constexpr std::uint64_t minus(int fault) {
        return std::uint64_t{2} << 2 * fault;
    }
    friend Labels operator&(const Labels& a, const Labels& b) {
        const std::uint64_t upper = a.upper & b.upper;
        const std::uint64_t lower = a.lower & b.lower;
        return {a.volumes & b.volumes & (upper | lower), a.sides & b.sides, upper, lower};
    }
    friend Labels operator|(const Labels& a, const Labels& b) {
        const auto any = [&](std::uint64_t of_a, std::uint64_t of_b) {
            return (of_a & a.volumes) | (of_b & b.volumes) | ~(a.volumes | b.volumes);
        };
        return {a.volumes | b.volumes, a.sides | b.sides, any(a.upper, b.upper),
                any(a.lower, b.lower)};
    }
    friend bool operator==(const Labels&, const Labels&) = default;
    /// A fault whose sides have nothing left, -1: none.
    [[nodiscard]] int torn_fault() const {
        constexpr std::uint64_t kEven = 0x5555555555555555;
        const std::uint64_t torn = ~(sides | sides >> 1) & kEven;
        return torn == 0 ? -1 : __builtin_ctzll(torn) / 2;
    }
    [[nodiscard]] bool in_conflict() const { return volumes == 0 || torn_fault() >= 0; }
};
inline constexpr int kMaxFaults = 32;

/// Tetrahedra with labels, in the box frame.
///   xyz, walls, on, labels  [vertices]: `on` the sheets that a vertex lies on
///   tets, tet_labels        [tets]: tet_labels once the mesh is cut: one volume each
struct Complex {
    std::vector<Vec3> xyz;
    std::vector<Walls> walls;
    std::vector<SheetMask> on;
    std::vector<Labels> labels;
    std::vector<Tet> tets;
    std::vector<Labels> tet_labels;
    bool rims_fitted = false;  ///< faults' rims follow the outlines that they have
};

/// Forgets removed tets (first corner -1), with their labels, and vertices without tets.
void compact(Complex& complex);

/// Sides of the box that an edge lies in. Not every bit that both ends have is one: of a box that
/// is one cube wide they may be on opposite sides.
[[nodiscard]] inline Walls common_walls(const Complex& complex, std::int32_t p, std::int32_t q) {
    auto walls = static_cast<Walls>(complex.walls[p] & complex.walls[q]);
    for (int axis = 0; axis < 3; ++axis) {
        if (complex.xyz[p][axis] != complex.xyz[q][axis]) {
            walls = static_cast<Walls>(walls & ~(1U << axis));
        }
    }
    return walls;
}

}  // namespace kaname::cleaving
