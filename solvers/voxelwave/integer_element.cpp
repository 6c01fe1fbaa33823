// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/integer_element.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/integer_element_body.hpp"

namespace kaname::voxelwave {

double digit_scale(int stages) {
    return 127.0 * std::ldexp(1.0, body::kDigitBits * (stages - 1));
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
    std::array<double, body::kNumbers> both{};
    double largest = 0.0;
    for (int k = 0; k < body::kNumbers; ++k) {
        both[k] = body::of_both(k, ratio, u[k % kElementSize]);
        largest = std::max(largest, std::abs(both[k]));
    }
    std::array<std::int64_t, body::kNumbers> whole{};
    for (int k = 0; k < body::kNumbers; ++k) {
        whole[k] = largest == 0.0 ? 0 : body::whole_number(both[k] / largest, scale_);
    }
    std::array<std::array<std::int64_t, 2>, kElementSize> sums{};
    for (int stage = 0; stage < stages_; ++stage) {
        std::array<std::int8_t, body::kNumbers> digit{};
        std::ranges::transform(whole, digit.begin(),
                               [](std::int64_t& of) { return body::take_digit(of); });
        const std::int64_t weight = std::int64_t{1}
                                    << (body::kDigitBits * (stage % body::kDigitsOfASum));
        for (int row = 0; row < kElementSize; ++row) {
            std::int32_t sum = 0;
            for (int k = 0; k < body::kNumbers; ++k) {
                sum += matrices_.K[row * body::kNumbers + k] * digit[k];
            }
            sums[row][stage / body::kDigitsOfASum] += weight * sum;
        }
    }
    constexpr double kHigh = std::int64_t{1} << (body::kDigitBits * body::kDigitsOfASum);
    Vector result{};
    for (int row = 0; row < kElementSize; ++row) {
        const double sum =
            std::fma(kHigh, static_cast<double>(sums[row][1]), static_cast<double>(sums[row][0]));
        result[row] = body::integer_force(sum, largest / scale_, bulk_modulus_pa * ds_m / 256.0,
                                          ratio, u[row]);
    }
    return result;
}

}  // namespace kaname::voxelwave
