// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace kaname::device {

/// Pointer and size in the memory of the queue that uses it.
template <class T>
using View = std::span<T>;

/// Owner of an array on the CPU, aligned for SIMD, zero-filled. Move-only.
template <class T>
class Buffer {
public:
    static constexpr std::size_t kAlignment = 64;  ///< one cache line, one AVX-512 register

    Buffer() = default;
    explicit Buffer(std::size_t size) : size_(size) {
        if (size > 0) {
            data_.reset(
                static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t(kAlignment))));
            std::fill_n(data_.get(), size, T{});
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T* data() { return data_.get(); }
    [[nodiscard]] const T* data() const { return data_.get(); }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }
    [[nodiscard]] View<T> view() { return {data(), size_}; }
    [[nodiscard]] View<const T> view() const { return {data(), size_}; }
    operator View<T>() { return view(); }
    operator View<const T>() const { return view(); }
    void fill(const T& value) { std::fill_n(data_.get(), size_, value); }

private:
    struct Free {
        void operator()(T* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace kaname::device
