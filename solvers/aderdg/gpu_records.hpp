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
