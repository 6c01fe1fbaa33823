// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
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

/// Records of traces in a GPU's memory, and their way to and from the host: gathered there first.
template <class T>
class GpuRecords {
public:
    /// `numbers` of each record.
    GpuRecords(int numbers, std::int32_t n_records, device::Queue& queue)
        : queue_(queue),
          numbers_(numbers),
          records_(static_cast<std::size_t>(numbers) * n_records, queue) {}

    [[nodiscard]] T* on_gpu() { return records_.data(); }
    [[nodiscard]] std::size_t record_bytes() const {
        return static_cast<std::size_t>(numbers_) * sizeof(T);
    }
    void read(std::span<const std::int32_t> records, std::span<std::byte> to) {
        if (!records.empty()) {
            gather_records_cuda<T>(records_.data(), list_of(records), std::ssize(records), numbers_,
                                   staged_for(records.size()), queue_);
            device::copy_to_host(to.data(), staged_.data(), records.size() * record_bytes(),
                                 queue_);
        }
    }
    void write(std::span<const std::int32_t> records, std::span<const std::byte> from) {
        if (!records.empty()) {
            device::copy_to_device(staged_for(records.size()), from.data(),
                                   records.size() * record_bytes(), queue_);
            scatter_records_cuda<T>(staged_.data(), list_of(records), std::ssize(records), numbers_,
                                    records_.data(), queue_);
        }
    }

private:
    /// Lists that have been asked for stay.
    struct List {
        std::vector<std::int32_t> numbers;
        device::Buffer<std::int32_t> on_gpu;
    };
    [[nodiscard]] const std::int32_t* list_of(std::span<const std::int32_t> records) {
        for (const List& list : lists_) {
            if (std::ranges::equal(list.numbers, records)) {
                return list.on_gpu.data();
            }
        }
        lists_.push_back(
            {{records.begin(), records.end()}, device::Buffer<std::int32_t>(records, queue_)});
        return lists_.back().on_gpu.data();
    }
    [[nodiscard]] T* staged_for(std::size_t records) {
        if (staged_.size() < records * numbers_) {
            staged_ = device::Buffer<T>(records * numbers_, queue_);
        }
        return staged_.data();
    }

    device::Queue& queue_;
    int numbers_;
    device::Buffer<T> records_, staged_;
    std::list<List> lists_;
};

}  // namespace kaname::aderdg
