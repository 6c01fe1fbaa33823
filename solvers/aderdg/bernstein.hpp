// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "solvers/device/hd.hpp"

/// Bernstein polynomials B_alpha = n!/alpha! lambda^alpha of degree |alpha| = n in the barycentric
/// coordinates of a tetrahedron (four indices) or a triangle (three). In them derivatives, degree
/// elevation and lifts from faces are sparse for every order, and the values on a face are the
/// coefficients on it (Chan and Warburton 2017; theory: docs/theory/aderdg.md).
namespace kaname::aderdg {

KANAME_HD constexpr int tet_modes(int degree) {
    return (degree + 1) * (degree + 2) * (degree + 3) / 6;
}
KANAME_HD constexpr int face_modes(int degree) {
    return (degree + 1) * (degree + 2) / 2;
}

using TetIndex = std::array<int, 4>;
using FaceIndex = std::array<int, 3>;

/// Place of (b0, b1, b2) among the modes of a triangle; b1 runs first, then b2.
constexpr int place_of(const FaceIndex& b) {
    const int degree = b[0] + b[1] + b[2];
    return face_modes(degree) - face_modes(degree - b[2]) + b[1];
}
/// Place of (a0, a1, a2, a3) among the modes of a tet: layers of triangles by a3.
constexpr int place_of(const TetIndex& a) {
    const int degree = a[0] + a[1] + a[2] + a[3];
    return tet_modes(degree) - tet_modes(degree - a[3]) + place_of(FaceIndex{a[0], a[1], a[2]});
}

template <int n>
constexpr auto tet_indices() {
    std::array<TetIndex, tet_modes(n)> all{};
    int k = 0;
    for (int a3 = 0; a3 <= n; ++a3) {
        for (int a2 = 0; a2 <= n - a3; ++a2) {
            for (int a1 = 0; a1 <= n - a3 - a2; ++a1) {
                all[k++] = {n - a1 - a2 - a3, a1, a2, a3};
            }
        }
    }
    return all;
}
template <int n>
constexpr auto face_indices() {
    std::array<FaceIndex, face_modes(n)> all{};
    int k = 0;
    for (int b2 = 0; b2 <= n; ++b2) {
        for (int b1 = 0; b1 <= n - b2; ++b1) {
            all[k++] = {n - b1 - b2, b1, b2};
        }
    }
    return all;
}

/// Tetrahedron, degree n: modes of degree n - 1 with one index more,
/// grad p = n sum_a grad lambda_a sum_beta p_(beta + e_a) B_beta.
template <int n>
struct TetDerivative {
    std::array<std::array<std::uint8_t, 4>, tet_modes(n - 1)> above{};
    constexpr TetDerivative() {
        const auto low = tet_indices<n - 1>();
        for (std::size_t k = 0; k < low.size(); ++k) {
            for (int a = 0; a < 4; ++a) {
                TetIndex alpha = low[k];
                ++alpha[a];
                above[k][a] = static_cast<std::uint8_t>(place_of(alpha));
            }
        }
    }
};

/// Sparse row of a constant matrix.
template <class T, int most>
struct Row {
    int size = 0;
    std::array<std::uint8_t, most> place{};
    std::array<T, most> factor{};

    constexpr void add(int at, double value) {
        for (int k = 0; k < size; ++k) {
            if (place[k] == at) {
                factor[k] = static_cast<T>(factor[k] + value);
                return;
            }
        }
        place[size] = static_cast<std::uint8_t>(at);
        factor[size++] = static_cast<T>(value);
    }
};

/// TetElevation raises a polynomial from degree n - 1 to n:
///   p_alpha = sum_a alpha_a/n p_(alpha - e_a).
template <class T, int n>
struct TetElevation {
    std::array<Row<T, 4>, tet_modes(n)> rows{};
    constexpr TetElevation() {
        const auto high = tet_indices<n>();
        for (std::size_t k = 0; k < high.size(); ++k) {
            for (int a = 0; a < 4; ++a) {
                if (high[k][a] > 0) {
                    TetIndex low = high[k];
                    --low[a];
                    rows[k].add(place_of(low), static_cast<double>(high[k][a]) / n);
                }
            }
        }
    }
};

/// Transposed elevation on a triangle from degree n to n - 1, times a factor.
template <class T, int n>
struct FaceReduction {
    std::array<Row<T, 3>, face_modes(n - 1)> rows{};
    constexpr explicit FaceReduction(double factor) {
        const auto low = face_indices<n - 1>();
        for (std::size_t k = 0; k < low.size(); ++k) {
            for (int a = 0; a < 3; ++a) {
                FaceIndex high = low[k];
                ++high[a];
                rows[k].add(place_of(high), factor * high[a] / n);
            }
        }
    }
};

/// M^-1 F for a face of a tetrahedron of degree N: M mass matrix of the tet, F integrals over the
/// face of its modes times the face's, per area/volume. It has layers j of modes by their index
/// across the face: the lowest is `base`, and layer j is `FaceReduction<T, N + 1 - j>(step(j))` of
/// layer j - 1.
template <class T, int N>
struct FaceLift {
    /// (N + 1)^2/3 times elevation's transpose times elevation, N to N + 1.
    std::array<Row<T, 7>, face_modes(N)> base{};
    constexpr FaceLift() {
        const auto low = face_indices<N>();
        for (std::size_t k = 0; k < low.size(); ++k) {
            for (int a = 0; a < 3; ++a) {
                FaceIndex high = low[k];
                ++high[a];
                for (int b = 0; b < 3; ++b) {
                    if (high[b] > 0) {
                        FaceIndex from = high;
                        --from[b];
                        base[k].add(place_of(from), kScale * high[a] * high[b] /
                                                        static_cast<double>((N + 1) * (N + 1)));
                    }
                }
            }
        }
    }
    /// Returns l_j / l_(j - 1) for layers l_j = (-1)^j binom(N, j)/(1 + j).
    static constexpr double step(int j) { return -static_cast<double>(N - j + 1) / (j + 1); }

private:
    static constexpr double kScale = (N + 1) * (N + 1) / 3.0;
};

/// Modes of degree n by layers across face f (opposite to vertex f): first those on the face, each
/// layer in the order of a triangle's modes of its degree.
template <int n>
struct FaceLayers {
    std::array<std::array<std::uint8_t, tet_modes(n)>, 4> place{};
    constexpr FaceLayers() {
        for (int f = 0; f < 4; ++f) {
            int k = 0;
            for (int j = 0; j <= n; ++j) {
                for (int b2 = 0; b2 <= n - j; ++b2) {
                    for (int b1 = 0; b1 <= n - j - b2; ++b1) {
                        const FaceIndex b = {n - j - b1 - b2, b1, b2};
                        TetIndex a{};
                        for (int v = 0, c = 0; v < 4; ++v) {
                            a[v] = v == f ? j : b[c++];
                        }
                        place[f][k++] = static_cast<std::uint8_t>(place_of(a));
                    }
                }
            }
        }
    }
};

}  // namespace kaname::aderdg
