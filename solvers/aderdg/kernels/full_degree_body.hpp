// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/element_terms.hpp"
#include "solvers/aderdg/kernels/predict_body.hpp"
#include "solvers/parallel/pack.hpp"

/// Packs of several elements to packs of one element, and back.
namespace kaname::aderdg::kernels {

template <class T>
using PackIndex = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Number k of the pack of `a` whose bit `distance` of k is clear and of b's neighbours where it is
/// set (low), or the other way round (high).
template <class T, int distance, bool high, int... k>
inline Pack<T> exchanged(const Pack<T>& a, const Pack<T>& b, std::integer_sequence<int, k...>) {
    typedef PackIndex<T> Places __attribute__((vector_size(kPackBytes)));
    constexpr int kSize = kPack<T>;
    const Places places = {(high ? ((k & distance) ? kSize + k : k + distance)
                                 : ((k & distance) ? kSize + k - distance : k))...};
    return {__builtin_shuffle(a.v, b.v, places)};
}

/// rows[i] number (j, lane) becomes rows[j] number (i, lane), for packs of kPack/lanes elements.
template <class T, int lanes, int distance = lanes>
inline void transpose(Pack<T>* rows) {
    if constexpr (distance < kPack<T>) {
        constexpr int kElements = kPack<T> / lanes, kApart = distance / lanes;
        constexpr auto kAll = std::make_integer_sequence<int, kPack<T>>();
#pragma GCC unroll 16
        for (int i = 0; i < kElements; ++i) {
            if ((i & kApart) == 0) {
                const Pack<T> a = rows[i], b = rows[i + kApart];
                rows[i] = exchanged<T, distance, false>(a, b, kAll);
                rows[i + kApart] = exchanged<T, distance, true>(a, b, kAll);
            }
        }
        transpose<T, lanes, 2 * distance>(rows);
    }
}

/// Numbers of a record of `items` times the lanes, padded so that it can be transposed.
template <class T>
constexpr int record_size(int items, int lanes) {
    const int elements = kPack<T> / lanes;
    return (items + elements - 1) / elements * kPack<T>;
}

/// Reads `items` packs of a block from one record per element; `items` is rounded up to whole
/// transposes.
template <class T, int lanes>
inline void read_records(const T* const* records, int items, Pack<T>* to) {
    constexpr int kElements = kPack<T> / lanes;
    for (int k = 0; k < items; k += kElements) {
        Pack<T> rows[kElements];
#pragma GCC unroll 16
        for (int e = 0; e < kElements; ++e) {
            rows[e] = load_pack(records[e] + k * lanes);
        }
        transpose<T, lanes>(rows);
#pragma GCC unroll 16
        for (int e = 0; e < kElements; ++e) {
            to[k + e] = rows[e];
        }
    }
}

/// Writes `items` packs of a block to consecutive records of `size` numbers; `items` is rounded up
/// as in read_records.
template <class T, int lanes>
inline void write_records(const Pack<T>* from, int items, T* records, int size) {
    constexpr int kElements = kPack<T> / lanes;
    for (int k = 0; k < items; k += kElements) {
        Pack<T> rows[kElements];
#pragma GCC unroll 16
        for (int e = 0; e < kElements; ++e) {
            rows[e] = from[k + e];
        }
        transpose<T, lanes>(rows);
#pragma GCC unroll 16
        for (int e = 0; e < kElements; ++e) {
            store_pack(records + static_cast<std::ptrdiff_t>(e) * size + k * lanes, rows[e]);
        }
    }
}

/// The corrector of one block: what the neighbours change. Only waves that come in through a face
/// change the element, and they are three: the jump w from the velocity here to that of the exact
/// Riemann solution,
///   w = (Z+ (v+ - v-) + t+ - t-)/(Z+ + Z-)   along the normal (Zp) and across it (Zs),
/// t tractions on the outward normal. Lifted into the element it adds lambda w.n I +
/// mu (w n + n w) to the stress and Z-/rho w to the velocity.

/// w [3][face_modes(N)] of face f, times dt area/volume; `own` and `beyond` are traces.
template <class T, int N>
inline void jump(const Pack<T>* __restrict own, const Pack<T>* __restrict beyond, int f,
                 const Pack<T>* __restrict terms, Pack<T>* __restrict w) {
    constexpr int kModes = face_modes(N);
    const Pack<T>* face = terms + Terms::kFaces + f * Terms::kFace;
    const Pack<T> n[3] = {face[0], face[1], face[2]};
    const Pack<T> velocity = face[Terms::kVelocity], traction = face[Terms::kTraction];
    const Pack<T> normal_velocity = face[Terms::kNormalVelocity];
    const Pack<T> normal_traction = face[Terms::kNormalTraction];
    for (int k = 0; k < kModes; ++k) {
        Pack<T> dv[3], dt[3];
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c) {
            dt[c] = beyond[c * kModes + k] + own[c * kModes + k];  // normals are opposite: -[t]
            dv[c] = beyond[(3 + c) * kModes + k] - own[(3 + c) * kModes + k];
        }
        const Pack<T> vn = dv[0] * n[0] + dv[1] * n[1] + dv[2] * n[2];
        const Pack<T> tn = dt[0] * n[0] + dt[1] * n[1] + dt[2] * n[2];
        const Pack<T> along = normal_velocity * vn - normal_traction * tn;
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c) {
            w[c * kModes + k] = velocity * dv[c] - traction * dt[c] + along * n[c];
        }
    }
}

template <class T, int most>
inline void apply_row(const Row<T, most>& row, const Pack<T>* __restrict in, int stride,
                      Pack<T>* out) {
    Pack<T> sum[3] = {};
    for (int m = 0; m < row.size; ++m) {
        const T factor = row.factor[m];
        sum[0] += factor * in[row.place[m]];
        sum[1] += factor * in[stride + row.place[m]];
        sum[2] += factor * in[2 * stride + row.place[m]];
    }
    out[0] = sum[0];
    out[1] = sum[1];
    out[2] = sum[2];
}

/// Layer j of the lift from layer j - 1 in `last` [3][face_modes(N + 1 - j)], and those behind it;
/// two buffers in turn.
template <class T, int N, int j, class Add>
inline void lift_layers(Pack<T>* last, Pack<T>* next, const std::uint8_t* place, const Add& add) {
    if constexpr (j <= N) {
        static constexpr FaceReduction<T, N + 1 - j> kReduction(FaceLift<T, N>::step(j));
        constexpr int kModes = face_modes(N - j);
        for (int k = 0; k < kModes; ++k) {
            Pack<T> y[3];
            apply_row(kReduction.rows[k], last, face_modes(N + 1 - j), y);
            for (int c = 0; c < 3; ++c) {
                next[c * kModes + k] = y[c];
            }
            add(y, place[k]);
        }
        lift_layers<T, N, j + 1>(next, last, place + kModes, add);
    }
}

/// Lifts w [3][face_modes(N)] of face f: adds the strain w n + n w (xx, yy, zz halved; xy, yz, xz)
/// to lifted [tet_modes(N)][9], and behind it Z-/rho w. `w` is used as a buffer.
template <class T, int N>
inline void lift(Pack<T>* w, int f, const Pack<T>* __restrict terms, Pack<T>* __restrict lifted) {
    static constexpr FaceLayers<N> kLayers;
    static constexpr FaceLift<T, N> kLift;
    constexpr int kModes = face_modes(N);
    const Pack<T>* normal = terms + Terms::kFaces + f * Terms::kFace;
    const Pack<T> n[3] = {normal[0], normal[1], normal[2]};
    const Pack<T> vs = terms[Terms::kVs], vp_minus_vs = terms[Terms::kVpMinusVs];
    const auto add = [&](const Pack<T>* y, int mode) {
        Pack<T>* to = lifted + kQuantities * mode;
        const Pack<T> along = vp_minus_vs * (y[0] * n[0] + y[1] * n[1] + y[2] * n[2]);
        to[0] += y[0] * n[0];
        to[1] += y[1] * n[1];
        to[2] += y[2] * n[2];
        to[3] += y[0] * n[1] + y[1] * n[0];
        to[4] += y[1] * n[2] + y[2] * n[1];
        to[5] += y[0] * n[2] + y[2] * n[0];
        to[6] += vs * y[0] + along * n[0];
        to[7] += vs * y[1] + along * n[1];
        to[8] += vs * y[2] + along * n[2];
    };
    Pack<T> base[3 * kModes];
    const std::uint8_t* place = kLayers.place[f].data();
    for (int k = 0; k < kModes; ++k) {
        Pack<T> y[3];
        apply_row(kLift.base[k], w, kModes, y);
        for (int c = 0; c < 3; ++c) {
            base[c * kModes + k] = y[c];
        }
        add(y, place[k]);
    }
    lift_layers<T, N, 1>(base, w, place + kModes, add);
}

/// Adds the four faces' lifted strains and velocities to the unknowns.
template <class T, int N>
inline void add_lifted(const Pack<T>* __restrict lifted, const Pack<T>* __restrict terms,
                       int mechanisms, Pack<T>* __restrict q) {
    const Pack<T> lambda = terms[Terms::kLambda], mu = terms[Terms::kMu], two_mu = mu + mu;
    for (int k = 0; k < tet_modes(N); ++k) {
        const Pack<T>* e = lifted + kQuantities * k;
        Pack<T>* to = q + kQuantities * k;
        const Pack<T> pressure = lambda * (e[0] + e[1] + e[2]);
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c) {
            to[c] += pressure + two_mu * e[c];
            to[3 + c] += mu * e[3 + c];
            to[6 + c] += e[6 + c];
        }
    }
    for (int l = 0; l < mechanisms; ++l) {
        const Pack<T> omega = terms[Terms::kMechanisms + l * Terms::kMechanism + Terms::kOmega];
        const Pack<T> half = T(0.5) * omega;
        Pack<T>* theta = q + tet_modes(N) * (kQuantities + l * kStresses);
        for (int k = 0; k < tet_modes(N); ++k) {
            const Pack<T>* e = lifted + kQuantities * k;
            for (int c = 0; c < 3; ++c) {
                theta[kStresses * k + c] += omega * e[c];
                theta[kStresses * k + 3 + c] += half * e[3 + c];
            }
        }
    }
}

/// The predictor where a term without derivatives in space keeps the degree: attenuation and
/// sources. With x = (t - t0)/dt the unknowns are q(x) = sum_i x^i s_i, all of degree N,
///   s_0 = q(0),    s_(i+1) = dt (L s_i + f_i)/(i + 1),    f_i coefficients of the sources' rates.

/// out (degree n - 1) = strain rates xx, yy, zz, xy, yz, xz (tensor components) and accelerations,
/// times dt, of `in` (degree n), less the factor n.
template <class T, int n>
inline void strain_operator(const Pack<T>* __restrict in, Pack<T>* __restrict out,
                            const Pack<T>* __restrict terms) {
    static constexpr TetDerivative<n> kAbove;
    const Pack<T>* g = terms + Terms::kGradient;
    const Pack<T> per_density = terms[Terms::kPerDensity];
    const T half = T(0.5);
    for (int k = 0; k < tet_modes(n - 1); ++k) {
        Pack<T> v[3][3] = {};
        Pack<T> f[3] = {};
        for (int a = 0; a < 4; ++a) {
            const Pack<T>* q = in + kQuantities * kAbove.above[k][a];
            const Pack<T> gx = g[3 * a], gy = g[3 * a + 1], gz = g[3 * a + 2];
            for (int c = 0; c < 3; ++c) {
                v[c][0] += q[6 + c] * gx;
                v[c][1] += q[6 + c] * gy;
                v[c][2] += q[6 + c] * gz;
            }
            f[0] += q[0] * gx + q[3] * gy + q[5] * gz;
            f[1] += q[3] * gx + q[1] * gy + q[4] * gz;
            f[2] += q[5] * gx + q[4] * gy + q[2] * gz;
        }
        Pack<T>* to = out + kQuantities * k;
        to[0] = v[0][0];
        to[1] = v[1][1];
        to[2] = v[2][2];
        to[3] = half * (v[0][1] + v[1][0]);
        to[4] = half * (v[1][2] + v[2][1]);
        to[5] = half * (v[0][2] + v[2][0]);
        for (int c = 0; c < 3; ++c) {
            to[6 + c] = per_density * f[c];
        }
    }
}

/// next = dt L s/(i + 1) of all unknowns; low [tet_modes(N - 1)][9], rates [tet_modes(N)][9] and
/// zeros [tet_modes(N)][9] are scratch.
template <class T, int N>
inline void next_coefficient(const Pack<T>* s, const Pack<T>* terms, int mechanisms, int i,
                             Pack<T>* low, Pack<T>* rates, const Pack<T>* zeros, Pack<T>* next) {
    strain_operator<T, N>(s, low, terms);
    elevate_and_add<T, N>(low, zeros, T(0), rates);
    const T factor = static_cast<T>(1.0 / (i + 1)), degree = static_cast<T>(N);
    const Pack<T> lambda = terms[Terms::kLambda], two_mu = terms[Terms::kMu] + terms[Terms::kMu];
    constexpr int kModes = tet_modes(N);
    for (int k = 0; k < kModes; ++k) {
        const Pack<T>* e = rates + kQuantities * k;
        Pack<T> stress[kStresses];
        const Pack<T> pressure = lambda * (e[0] + e[1] + e[2]);
        for (int c = 0; c < 3; ++c) {
            stress[c] = degree * (pressure + two_mu * e[c]);
            stress[3 + c] = degree * (two_mu * e[3 + c]);
        }
        for (int l = 0; l < mechanisms; ++l) {
            const Pack<T>* m = terms + Terms::kMechanisms + l * Terms::kMechanism;
            const int at = kModes * (kQuantities + l * kStresses) + kStresses * k;
            const Pack<T>* theta = s + at;
            const Pack<T> mu = m[Terms::kAnelasticMu] + m[Terms::kAnelasticMu];
            const Pack<T> lost = m[Terms::kAnelasticLambda] * (theta[0] + theta[1] + theta[2]);
            for (int c = 0; c < kStresses; ++c) {
                stress[c] = stress[c] - mu * theta[c];
                if (c < 3) {
                    stress[c] = stress[c] - lost;
                }
                next[at + c] =
                    factor * (degree * (m[Terms::kOmega] * e[c]) - m[Terms::kOmegaStep] * theta[c]);
            }
        }
        for (int c = 0; c < kStresses; ++c) {
            next[kQuantities * k + c] = factor * stress[c];
        }
        for (int c = 6; c < kQuantities; ++c) {
            next[kQuantities * k + c] = (factor * degree) * e[c];
        }
    }
}

}  // namespace kaname::aderdg::kernels
