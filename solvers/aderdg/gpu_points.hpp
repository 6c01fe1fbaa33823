// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/cpu/point_record.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::aderdg {

/// Sources, receivers and peaks of a rank whose elements are on a GPU. Macro steps go by windows:
/// the sources' polynomials of a window are there before it begins, and what receivers have seen
/// comes to the host when it is full, or is asked for.
class GpuPointSet {
public:
    /// `setup` outlives this.
    GpuPointSet(const EngineSetup& setup, device::Queue& queue);

    [[nodiscard]] const GpuPoints& of_kernels() const { return kernels_; }
    /// Slots of step number `step` of a cluster in a macro step.
    void set_slots(GpuRanges::Range& range, std::int64_t step) const;

    /// Before the kernels of a macro step are queued, and after: count() is queued between.
    void begin(std::int64_t macro);
    void count() { count_macro_cuda(macro_.data(), queue_); }
    void end() { ++done_; }

    /// The record, with all macro steps that have ended.
    [[nodiscard]] PointRecord& record();
    [[nodiscard]] std::vector<double> peaks();
    void set_peaks(std::span<const double> peaks);

private:
    /// Numbers of one kind of points, by clusters.
    struct Slots {
        std::vector<std::int64_t> first, size, slot;  ///< [clusters]
        std::int64_t per_macro = 0;
        Slots(const Layout& layout, std::span<const std::int32_t> first_of_block);
        [[nodiscard]] std::int64_t of(int cluster, std::int64_t step) const {
            return slot[cluster] + step * size[cluster] - first[cluster];
        }
    };
    void upload();
    void evaluate_rates();
    void bring();
    /// body(point, cluster, step in the macro step, its slot), points in parallel.
    template <class Body>
    void for_slots(const Slots& slots, const Body& body) const;

    const EngineSetup& setup_;
    device::Queue& queue_;
    int N_;
    Slots sources_, receivers_;
    std::int64_t window_;                               ///< macro steps
    std::int64_t begun_ = -1, done_ = 0, brought_ = 0;  ///< first macro step, and those since
    GpuPoints kernels_;
    device::Buffer<std::int64_t> macro_;
    device::Buffer<std::int32_t> first_source_, first_receiver_, receiver_elements_, peak_blocks_,
        peak_elements_;
    device::Buffer<std::uint32_t> with_sources_;
    device::Buffer<GpuSource> source_;
    device::Buffer<double> shapes_, rates_, receiver_values_, powers_, peak_values_, peaks_;
    PointRecord record_;
};

}  // namespace kaname::aderdg
