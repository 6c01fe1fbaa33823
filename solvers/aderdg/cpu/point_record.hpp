// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/kernels/full_degree_body.hpp"
#include "solvers/parallel/aligned.hpp"

namespace kaname::aderdg {

/// PointRecord collects the motion at the receivers and peaks of a rank. A point is named by its
/// place among those of the rank; different threads may write to different points.
class PointRecord {
public:
    PointRecord(const WaveParams& params, int lanes, std::size_t receivers, std::size_t peaks);

    /// Velocity in a step from t_s on as a polynomial of x = (t - t_s)/step_s,
    /// [powers][3][lanes]: takes the samples in it and adds up the displacement.
    void add_step(std::size_t receiver, double t_s, double step_s, std::span<const double> powers);
    /// Velocity now, [3][lanes].
    void add_peak(std::size_t peak, std::span<const double> velocity);

    /// [samples][lanes][receivers][3] of those that are complete.
    [[nodiscard]] std::vector<float> take_samples();
    [[nodiscard]] const std::vector<double>& moved() const { return moved_; }
    [[nodiscard]] const std::vector<double>& peaks() const { return peaks_; }
    void set(std::int64_t samples, std::span<const double> moved, std::span<const double> peaks);

private:
    double interval_s_, end_s_;
    bool displacement_;
    int lanes_;
    std::size_t receivers_;
    std::vector<std::vector<float>> samples_;  ///< [receivers] of [samples][lanes][3]
    std::vector<std::int64_t> next_;           ///< [receivers] number of the next sample
    std::vector<double> moved_;                ///< [receivers][lanes][3] displacement [m]
    std::vector<double> peaks_;                ///< [peaks][lanes][2]
};

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
