// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// A cube: its place counts cubes of its level from the box's lower corner. Level 0 are the roots.
struct Cell {
    int level = 0;
    std::array<std::int32_t, 3> at{};
    friend bool operator==(const Cell&, const Cell&) = default;
};

/// Octree over a box of nearly cubic roots, balanced: leaves that share a face, an edge or a
/// corner differ by one level at most.
class Octree {
public:
    struct Roots {
        Vec3 lower;  ///< corner of the box [m]
        Vec3 edge;   ///< edges of a root [m]
        std::array<std::int32_t, 3> n{};
        /// Describes the roots along an axis, counted from the lower corner, between which edges
        /// are as `edge` has it; on both sides of them roots are longer or shorter, so that the
        /// last ones end on the box's sides.
        struct Steady {
            bool stretched = false;       ///< false: all roots are alike
            double from = 0.0, to = 0.0;  ///< in roots
            double at_m = 0.0;            ///< coordinate of `from`
            double end_m = 0.0;           ///< coordinate of the box's upper side
        };
        std::array<Steady, 3> steady{};

        /// Returns the coordinate [m] of the place so many roots from the lower corner.
        [[nodiscard]] double place(int axis, double roots_from_lower) const;
    };
    static constexpr int kBits = 20;  ///< cubes along an axis are fewer than 2^kBits

    /// `divide(centre, half edge)` says whether a cube is too large; asked from several threads,
    /// and must not throw. Throws Exhausted before more than `max_leaves` come about, and where a
    /// cube of the finest level that kBits allow is too large.
    Octree(const Roots& roots, std::int64_t max_leaves,
           const std::function<bool(const Vec3& centre, const Vec3& half)>& divide);

    [[nodiscard]] const Roots& roots() const { return roots_; }
    [[nodiscard]] const std::vector<Cell>& leaves() const { return leaves_; }
    [[nodiscard]] bool inside(const Cell& cell) const;
    /// The cube has been divided into eight (else it is a leaf, lies in one, or is outside).
    [[nodiscard]] bool divided(const Cell& cell) const;
    [[nodiscard]] bool is_leaf(const Cell& cell) const {
        return !divided(cell) && (cell.level == 0 || divided(parent(cell)));
    }
    [[nodiscard]] static Cell parent(const Cell& cell) {
        return {cell.level - 1, {cell.at[0] >> 1, cell.at[1] >> 1, cell.at[2] >> 1}};
    }
    [[nodiscard]] Vec3 edge(int level) const {
        return (1.0 / static_cast<double>(std::int64_t{1} << level)) * roots_.edge;
    }
    [[nodiscard]] Vec3 centre(const Cell& cell) const;
    [[nodiscard]] Vec3 half(const Cell& cell) const;  ///< half its edges
    /// Finest level that occurs.
    [[nodiscard]] int depth() const { return static_cast<int>(divided_.size()); }

private:
    using Keys = std::vector<std::uint64_t>;  // keys of one level, ascending
    void refine(const std::function<bool(const Vec3& centre, const Vec3& half)>& divide);
    void balance();
    void collect();
    void add_divided(std::int64_t cells);

    Roots roots_;
    std::vector<Keys> divided_;  // [level]
    std::vector<Cell> leaves_;
    std::int64_t max_leaves_ = 0, n_leaves_ = 0;
};

/// Size of a lattice tet over its cube's edge: 2^(-1/6).
inline constexpr double kSizePerEdge = 0.8909;
/// Largest size, in sizes asked for; larger cubes are halved, so sizes lie within 0.72 .. 1.45.
inline constexpr double kLargest = 1.45;

/// Roots over the box: as cubic as its sides allow, no larger than the largest elements may be, and
/// such that halving them meets the first of the sizes at points, which is that at the fault.
/// Halving alone would meet it by chance: sizes of 2.67 and 2 km had the same mesh.
/// Where there are faults and no planes, roots are cubes that meet that size exactly, laid from the
/// middle of the first of the sizes at points and from sea level, as long as the box has room for
/// them: a box that is some per cent larger has the same elements half the way to its sides.
[[nodiscard]] Octree::Roots choose_roots(const VolumeMeshParams& params);

}  // namespace kaname::cleaving
