// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "solvers/voxelwave/voxel_model.hpp"

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

/// Gives voxels whose centre is in a shape a solid, in the order of the calls: what comes later
/// lies over what was there.
class Shapes {
public:
    /// A box of one solid. Throws InvalidArgument unless the sizes are a whole number of voxels, to
    /// a thousandth of one.
    Shapes(const std::array<double, 3>& size_m, double ds_m, const Solid& solid);
    /// Over what a model has.
    explicit Shapes(VoxelModel model) : model_(std::move(model)) {}

    /// Corners in any order; what is outside of the model is passed over.
    void box(const std::array<double, 3>& from_m, const std::array<double, 3>& to_m,
             const Solid& solid);
    /// Along `axis` between two places on it; the centre's own place along it is not looked at.
    void cylinder(int axis, const std::array<double, 3>& centre_m, double radius_m,
                  const Solid& solid, double from_m = -kEverywhere, double to_m = kEverywhere);
    void sphere(const std::array<double, 3>& centre_m, double radius_m, const Solid& solid);

    [[nodiscard]] const VoxelModel& model() const { return model_; }

private:
    static constexpr double kEverywhere = std::numeric_limits<double>::infinity();
    template <class Inside>
    void paint(const Solid& solid, const Inside& inside);
    VoxelModel model_;
};

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
