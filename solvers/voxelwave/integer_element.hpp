// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/voxelwave/element_matrices.hpp"

namespace kaname::voxelwave {

/// Returns the integer to which the largest of a voxel's numbers is scaled: its first digit of 7
/// bits is 127.
[[nodiscard]] double digit_scale(int stages);

/// K u of an OVFEM voxel by 8-bit integers (ichimura2024, eqs 9 to 17): (u, 2/3 G/kappa u) over
/// its largest number becomes one 64-bit integer of `stages` digits of 7 bits, the constant integer
/// matrix multiplies each digit, and 32-bit sums meet in two 64-bit sums of four digits each. What
/// a tensor core multiplies are these digits and this matrix, so that a GPU's numbers are the same
/// bit for bit.
class IntegerElement {
public:
    using Vector = std::array<double, ElementMatrices::kSize>;

    /// Throws InvalidArgument unless 1 <= stages <= 8.
    explicit IntegerElement(int stages);

    [[nodiscard]] Vector apply(const Vector& u, double bulk_modulus_pa, double shear_modulus_pa,
                               double ds_m) const;

private:
    int stages_;
    double scale_;
    IntegerMatrices matrices_;
};

}  // namespace kaname::voxelwave
