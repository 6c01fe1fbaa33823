// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <string_view>

namespace kaname::device {

enum class Backend { Cpu, Cuda };

[[nodiscard]] std::string_view to_string(Backend backend);

/// Zeroed memory of a backend, aligned to 64 bytes (a cache line, an AVX-512 register) or, on a
/// GPU, to 256. Throws Exhausted naming what was wanted and what is there.
[[nodiscard]] void* allocate(Backend backend, std::size_t bytes);
void release(Backend backend, void* memory, std::size_t bytes) noexcept;

/// Host memory for copies from and to a backend's, uninitialised; null for no bytes.
[[nodiscard]] void* allocate_host(Backend backend, std::size_t bytes);
void release_host(Backend backend, void* memory) noexcept;

/// Allocations of this process so far: a time step must make none.
[[nodiscard]] std::size_t allocation_count();
/// Bytes that this process holds in a backend's memory through `allocate`.
[[nodiscard]] std::size_t held_bytes(Backend backend);

}  // namespace kaname::device
