// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/memory.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/cuda/runtime.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace kaname::device {
namespace {

constexpr std::align_val_t kAlignment{64};
std::atomic<std::size_t> count{0};
std::array<std::atomic<std::size_t>, 2> held{};

std::atomic<std::size_t>& held_by(Backend backend) {
    return held[backend == Backend::Cuda ? 1 : 0];
}

// Larger arrays come from the kernel, whose pages are zero and take no memory before they are used:
// what a solver needs later does not add to the peak while it is set up, and the threads that use a
// page first get it near them.
constexpr std::size_t kManyPages = std::size_t(1) << 20U;

[[noreturn]] void throw_exhausted(std::size_t bytes) {
    throw Error(ErrorCode::Exhausted,
                "no memory for an array of " + std::to_string(bytes) + " bytes");
}

/// All zero.
void* allocate_on_cpu(std::size_t bytes) {
#ifdef __linux__
    if (bytes >= kManyPages) {
        void* memory =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            throw_exhausted(bytes);
        }
        return memory;
    }
#endif
    try {
        return std::memset(::operator new(bytes, kAlignment), 0, bytes);
    } catch (const std::bad_alloc&) {
        throw_exhausted(bytes);
    }
}

void release_on_cpu(void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__
    if (bytes >= kManyPages) {
        ::munmap(memory, bytes);
        return;
    }
#endif
    ::operator delete(memory, kAlignment);
}

}  // namespace

void* allocate(Backend backend, std::size_t bytes) {
    ++count;
    void* memory = backend == Backend::Cuda ? cuda::allocate(bytes) : allocate_on_cpu(bytes);
    held_by(backend) += bytes;
    return memory;
}

void release(Backend backend, void* memory, std::size_t bytes) noexcept {
    held_by(backend) -= bytes;
    if (backend == Backend::Cuda) {
        cuda::release(memory);
    } else {
        release_on_cpu(memory, bytes);
    }
}

void* allocate_host(Backend backend, std::size_t bytes) {
    if (bytes == 0) {
        return nullptr;
    }
    ++count;
    return backend == Backend::Cuda ? cuda::allocate_pinned(bytes) : allocate_on_cpu(bytes);
}

void release_host(Backend backend, void* memory) noexcept {
    if (backend == Backend::Cuda) {
        cuda::release_pinned(memory);
    } else {
        ::operator delete(memory, kAlignment);
    }
}

std::size_t allocation_count() {
    return count;
}

std::size_t held_bytes(Backend backend) {
    return held_by(backend);
}

}  // namespace kaname::device
