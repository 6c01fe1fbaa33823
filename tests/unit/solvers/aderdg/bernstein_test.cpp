// SPDX-License-Identifier: BSD-3-Clause
// The sparse tables of Bernstein polynomials against polynomials evaluated at points and against
// dense matrices from quadrature.
#include "solvers/aderdg/bernstein.hpp"

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/quadrature.hpp"
#include "solvers/aderdg/tet_topology.hpp"

namespace kaname::aderdg::bernstein_test {
namespace {

constexpr double kRounding = 1e-11;

const std::array<Vec3, 4> kTet = {
    Vec3{0.1, 0.0, 0.2}, {1.3, 0.2, 0.0}, {0.4, 1.1, -0.1}, {0.3, 0.2, 0.9}};

std::vector<double> drawn(std::size_t n, unsigned seed) {
    std::mt19937 draw(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::vector<double> values(n);
    for (double& v : values) {
        v = number(draw);
    }
    return values;
}

double at(const std::vector<double>& p, int degree, const std::array<double, 4>& lambda) {
    const std::vector<double> b = bernstein_at(degree, lambda);
    double sum = 0.0;
    for (std::size_t k = 0; k < b.size(); ++k) {
        sum += b[k] * p[k];
    }
    return sum;
}

/// Polynomials of a triangle's modes at barycentric coordinates of it.
std::vector<double> on_face(int degree, const std::array<double, 3>& lambda) {
    std::vector<double> values;
    for (int b2 = 0; b2 <= degree; ++b2) {
        for (int b1 = 0; b1 <= degree - b2; ++b1) {
            const int b0 = degree - b1 - b2;
            values.push_back(
                std::tgamma(degree + 1.0) /
                (std::tgamma(b0 + 1.0) * std::tgamma(b1 + 1.0) * std::tgamma(b2 + 1.0)) *
                std::pow(lambda[0], b0) * std::pow(lambda[1], b1) * std::pow(lambda[2], b2));
        }
    }
    return values;
}

/// body.operator()<n>() for the degrees of all orders.
template <class Body>
void for_degrees(const Body& body) {
    [&]<int... n>(std::integer_sequence<int, n...>) {
        (body.template operator()<n + kLeastOrder - 1>(), ...);
    }
    (std::make_integer_sequence<int, kMostOrder - kLeastOrder + 1>());
}

TEST(Bernstein, PlacesAreThoseOfTheListsOfModes) {
    for_degrees([]<int n>() {
        const auto tet = tet_indices<n>();
        for (int k = 0; k < tet_modes(n); ++k) {
            EXPECT_EQ(place_of(tet[k]), k);
        }
        const auto face = face_indices<n>();
        for (int k = 0; k < face_modes(n); ++k) {
            EXPECT_EQ(place_of(face[k]), k);
        }
    });
}

TEST(Bernstein, DerivativeIsThatOfThePolynomial) {
    const TetShape shape = TetShape::of(kTet);
    for_degrees([&]<int n>() {
        const std::vector<double> p = drawn(tet_modes(n), n);
        const TetDerivative<n> table;
        const std::array<double, 4> place = {0.1, 0.4, 0.3, 0.2};
        for (int d = 0; d < 3; ++d) {
            std::vector<double> slope(tet_modes(n - 1));
            for (std::size_t k = 0; k < slope.size(); ++k) {
                for (int a = 0; a < 4; ++a) {
                    slope[k] += n * shape.gradient[a][d] * p[table.above[k][a]];
                }
            }
            // Central differences of the polynomial, of second order in the distance.
            constexpr double kStep = 1e-5;
            auto ahead = place, behind = place;
            for (int a = 0; a < 4; ++a) {
                ahead[a] += kStep * shape.gradient[a][d];
                behind[a] -= kStep * shape.gradient[a][d];
            }
            EXPECT_NEAR(at(slope, n - 1, place), (at(p, n, ahead) - at(p, n, behind)) / (2 * kStep),
                        1e-7)
                << "degree " << n << " along " << d;
        }
    });
}

TEST(Bernstein, ElevationKeepsThePolynomial) {
    for_degrees([]<int n>() {
        const std::vector<double> low = drawn(tet_modes(n - 1), n);
        const TetElevation<double, n> table;
        std::vector<double> high(tet_modes(n));
        for (std::size_t k = 0; k < high.size(); ++k) {
            for (int m = 0; m < table.rows[k].size; ++m) {
                high[k] += table.rows[k].factor[m] * low[table.rows[k].place[m]];
            }
        }
        for (const TetRule::Point& p : TetRule(3).points) {
            EXPECT_NEAR(at(high, n, p.lambda), at(low, n - 1, p.lambda), kRounding) << n;
        }
    });
}

TEST(Bernstein, MassMatrixIsThatOfQuadrature) {
    for (int n = 0; n < kMostOrder; ++n) {
        std::vector<double> sums(tet_modes(n) * tet_modes(n));
        for (const TetRule::Point& p : TetRule(n + 2).points) {
            const std::vector<double> b = bernstein_at(n, p.lambda);
            for (std::size_t i = 0; i < b.size(); ++i) {
                for (std::size_t j = 0; j < b.size(); ++j) {
                    sums[i * b.size() + j] += p.weight * b[i] * b[j];
                }
            }
        }
        const std::vector<double> mass = mass_matrix(n);
        ASSERT_EQ(mass.size(), sums.size());
        for (std::size_t k = 0; k < mass.size(); ++k) {
            EXPECT_NEAR(mass[k], sums[k], 1e-14) << n;
        }
    }
}

/// M^-1 F w of a face solved densely, F by quadrature over the face; per area/volume.
std::vector<double> dense_lift(int n, int f, const std::vector<double>& w) {
    std::vector<double> right(tet_modes(n));
    const GaussRule& rule = gauss_rule(n + 2);
    for (std::size_t i = 0; i < rule.x.size(); ++i) {
        for (std::size_t j = 0; j < rule.x.size(); ++j) {
            const double l2 = rule.x[j], l1 = rule.x[i] * (1.0 - l2);
            const std::array<double, 3> on = {1.0 - l1 - l2, l1, l2};
            const double weight = 2.0 * rule.w[i] * rule.w[j] * (1.0 - l2);  // an area of 1
            std::array<double, 4> lambda{};
            for (int v = 0, c = 0; v < 4; ++v) {
                lambda[v] = v == f ? 0.0 : on[c++];
            }
            double value = 0.0;
            const std::vector<double> b = on_face(n, on);
            for (std::size_t k = 0; k < b.size(); ++k) {
                value += b[k] * w[k];
            }
            const std::vector<double> test = bernstein_at(n, lambda);
            for (std::size_t k = 0; k < test.size(); ++k) {
                right[k] += weight * value * test[k];
            }
        }
    }
    return solved(mass_matrix(n), right);
}

/// Computes the lift by the table and its layers, from layer j on.
template <int n, int j>
void add_layers(const std::vector<double>& last, int f, int place, std::vector<double>& lifted) {
    if constexpr (j <= n) {
        const FaceLayers<n> layers;
        const FaceReduction<double, n + 1 - j> reduction(FaceLift<double, n>::step(j));
        std::vector<double> next(face_modes(n - j));
        for (std::size_t k = 0; k < next.size(); ++k) {
            for (int m = 0; m < reduction.rows[k].size; ++m) {
                next[k] += reduction.rows[k].factor[m] * last[reduction.rows[k].place[m]];
            }
            lifted[layers.place[f][place + k]] = next[k];
        }
        add_layers<n, j + 1>(next, f, place + face_modes(n - j), lifted);
    }
}

TEST(Bernstein, FaceLiftIsTheDenseOne) {
    for_degrees([]<int n>() {
        const std::vector<double> w = drawn(face_modes(n), 7 + n);
        const FaceLift<double, n> table;
        const FaceLayers<n> layers;
        for (int f = 0; f < 4; ++f) {
            std::vector<double> base(face_modes(n)), lifted(tet_modes(n));
            for (std::size_t k = 0; k < base.size(); ++k) {
                for (int m = 0; m < table.base[k].size; ++m) {
                    base[k] += table.base[k].factor[m] * w[table.base[k].place[m]];
                }
                lifted[layers.place[f][k]] = base[k];
            }
            add_layers<n, 1>(base, f, face_modes(n), lifted);
            const std::vector<double> wanted = dense_lift(n, f, w);
            for (std::size_t k = 0; k < wanted.size(); ++k) {
                // The mass matrix of degree 6 has a condition of about 1e4.
                EXPECT_NEAR(lifted[k], wanted[k], 1e-9) << "degree " << n << " face " << f;
            }
        }
    });
}

TEST(Bernstein, CoefficientsOnAFaceAreThoseOfTheTrace) {
    for_degrees([]<int n>() {
        const std::vector<double> p = drawn(tet_modes(n), 3 * n);
        const FaceLayers<n> layers;
        const std::array<double, 3> on = {0.2, 0.5, 0.3};
        const std::vector<double> b = on_face(n, on);
        for (int f = 0; f < 4; ++f) {
            std::array<double, 4> lambda{};
            for (int v = 0, c = 0; v < 4; ++v) {
                lambda[v] = v == f ? 0.0 : on[c++];
            }
            double sum = 0.0;
            for (int k = 0; k < face_modes(n); ++k) {
                sum += b[k] * p[layers.place[f][k]];
            }
            EXPECT_NEAR(sum, at(p, n, lambda), kRounding) << "degree " << n << " face " << f;
        }
    });
}

}  // namespace
}  // namespace kaname::aderdg::bernstein_test
