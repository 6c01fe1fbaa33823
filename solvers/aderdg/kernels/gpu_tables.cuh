// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/gpu_elements.hpp"

/// The tables of bernstein.hpp as plain arrays in constant memory.
namespace kaname::aderdg::gpu {

/// Rows of a sparse matrix. Places are times `stride`: numbers from the first one's. Behind a row's
/// entries are factors of 0.
template <class T, int rows, int padded>
struct Rows {
    struct alignas(16) Row {
        int place[padded]{};
        T factor[padded]{};
    };
    Row row[rows]{};

    template <int most>
    constexpr Rows(const std::array<aderdg::Row<T, most>, rows>& from, int stride) {
        for (int k = 0; k < rows; ++k) {
            for (int m = 0; m < from[k].size; ++m) {
                row[k].place[m] = stride * from[k].place[m];
                row[k].factor[m] = from[k].factor[m];
            }
        }
    }
};

struct alignas(16) Four {
    int of[4]{};
};

/// Lists, for each mode of degree n - 1, the places of the modes of degree n that have one index
/// more, times `stride`.
template <int n>
struct Above {
    Four row[tet_modes(n - 1)]{};
    constexpr explicit Above(int stride) {
        const TetDerivative<n> from;
        for (int k = 0; k < tet_modes(n - 1); ++k) {
            for (int a = 0; a < 4; ++a) {
                row[k].of[a] = stride * from.above[k][a];
            }
        }
    }
};

/// Place of each mode among the layers across each face.
template <int n>
struct Layers {
    Four row[tet_modes(n)]{};
    constexpr Layers() {
        const FaceLayers<n> from;
        for (int f = 0; f < 4; ++f) {
            for (int k = 0; k < tet_modes(n); ++k) {
                row[from.place[f][k]].of[f] = k;
            }
        }
    }
};

/// Modes of the faces `faces` g, ..., `faces` (g + 1) - 1, each once, and their places in a
/// record's lane of each; -1: not on it. With all four faces they are all modes, also those on
/// none.
template <int n, int faces>
struct OnFaces {
    static constexpr int kGroups = 4 / faces;
    static constexpr int kModes = faces == 4   ? tet_modes(n)
                                  : faces == 2 ? 2 * face_modes(n) - (n + 1)
                                               : face_modes(n);
    Four place[kGroups][kModes]{};
    int mode[kGroups][kModes]{};
    constexpr OnFaces() {
        const Layers<n> layers;
        for (int g = 0; g < kGroups; ++g) {
            int j = 0;
            for (int k = 0; k < tet_modes(n); ++k) {
                Four at;
                bool on = faces == 4;
                for (int i = 0; i < faces; ++i) {
                    const int place = layers.row[k].of[g * faces + i];
                    at.of[i] = place < face_modes(n) ? record_place(0, place) : -1;
                    on = on || at.of[i] >= 0;
                }
                if (on) {
                    mode[g][j] = k;
                    place[g][j++] = at;
                }
            }
        }
    }
};

template <class T>
inline constexpr int kModeStride = kQuantities* kColumns<T>;
template <class T>
inline constexpr int kJumpStride = 3 * kColumns<T>;

template <class T, int n>
__constant__ const Above<n> kAbove(kModeStride<T>);
template <int n, int faces>
__constant__ const OnFaces<n, faces> kOnFaces{};
template <class T, int n>
__constant__ const Rows<T, tet_modes(n), 4> kElevation(TetElevation<T, n>().rows, kModeStride<T>);
template <class T, int N>
__constant__ const Rows<T, face_modes(N), 8> kLift(FaceLift<T, N>().base, kJumpStride<T>);
template <class T, int N, int j>
__constant__ const Rows<T, face_modes(N - j), 4> kReduction(
    FaceReduction<T, N + 1 - j>(FaceLift<T, N>::step(j)).rows, kJumpStride<T>);

}  // namespace kaname::aderdg::gpu
