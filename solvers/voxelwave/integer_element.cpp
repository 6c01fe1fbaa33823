// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/integer_element.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/integer_element_body.hpp"

namespace kaname::voxelwave {
namespace {

using namespace body;

constexpr int kSize = ElementMatrices::kSize;

}  // namespace

double digit_scale(int stages) {
    return 127.0 * std::ldexp(1.0, kDigitBits * (stages - 1));
}

IntegerElement::IntegerElement(int stages)
    : stages_(stages), scale_(digit_scale(stages)), matrices_(integer_matrices()) {
    if (stages < 1 || stages > 8) {
        throw Error(ErrorCode::InvalidArgument,
                    "stages must be 1 to 8, got " + std::to_string(stages));
    }
}

IntegerElement::Vector IntegerElement::apply(const Vector& u, double bulk_modulus_pa,
                                             double shear_modulus_pa, double ds_m) const {
    const double ratio = shear_modulus_pa / bulk_modulus_pa;
    std::array<double, kNumbers> both{};
    double largest = 0.0;
    for (int k = 0; k < kNumbers; ++k) {
        both[k] = of_both(k, ratio, u[k % kSize]);
        largest = std::max(largest, std::abs(both[k]));
    }
    std::array<std::int64_t, kNumbers> whole{};
    for (int k = 0; k < kNumbers; ++k) {
        whole[k] = largest == 0.0 ? 0 : whole_number(both[k] / largest, scale_);
    }
    std::array<std::array<std::int64_t, 2>, kSize> sums{};
    for (int stage = 0; stage < stages_; ++stage) {
        std::array<std::int8_t, kNumbers> digit{};
        std::ranges::transform(whole, digit.begin(),
                               [](std::int64_t& of) { return take_digit(of); });
        const std::int64_t weight = std::int64_t{1} << (kDigitBits * (stage % kDigitsOfASum));
        for (int row = 0; row < kSize; ++row) {
            std::int32_t sum = 0;
            for (int k = 0; k < kNumbers; ++k) {
                sum += matrices_.K[row * kNumbers + k] * digit[k];
            }
            sums[row][stage / kDigitsOfASum] += weight * sum;
        }
    }
    constexpr double kHigh = std::int64_t{1} << (kDigitBits * kDigitsOfASum);
    Vector result{};
    for (int row = 0; row < kSize; ++row) {
        const double sum =
            std::fma(kHigh, static_cast<double>(sums[row][1]), static_cast<double>(sums[row][0]));
        result[row] =
            integer_force(sum, largest / scale_, bulk_modulus_pa * ds_m / 256.0, ratio, u[row]);
    }
    return result;
}

}  // namespace kaname::voxelwave
