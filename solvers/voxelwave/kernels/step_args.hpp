// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>

#include "solvers/device/hd.hpp"
#include "solvers/device/queue.hpp"

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

// Forces of voxels at their corners, and what becomes of them at the nodes: a step in two passes,
// for what WalshTile is compared with. args.moduli are kappa ds, G ds; of integers kappa ds,
// G/kappa.

/// ElementMatrices in the precision of the fields; as an argument of a kernel it lies where a
/// multiply-add reads it without a load.
template <class T>
struct MatrixPair {
    T per_kappa[24 * 24], per_shear[24 * 24];
};

/// By 24 x 24 matrices. force [3 corner + component][voxel and lane] in N.
template <class T>
void matrix_forces_cuda(const StepArgs<T>& args, const MatrixPair<T>& matrices, T* force,
                        device::Queue& queue);

/// By 8-bit integers on tensor cores, with the bits of IntegerElement::apply. K [24][48] of
/// IntegerMatrices; scale: digit_scale(stages). A field has less than 2^31 numbers. Two voxels of a
/// row meet at a node: force [3 (corner / 2) + component][row of voxels][node and lane] in N has
/// their sum.
void integer_forces_cuda(const StepArgs<double>& args, const std::int8_t* K, int stages,
                         double scale, double* force, device::Queue& queue);

/// u+ = u + (1 - alpha dt)(u - u-) - dt^2/m (forces of the voxels around a node, in a fixed order).
/// corners: 8 for forces of voxels, 4 for those of rows of voxels.
template <class T>
void node_update_cuda(const StepArgs<T>& args, const T* force, int corners, device::Queue& queue);

/// PointLoad is the load of a source on a node: a step adds that of its force times s(t), and that
/// of its moment times the part of it that is reached. A source's nodes are all different.
struct PointLoad {
    int lane;          ///< the source's number
    int node[3];       ///< x, y, z
    double force[3];   ///< times dt^2/m [m]
    double moment[3];  ///< of the whole moment, times dt^2/m [m]
};
/// Where a receiver is: the corners of its voxel and their weights.
struct PointReceiver {
    int node[8][3];
    double weight[8];
};
inline constexpr int kMostLoads = 4;
/// s(t) of each source, and the part of its moment that is reached at t.
struct LoadValues {
    double force[kMostLoads];
    double moment[kMostLoads];

    /// Returns how far a load moves its node in a step [m].
    [[nodiscard]] KANAME_HD double of(const PointLoad& load, int c) const {
        return force[load.lane] * load.force[c] + moment[load.lane] * load.moment[c];
    }
};

/// next += values.of(load): loads [n].
template <class T>
void add_loads_cuda(const FieldShape& shape, const PointLoad* loads, int n,
                    const LoadValues& values, T* next, device::Queue& queue);

/// record [sources][receivers][3] = u there [m].
template <class T>
void record_cuda(const FieldShape& shape, const PointReceiver* receivers, std::int64_t n_receivers,
                 int n_sources, const T* u, float* record, device::Queue& queue);

/// Numbers of two sources, which lie side by side: one load and one address for both.
struct alignas(8) Two {
    float first, second;

    Two() = default;
    KANAME_HD Two(float both) : first(both), second(both) {}  // NOLINT: a factor of both
    KANAME_HD Two(float a, float b) : first(a), second(b) {}

    KANAME_HD friend Two operator+(Two a, Two b) {
        return {a.first + b.first, a.second + b.second};
    }
    KANAME_HD friend Two operator-(Two a, Two b) {
        return {a.first - b.first, a.second - b.second};
    }
    KANAME_HD friend Two operator*(Two a, Two b) {
        return {a.first * b.first, a.second * b.second};
    }
};

}  // namespace kaname::voxelwave
