// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/bernstein.hpp"

/// The tables of bernstein.hpp as plain arrays in constant memory.
namespace kaname::aderdg::gpu {

template <class T, int rows, int most>
struct Rows {
    int size[rows]{};
    int place[rows][most]{};
    T factor[rows][most]{};

    constexpr explicit Rows(const std::array<Row<T, most>, rows>& from) {
        for (int k = 0; k < rows; ++k) {
            size[k] = from[k].size;
            for (int m = 0; m < most; ++m) {
                place[k][m] = from[k].place[m];
                factor[k][m] = from[k].factor[m];
            }
        }
    }
};

template <int n>
struct Above {
    int of[tet_modes(n - 1)][4]{};
    constexpr Above() {
        const TetDerivative<n> from;
        for (int k = 0; k < tet_modes(n - 1); ++k) {
            for (int a = 0; a < 4; ++a) {
                of[k][a] = from.above[k][a];
            }
        }
    }
};

/// Modes on face f, and the place of each mode among the layers across it.
template <int n>
struct Layers {
    int mode[4][face_modes(n)]{};
    int place[4][tet_modes(n)]{};
    constexpr Layers() {
        const FaceLayers<n> from;
        for (int f = 0; f < 4; ++f) {
            for (int k = 0; k < tet_modes(n); ++k) {
                place[f][from.place[f][k]] = k;
                if (k < face_modes(n)) {
                    mode[f][k] = from.place[f][k];
                }
            }
        }
    }
};

template <int n>
__constant__ const Above<n> kAbove{};
template <int n>
__constant__ const Layers<n> kLayers{};
template <class T, int n>
__constant__ const Rows<T, tet_modes(n), 4> kElevation(TetElevation<T, n>().rows);
template <class T, int N>
__constant__ const Rows<T, face_modes(N), 7> kLift(FaceLift<T, N>().base);
template <class T, int N, int j>
__constant__ const Rows<T, face_modes(N - j), 3> kReduction(
    FaceReduction<T, N + 1 - j>(FaceLift<T, N>::step(j)).rows);

}  // namespace kaname::aderdg::gpu
