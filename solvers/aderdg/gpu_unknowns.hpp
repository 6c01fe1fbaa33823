// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::aderdg {

/// Unknowns in a GPU's memory, [blocks][numbers][kColumns]. The host sees elements one by one; it
/// has a few blocks at a time, until it gives them back.
template <class T>
class GpuUnknowns {
public:
    /// `numbers` of each column of a block.
    GpuUnknowns(int numbers, int lanes, std::int32_t n_blocks, device::Queue& queue)
        : numbers_(numbers),
          lanes_(lanes),
          n_blocks_(n_blocks),
          at_a_time_(std::max<std::int32_t>(
              1, static_cast<std::int32_t>(kBytesOnHost / (block_size() * sizeof(T))))),
          queue_(queue),
          on_gpu_(block_size() * n_blocks, queue) {}

    [[nodiscard]] T* on_gpu() { return on_gpu_.data(); }

    /// [lanes][numbers] of an element.
    [[nodiscard]] std::vector<double> get(std::int32_t block, int element) {
        const T* from = take(block);
        std::vector<double> values;
        values.reserve(static_cast<std::size_t>(numbers_) * lanes_);
        for (int lane = 0; lane < lanes_; ++lane) {
            for (int k = 0; k < numbers_; ++k) {
                values.push_back(from[k * kColumns<T> + element * lanes_ + lane]);
            }
        }
        return values;
    }
    void set(std::int32_t block, int element, std::span<const double> values) {
        T* to = take(block);
        changed_ = true;
        for (int lane = 0; lane < lanes_; ++lane) {
            for (int k = 0; k < numbers_; ++k) {
                to[k * kColumns<T> + element * lanes_ + lane] =
                    static_cast<T>(values[lane * numbers_ + k]);
            }
        }
    }
    /// Copies values that were set to the GPU, which may change all of them from then on.
    void give_back() {
        if (changed_) {
            device::copy_to_device(on_gpu_.data() + first_ * block_size(), host_.data(),
                                   host_.size() * sizeof(T), queue_);
        }
        changed_ = false;
        host_.clear();
    }

private:
    static constexpr std::size_t kBytesOnHost = std::size_t{4} << 20;

    [[nodiscard]] std::size_t block_size() const {
        return static_cast<std::size_t>(numbers_) * kColumns<T>;
    }
    [[nodiscard]] T* take(std::int32_t block) {
        const auto n = static_cast<std::int32_t>(host_.size() / block_size());
        if (block < first_ || block >= first_ + n) {
            give_back();
            first_ = block;
            host_.resize(std::min(at_a_time_, n_blocks_ - block) * block_size());
            device::copy_to_host(host_.data(), on_gpu_.data() + first_ * block_size(),
                                 host_.size() * sizeof(T), queue_);
        }
        return host_.data() + (block - first_) * block_size();
    }

    int numbers_, lanes_;
    std::int32_t n_blocks_, at_a_time_;
    device::Queue& queue_;
    device::Buffer<T> on_gpu_;
    std::vector<T> host_;  ///< blocks from first_ on
    std::int32_t first_ = 0;
    bool changed_ = false;
};

}  // namespace kaname::aderdg
