// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/kernels/correct_body.hpp"
#include "solvers/aderdg/kernels/full_degree_body.hpp"
#include "solvers/aderdg/kernels/transpose.hpp"
#include "solvers/parallel/aligned.hpp"

namespace kaname::aderdg {

/// Holds a thread's working memory for one block, in packs.
template <class T, int N>
struct Scratch {
    static constexpr int kModes = tet_modes(N), kFaceModes = face_modes(N);
    static constexpr int kBlock = kModes * kQuantities;
    static constexpr int kTrace = kTraceQuantities * kFaceModes + kPack<T>;  ///< whole transposes

    AlignedVector<Pack<T>> derivatives =
        AlignedVector<Pack<T>>(derivative_packs());  ///< all but the first
    AlignedVector<Pack<T>> buffer = AlignedVector<Pack<T>>(kBlock);
    AlignedVector<Pack<T>> other = AlignedVector<Pack<T>>(kBlock);
    AlignedVector<Pack<T>> mean = AlignedVector<Pack<T>>(kBlock);
    AlignedVector<Pack<T>> half = AlignedVector<Pack<T>>(kBlock);
    AlignedVector<Pack<T>> trace = AlignedVector<Pack<T>>(kTrace);
    AlignedVector<Pack<T>> beyond = AlignedVector<Pack<T>>(kTrace);
    AlignedVector<Pack<T>> jump = AlignedVector<Pack<T>>(3 * kFaceModes);
    /// These have full degree: coefficients in turn, zeros, and the halves' records.
    AlignedVector<Pack<T>> now, next;
    AlignedVector<Pack<T>> zeros = AlignedVector<Pack<T>>(kBlock);
    AlignedVector<T> records = AlignedVector<T>(kTrace * kPack<T>);

    static constexpr int derivative_packs() {
        return kernels::derivative_place(N, N) + kQuantities;
    }
    static Scratch& of_thread() {
        static thread_local Scratch scratch;
        return scratch;
    }
};

}  // namespace kaname::aderdg
