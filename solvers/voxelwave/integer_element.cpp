// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/integer_element.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::voxelwave {
namespace {

constexpr int kSize = ElementMatrices::kSize;
constexpr int kBits = 7;          ///< of a digit
constexpr int kDigitsOfASum = 4;  ///< of a 64-bit sum

}  // namespace

IntegerElement::IntegerElement(int stages) : stages_(stages), matrices_(integer_matrices()) {
    if (stages < 1 || stages > 8) {
        throw Error(ErrorCode::InvalidArgument,
                    "stages must be 1 to 8, got " + std::to_string(stages));
    }
}

IntegerElement::Vector IntegerElement::apply(const Vector& u, double bulk_modulus_pa,
                                             double shear_modulus_pa, double ds_m) const {
    const double ratio = shear_modulus_pa / bulk_modulus_pa;
    std::array<double, 2 * kSize> both{};
    double largest = 0.0;
    for (int k = 0; k < kSize; ++k) {
        both[k] = u[k];
        both[kSize + k] = 2.0 / 3.0 * ratio * u[k];
        largest = std::max({largest, std::abs(both[k]), std::abs(both[kSize + k])});
    }
    Vector result{};
    if (largest == 0.0) {
        return result;
    }
    // The first digit of the largest number is 127.
    const double scale = 127.0 * std::ldexp(1.0, kBits * (stages_ - 1));
    std::array<std::int64_t, 2 * kSize> whole{};
    for (int k = 0; k < 2 * kSize; ++k) {
        whole[k] = static_cast<std::int64_t>(both[k] / largest * scale);
    }
    std::array<std::array<std::int64_t, 2>, kSize> sums{};
    for (int stage = 0; stage < stages_; ++stage) {
        std::array<std::int8_t, 2 * kSize> digit{};
        for (int k = 0; k < 2 * kSize; ++k) {
            digit[k] = static_cast<std::int8_t>(whole[k] % (1 << kBits));
            whole[k] /= 1 << kBits;
        }
        const std::int64_t weight = std::int64_t{1} << (kBits * (stage % kDigitsOfASum));
        for (int row = 0; row < kSize; ++row) {
            std::int32_t sum = 0;
            for (int k = 0; k < 2 * kSize; ++k) {
                sum += matrices_.K[row * 2 * kSize + k] * digit[k];
            }
            sums[row][stage / kDigitsOfASum] += weight * sum;
        }
    }
    const double of_sum = largest / scale;
    const double high = std::ldexp(1.0, kBits * kDigitsOfASum);
    for (int row = 0; row < kSize; ++row) {
        const double product =
            of_sum * (static_cast<double>(sums[row][0]) + high * static_cast<double>(sums[row][1]));
        result[row] = bulk_modulus_pa * ds_m / 256.0 * (product + 256.0 / 3.0 * ratio * u[row]);
    }
    return result;
}

}  // namespace kaname::voxelwave
