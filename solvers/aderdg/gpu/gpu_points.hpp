// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/cpu/point_record.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/gpu/gpu_window.hpp"
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::aderdg {

/// Sources, receivers and peaks of a rank whose elements are on a GPU: the sources' polynomials of
/// a window are there before it begins.
class GpuPointSet {
public:
    /// `setup` and `window` outlive this.
    GpuPointSet(const EngineSetup& setup, const GpuWindow& window, device::Queue& queue);
    /// Bytes of a window's macro step, of the larger of rates and powers.
    [[nodiscard]] static std::int64_t bytes_per_macro(const EngineSetup& setup);

    [[nodiscard]] const GpuPoints& of_kernels() const { return kernels_; }
    /// Slots of step number `step` of a cluster in a macro step.
    void set_slots(GpuRanges::Range& range, std::int64_t step) const;

    /// Before a window ends, and after the next one has begun.
    void leave_window() {
        bring();
        brought_ = 0;
    }
    void enter_window() { evaluate_rates(); }

    /// The record, with all macro steps that have ended.
    [[nodiscard]] PointRecord& record();
    [[nodiscard]] std::vector<double> peaks();
    void set_peaks(std::span<const double> peaks);

private:
    void upload();
    void evaluate_rates();
    void bring();

    const EngineSetup& setup_;
    device::Queue& queue_;
    int N_;
    const GpuWindow& window_;
    GpuSlots sources_, receivers_;
    std::int64_t brought_ = 0;  ///< macro steps of the window
    GpuPoints kernels_;
    device::Buffer<std::int32_t> first_source_, first_receiver_, receiver_elements_, peak_blocks_,
        peak_elements_;
    device::Buffer<std::uint32_t> with_sources_;
    device::Buffer<GpuSource> source_;
    device::Buffer<double> shapes_, rates_, receiver_values_, powers_, peak_values_, peaks_;
    PointRecord record_;
};

}  // namespace kaname::aderdg
