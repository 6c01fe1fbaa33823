// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/element_terms.hpp"
#include "solvers/parallel/pack.hpp"

/// The corrector of one block: what the neighbours change. Only waves that come in through a face
/// change the element, and they are three: the jump w from the velocity here to that of the exact
/// Riemann solution,
///   w = (Z+ (v+ - v-) + t+ - t-)/(Z+ + Z-)   along the normal (Zp) and across it (Zs),
/// t tractions on the outward normal. Lifted into the element it adds lambda w.n I +
/// mu (w n + n w) to the stress and Z-/rho w to the velocity.
namespace kaname::aderdg::kernels {

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

}  // namespace kaname::aderdg::kernels
