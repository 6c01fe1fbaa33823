// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "solvers/device/hd.hpp"

namespace kaname::voxelwave {

/// Where a NodeField's numbers are, [component][z][y][place], place = x lanes + lane.
struct FieldShape {
    int nodes[3];
    int lanes;
    int stride;  ///< from row to row; a component has less than 2^32 numbers

    [[nodiscard]] KANAME_HD int row_length() const { return nodes[0] * lanes; }
    [[nodiscard]] KANAME_HD std::size_t at(int component, int z, int y, int place) const {
        return ((std::size_t(component) * nodes[2] + z) * nodes[1] + y) * stride + place;
    }
    [[nodiscard]] KANAME_HD std::int64_t plane() const { return std::int64_t(nodes[1]) * stride; }
    [[nodiscard]] KANAME_HD std::int64_t component() const { return plane() * nodes[2]; }
    /// Rows of voxels along x.
    [[nodiscard]] KANAME_HD std::int64_t voxel_rows() const {
        return std::int64_t(nodes[1] - 1) * (nodes[2] - 1);
    }
    /// Voxels times lanes, which are counted along rows of voxels.
    [[nodiscard]] KANAME_HD std::int64_t n_items() const {
        return (nodes[0] - 1) * lanes * voxel_rows();
    }
};

/// StepArgs lists the arrays that a step of StepTerms reads and writes in a GPU's memory; `next` is
/// none of the others. Number is what the shape counts, T or a pack of T.
template <class T, class Number = T>
struct StepArgs {
    FieldShape shape;
    const Number* u;       ///< [m]
    const Number* before;  ///< u one step before
    Number* next;          ///< u one step later
    T beta_per_dt;
    const std::uint16_t* solid_of;  ///< [nz][ny][nx] of voxels
    const T* moduli;                ///< [solids][2]: which ones, each kernel says
    const T* scale;                 ///< [z][y][x] dt^2/m
    const T* keep[3];               ///< [nodes along x, y, z]: k of StepTerms is their product

    /// Returns the displacement that K acts on, u + beta/dt (u - u-).
    [[nodiscard]] KANAME_HD T strained(std::size_t at) const {
        return u[at] + beta_per_dt * (u[at] - before[at]);
    }
    /// The first corner of voxel and lane `item` < 2^32, as its z, y and place along the row.
    KANAME_HD void place(std::int64_t item, int (&of)[3]) const {
        const auto row = static_cast<unsigned>((shape.nodes[0] - 1) * shape.lanes);
        const auto line = static_cast<int>(static_cast<unsigned>(item) / row);
        of[2] = static_cast<int>(static_cast<unsigned>(item) - line * row);
        of[0] = line / (shape.nodes[1] - 1);
        of[1] = line - of[0] * (shape.nodes[1] - 1);
    }
    /// Where component c of a corner of that voxel is; corner = x + 2 y + 4 z.
    [[nodiscard]] KANAME_HD std::size_t corner(const int (&of)[3], int corner, int c) const {
        return shape.at(c, of[0] + (corner >> 2), of[1] + (corner >> 1 & 1),
                        of[2] + (corner & 1) * shape.lanes);
    }
    [[nodiscard]] KANAME_HD int solid(const int (&of)[3]) const {
        return solid_of[(std::int64_t(of[0]) * (shape.nodes[1] - 1) + of[1]) *
                            (shape.nodes[0] - 1) +
                        of[2] / shape.lanes];
    }
};

}  // namespace kaname::voxelwave
