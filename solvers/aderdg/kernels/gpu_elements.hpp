// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/element_terms.hpp"
#include "solvers/aderdg/layout.hpp"
#include "solvers/device/hd.hpp"
#include "solvers/device/queue.hpp"

/// The GPU's kernels work on blocks 128 bytes wide: kColumns numbers, which are elements times
/// lanes as in a pack of the CPU (element_terms.hpp). A thread has one column; the threads of a
/// warp have one mode at a time, so that tables are the same for all of them.
namespace kaname::aderdg {

template <class T>
inline constexpr int kColumns = 128 / static_cast<int>(sizeof(T));

/// Faces with conditions, whose traces are kept as functions of time (Layout, KeptTrace).
struct GpuConditions {
    const std::int32_t* first = nullptr;  ///< [blocks + 1] into faces; null: there are none
    const Layout::Condition* faces = nullptr;
    const std::uint8_t* modes = nullptr;  ///< [4][numbers] KeptTrace::modes of each face
    int numbers = 0, padded = 0;          ///< of KeptTrace
    double* kept = nullptr;               ///< [conditions][lanes][6][padded]
};

/// Arrays in a GPU's memory; lanes = 1 << lane_bits.
template <class T>
struct GpuElements {
    int lane_bits = 0;
    int mechanisms = 0;
    T* unknowns = nullptr;               ///< [blocks][(9 + 6 mechanisms) modes][kColumns]
    const T* terms = nullptr;            ///< [blocks][Terms::size(mechanisms)][elements of a block]
    T* records = nullptr;                ///< gpu_record.hpp
    const std::int32_t* beyond[2] = {};  ///< Layout::beyond
    const Layout::OtherStep* other_steps = nullptr;
    const std::int32_t* first_other = nullptr;
    /// Current coefficients of theta in the full-degree kernel, for each of its resident blocks
    /// [6 mechanisms modes][kColumns].
    T* theta = nullptr;
    GpuConditions conditions;
};

/// BlockSource without its rate.
struct GpuSource {
    double amount[kQuantities];
    int column;  ///< of its block
};

/// Sources, receivers and peaks in a GPU's memory. What belongs to steps lies by slots: number
/// (macro step) * per_macro + Range::..._slot + (place of the point among those of the rank).
struct GpuPoints {
    const std::int64_t* macro = nullptr;  ///< of the window (GpuWindow::macro)
    int lanes = 1;

    const std::int32_t* first_source = nullptr;   ///< [blocks + 1]
    const std::uint32_t* with_sources = nullptr;  ///< [blocks] bit of each element that has some
    const GpuSource* sources = nullptr;
    const double* shapes = nullptr;  ///< [sources][tet_modes(N)]
    const double* rates = nullptr;   ///< [slots][N + 1]
    std::int64_t sources_per_macro = 0;

    const std::int32_t* first_receiver = nullptr;  ///< [blocks + 1]
    const std::int32_t* receiver_elements = nullptr;
    const double* receiver_values = nullptr;  ///< [receivers][BlockReceiver::values]
    double* powers = nullptr;                 ///< [slots][N + 2][3][lanes] of velocity
    std::int64_t receivers_per_macro = 0;

    const std::int32_t* peak_blocks = nullptr;
    const std::int32_t* peak_elements = nullptr;
    const double* peak_values = nullptr;  ///< [tet_modes(N)][peaks]
    std::int64_t n_peaks = 0;
    double* peaks = nullptr;  ///< [peaks][lanes][2]
};

/// Blocks of several clusters, one after the other in one launch.
struct GpuRanges {
    static constexpr int kMost = 32;
    struct Range {
        std::int32_t begin, before;  ///< first block (or place in `list`), and blocks before it
        int cluster;
        int odd;  ///< this step is the second of two, or those that end now were
        std::int64_t source_slot, receiver_slot;
    };
    Range ranges[kMost];
    int n = 0;
    std::int32_t n_blocks = 0;
    const std::int32_t* list = nullptr;  ///< of blocks; null: all
};

/// Taylor weights (block_terms.hpp).
template <class T>
struct GpuWeights {
    T mean[kMostOrder], first_half[kMostOrder], end[kMostOrder];
};

/// The predictor of elements without sources and mechanisms: derivatives and their sums in shared
/// memory, one thread block per block.
template <class T>
void predict_cuda(int N, const GpuElements<T>& elements, const GpuRanges& ranges,
                  const GpuWeights<T>& weights, const GpuPoints& points, device::Queue& queue);

/// The predictor of the others, in blocks that have some; `step_s` is that of cluster 0.
template <class T>
void predict_full_cuda(int N, const GpuElements<T>& elements, const GpuRanges& ranges,
                       double step_s, const GpuPoints& points, device::Queue& queue);
/// Blocks that it has under way at a time, each with its place in elements.theta.
template <class T>
int resident_blocks_cuda(int N, device::Queue& queue);

template <class T>
void correct_cuda(int N, const GpuElements<T>& elements, const GpuRanges& ranges,
                  device::Queue& queue);

/// Largest speeds at peaks [from, to).
template <class T>
void see_peaks_cuda(int N, const GpuElements<T>& elements, const GpuPoints& points,
                    std::int64_t from, std::int64_t to, device::Queue& queue);

/// Squares of all columns, [blocks][Squares::kFields][kColumns]; mass [modes][modes] of a tet of
/// volume 1.
template <class T>
void squares_cuda(int N, const GpuElements<T>& elements, std::int32_t n_blocks, const double* mass,
                  double* squares, device::Queue& queue);

/// The next macro step: both numbers of GpuWindow::macro.
void count_macro_cuda(std::int64_t* macro, device::Queue& queue);

/// staged [n][size] = records of numbers, and back.
template <class T>
void gather_records_cuda(const T* records, const std::int32_t* numbers, std::int64_t n, int size,
                         T* staged, device::Queue& queue);
template <class T>
void scatter_records_cuda(const T* staged, const std::int32_t* numbers, std::int64_t n, int size,
                          T* records, device::Queue& queue);

/// A face's record in a GPU's memory, [lanes][record_numbers(modes)]: of a lane [modes][6],
/// tractions before velocities, and what fills up an odd number of 16 bytes. Records are copied 16
/// bytes at a time, and threads that have a lane each in shared memory are apart in its banks.

template <class T>
KANAME_HD constexpr int record_numbers(int modes) {
    constexpr int kEach = 16 / static_cast<int>(sizeof(T));
    return ((kTraceQuantities * modes + kEach - 1) / kEach | 1) * kEach;
}

/// Place of component c of a lane's mode.
KANAME_HD constexpr int record_place(int c, int mode) {
    return kTraceQuantities * mode + c;
}

}  // namespace kaname::aderdg
