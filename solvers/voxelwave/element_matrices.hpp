// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace kaname::voxelwave {

/// Rows and columns 3 node + component, node = x + 2 y + 4 z of the voxel's corners. K of a voxel
/// is ds (kappa per_kappa + G per_shear).
struct ElementMatrices {
    static constexpr int kSize = 24;
    using Matrix = std::array<double, kSize * kSize>;
    Matrix per_kappa{}, per_shear{};
};
/// Displacements of a voxel's corners: rows of its matrices.
inline constexpr int kElementSize = ElementMatrices::kSize;

/// Octant indicators and the stress basis of ichimura2024 (eqs 5, 7, 8), from the definition: sums
/// over modes of (psi grad phi)^T (psi psi)^-1 c (psi grad phi).
[[nodiscard]] ElementMatrices ovfem_matrices();
/// Trilinear shape functions by 2 x 2 x 2 Gauss points, which are exact here.
[[nodiscard]] ElementMatrices vfem_matrices();

/// OVFEM as integers: 256 per_kappa in [-49, 49] and 384 per_shear - 128 I in [-77, 117], side by
/// side (K^INT8 of eq. 9).
struct IntegerMatrices {
    std::array<std::int8_t, ElementMatrices::kSize * 2 * ElementMatrices::kSize> K{};  ///< [24][48]
};
/// Throws Internal if a number were no integer of 8 bits.
[[nodiscard]] IntegerMatrices integer_matrices();

}  // namespace kaname::voxelwave
