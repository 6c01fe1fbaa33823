// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace kaname {

/// Memory that begins with a cache line, so that a pack that is stored crosses none; of large
/// arrays with a large page, where the system has them.
template <class T>
struct AlignedAllocator {
    using value_type = T;
    static constexpr std::size_t kLine = 64, kPage = std::size_t{2} << 20;

    AlignedAllocator() = default;
    template <class U>
    explicit AlignedAllocator(const AlignedAllocator<U>& /*other*/) {}

    T* allocate(std::size_t n) {
        const std::size_t unit = n * sizeof(T) < 2 * kPage ? kLine : kPage;
        const std::size_t bytes = (n * sizeof(T) + unit - 1) / unit * unit;
        void* memory = std::aligned_alloc(unit, bytes);
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        if (unit == kPage) {
            (void)::madvise(memory, bytes, MADV_HUGEPAGE);
        }
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t /*n*/) { std::free(memory); }
    bool operator==(const AlignedAllocator& /*other*/) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace kaname
