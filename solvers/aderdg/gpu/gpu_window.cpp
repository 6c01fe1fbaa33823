// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA
#include "solvers/aderdg/gpu/gpu_window.hpp"

#include <algorithm>
#include <array>

#include "solvers/aderdg/kernels/gpu_elements.hpp"

namespace kaname::aderdg {
namespace {

constexpr std::int64_t kWindowBytes = std::int64_t{8} << 20;
constexpr std::int64_t kLongestWindow = 256;

}  // namespace

GpuWindow::GpuWindow(std::int64_t bytes_per_macro, device::Queue& queue)
    : queue_(queue),
      length_(std::clamp<std::int64_t>(kWindowBytes / std::max(bytes_per_macro, std::int64_t{1}), 1,
                                       kLongestWindow)),
      macro_(2, queue) {}

void GpuWindow::begin(std::int64_t macro) {
    first_ = macro;
    done_ = 0;
    const std::array<std::int64_t, 2> counts = {0, macro};
    device::copy_to_device(macro_.data(), counts.data(), sizeof counts, queue_);
}

void GpuWindow::count() {
    count_macro_cuda(macro_.data(), queue_);
}

GpuSlots::GpuSlots(std::span<const std::int64_t> first_of) {
    const std::size_t n_clusters = first_of.size() - 1;
    for (std::size_t c = 0; c < n_clusters; ++c) {
        first.push_back(first_of[c]);
        size.push_back(first_of[c + 1] - first_of[c]);
        slot.push_back(per_macro);
        per_macro += size.back() << (n_clusters - 1 - c);
    }
}

}  // namespace kaname::aderdg
#endif
