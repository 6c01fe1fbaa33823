// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::aderdg {

/// Macro steps go by windows: what a window's steps need is on the GPU before it begins, and what
/// they have seen comes to the host when it is full, or is asked for. Which macro step it is
/// kernels read from the GPU's memory, so that those of each are the same.
class GpuWindow {
public:
    /// As many macro steps as make 8 MiB of `bytes_per_macro`, but one at least.
    GpuWindow(std::int64_t bytes_per_macro, device::Queue& queue);

    [[nodiscard]] std::int64_t length() const { return length_; }
    [[nodiscard]] std::int64_t first() const { return first_; }  ///< macro step
    [[nodiscard]] std::int64_t done() const { return done_; }    ///< macro steps that have ended
    /// Macro step of the window, and of all: [2] in the GPU's memory.
    [[nodiscard]] const std::int64_t* macro() const { return macro_.data(); }

    [[nodiscard]] bool holds(std::int64_t macro) const {
        return first_ >= 0 && macro == first_ + done_ && done_ < length_;
    }
    void begin(std::int64_t macro);
    /// Queued after the kernels of a macro step, before end().
    void count();
    void end() { ++done_; }

private:
    device::Queue& queue_;
    std::int64_t length_, first_ = -1, done_ = 0;
    device::Buffer<std::int64_t> macro_;
};

/// Where what points have in the steps of a window lies: number (macro step) * per_macro +
/// of(cluster, step) + point.
struct GpuSlots {
    std::vector<std::int64_t> first, size, slot;  ///< [clusters] points, and slots before
    std::int64_t per_macro = 0;

    /// first_of [clusters + 1]: the first point of each.
    explicit GpuSlots(std::span<const std::int64_t> first_of);
    [[nodiscard]] std::int64_t of(int cluster, std::int64_t step) const {
        return slot[cluster] + step * size[cluster] - first[cluster];
    }
    /// body(point, cluster, macro step, step in it, slot) for `n_macro` macro steps, points in
    /// parallel.
    template <class Body>
    void for_each(std::int64_t n_macro, const Body& body) const {
        const int n_clusters = static_cast<int>(size.size());
        for (int c = 0; c < n_clusters; ++c) {
            parallel_for(
                size[c],
                [&, c](std::int64_t k) {
                    const std::int64_t point = first[c] + k;
                    for (std::int64_t macro = 0; macro < n_macro; ++macro) {
                        for (std::int64_t j = 0; j < std::int64_t{1} << (n_clusters - 1 - c); ++j) {
                            body(point, c, macro, j, macro * per_macro + of(c, j) + point);
                        }
                    }
                },
                8);
        }
    }
};

}  // namespace kaname::aderdg
