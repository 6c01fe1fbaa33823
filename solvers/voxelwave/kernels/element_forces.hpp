// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/queue.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"

// Forces of voxels at their corners, and what becomes of them at the nodes: a step in two passes,
// for what WalshTile is compared with. args.moduli are kappa ds, G ds; of integers kappa ds,
// G/kappa.
namespace kaname::voxelwave {

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

}  // namespace kaname::voxelwave
