// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/element_matrices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/integer_element_body.hpp"

namespace kaname::voxelwave {
namespace {

constexpr int kNodes = 8;
double sign(int node, int axis) {
    return (node >> axis & 1) == 0 ? -1.0 : 1.0;
}

/// Product of the corner's coordinates over the axes in `set`.
double sign_of(int node, unsigned set) {
    double product = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        product *= (set >> axis & 1U) == 0 ? 1.0 : sign(node, axis);
    }
    return product;
}

/// Adds weight B^T c B with gradient[node][axis]: once for kappa = 1, once for G = 1.
void add_stiffness(const double (&gradient)[kNodes][3], double weight, ElementMatrices& to) {
    for (int a = 0; a < kNodes; ++a) {
        for (int b = 0; b < kNodes; ++b) {
            double dot = 0.0;
            for (int axis = 0; axis < 3; ++axis) {
                dot += gradient[a][axis] * gradient[b][axis];
            }
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    const int at = (3 * a + i) * kElementSize + 3 * b + j;
                    const double ij = gradient[a][i] * gradient[b][j];
                    to.per_kappa[at] += weight * ij;
                    to.per_shear[at] += weight * (gradient[a][j] * gradient[b][i] - 2.0 / 3.0 * ij +
                                                  (i == j ? dot : 0.0));
                }
            }
        }
    }
}

std::int8_t integer(double value) {
    const double rounded = std::round(value);
    if (std::abs(value - rounded) > 1e-9 || rounded < -128.0 || rounded > 127.0) {
        throw Error(ErrorCode::Internal,
                    "a coefficient is no 8-bit integer: " + std::to_string(value));
    }
    return static_cast<std::int8_t>(rounded);
}

}  // namespace

ElementMatrices ovfem_matrices() {
    ElementMatrices matrices;
    for (const unsigned E : {0U, 1U, 2U, 4U, 3U, 6U, 5U}) {
        // On a voxel of size 1: (psi_E d_i phi_a) = 2 (1/8) (1/2)^|E| times the corner's sign, and
        // (psi_E psi_E) = 8 (1/3)^|E| / 8.
        const int n = std::popcount(E);
        const double coefficient = 0.25 * std::pow(0.5, n);
        double gradient[kNodes][3] = {};
        for (int node = 0; node < kNodes; ++node) {
            for (int axis = 0; axis < 3; ++axis) {
                const unsigned with = E | 1U << axis;
                gradient[node][axis] = with == E ? 0.0 : coefficient * sign_of(node, with);
            }
        }
        add_stiffness(gradient, std::pow(3.0, n), matrices);
    }
    return matrices;
}

ElementMatrices vfem_matrices() {
    ElementMatrices matrices;
    const double at = 1.0 / std::sqrt(3.0);
    for (int point = 0; point < kNodes; ++point) {
        double gradient[kNodes][3] = {};
        for (int node = 0; node < kNodes; ++node) {
            for (int axis = 0; axis < 3; ++axis) {
                double product = 2.0 * sign(node, axis) / 8.0;  // d/dx = 2 d/dr on size 1
                for (int other = 0; other < 3; ++other) {
                    product *=
                        other == axis ? 1.0 : 1.0 + sign(node, other) * sign(point, other) * at;
                }
                gradient[node][axis] = product;
            }
        }
        add_stiffness(gradient, 1.0 / 8.0, matrices);
    }
    return matrices;
}

IntegerMatrices integer_matrices() {
    const ElementMatrices of = ovfem_matrices();
    IntegerMatrices integers;
    for (int row = 0; row < kElementSize; ++row) {
        for (int column = 0; column < kElementSize; ++column) {
            const int at = row * kElementSize + column;
            integers.K[row * 2 * kElementSize + column] = integer(256.0 * of.per_kappa[at]);
            integers.K[row * 2 * kElementSize + kElementSize + column] =
                integer(384.0 * of.per_shear[at] - (row == column ? 128.0 : 0.0));
        }
    }
    return integers;
}

Shapes::Shapes(const std::array<double, 3>& size_m, double ds_m, const Solid& solid) {
    model_.ds_m = ds_m;
    for (int axis = 0; axis < 3; ++axis) {
        const double count = size_m[axis] / ds_m;
        const double whole = std::round(count);
        if (!(whole >= 1.0 && whole < 1e6 && std::abs(count - whole) < 1e-3)) {
            std::ostringstream text;
            text << "the size along "
                 << "xyz"[axis] << " must be a whole number of voxels of " << ds_m << " m, got "
                 << size_m[axis] << " m";
            throw Error(ErrorCode::InvalidArgument, text.str());
        }
        model_.voxels[axis] = static_cast<int>(whole);
    }
    model_.solids = {solid};
    model_.solid_of.assign(static_cast<std::size_t>(model_.n_voxels()), 0);
}

template <class Inside>
void Shapes::paint(const Solid& solid, const Inside& inside) {
    if (model_.solids.size() > std::numeric_limits<std::uint16_t>::max()) {
        throw Error(ErrorCode::InvalidArgument, "a model must have at most 65535 shapes");
    }
    const auto number = static_cast<std::uint16_t>(model_.solids.size());
    model_.solids.push_back(solid);
    auto voxel = model_.solid_of.begin();
    for (int z = 0; z < model_.voxels[2]; ++z) {
        for (int y = 0; y < model_.voxels[1]; ++y) {
            for (int x = 0; x < model_.voxels[0]; ++x, ++voxel) {
                const std::array<double, 3> centre_m = {
                    (x + 0.5) * model_.ds_m, (y + 0.5) * model_.ds_m, (z + 0.5) * model_.ds_m};
                if (inside(centre_m)) {
                    *voxel = number;
                }
            }
        }
    }
}

void Shapes::box(const std::array<double, 3>& from_m, const std::array<double, 3>& to_m,
                 const Solid& solid) {
    paint(solid, [&](const std::array<double, 3>& centre_m) {
        bool within = true;
        for (int axis = 0; axis < 3; ++axis) {
            const auto [low, high] = std::minmax(from_m[axis], to_m[axis]);
            within = within && centre_m[axis] >= low && centre_m[axis] <= high;
        }
        return within;
    });
}

void Shapes::cylinder(int axis, const std::array<double, 3>& centre_m, double radius_m,
                      const Solid& solid, double from_m, double to_m) {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    paint(solid, [&](const std::array<double, 3>& at_m) {
        return at_m[axis] >= from_m && at_m[axis] <= to_m &&
               std::hypot(at_m[i] - centre_m[i], at_m[j] - centre_m[j]) <= radius_m;
    });
}

void Shapes::sphere(const std::array<double, 3>& centre_m, double radius_m, const Solid& solid) {
    paint(solid, [&](const std::array<double, 3>& at_m) {
        return std::hypot(at_m[0] - centre_m[0], at_m[1] - centre_m[1], at_m[2] - centre_m[2]) <=
               radius_m;
    });
}

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
