// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/memory.hpp"

#include <atomic>
#include <cstring>
#include <new>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/cuda/runtime.hpp"

namespace kaname::device {
namespace {

constexpr std::align_val_t kAlignment{64};
std::atomic<std::size_t> count{0};

}  // namespace

void* allocate(Backend backend, std::size_t bytes) {
    ++count;
    if (backend == Backend::Cuda) {
        return cuda::allocate(bytes);
    }
    try {
        void* memory = ::operator new(bytes, kAlignment);
        std::memset(memory, 0, bytes);
        return memory;
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::Exhausted,
                    "no memory for an array of " + std::to_string(bytes) + " bytes");
    }
}

void release(Backend backend, void* memory) noexcept {
    if (backend == Backend::Cuda) {
        cuda::release(memory);
    } else {
        ::operator delete(memory, kAlignment);
    }
}

std::size_t allocation_count() {
    return count;
}

}  // namespace kaname::device
