// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "solvers/device/memory.hpp"
#include "solvers/device/queue.hpp"

namespace kaname::device {

/// Pointer and size in the memory of the queue that uses it.
template <class T>
using View = std::span<T>;

/// Owner of an array in the memory of one backend, aligned for SIMD, zero-filled. Move-only. Single
/// elements can be read and written on the CPU only; use upload and download for a GPU's.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : Buffer(size, Backend::Cpu) {}
    Buffer(std::size_t size, const Queue& queue) : Buffer(size, queue.backend()) {}
    /// A copy of host memory.
    Buffer(std::span<const T> host, Queue& queue) : Buffer(host.size(), queue) {
        copy_to_device(data_, host.data(), host.size_bytes(), queue);
    }
    ~Buffer() {
        if (data_ != nullptr) {
            release(backend_, data_, size_ * sizeof(T));
        }
    }
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          backend_(other.backend_) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(backend_, other.backend_);
        return *this;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Backend backend() const { return backend_; }
    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] const T* data() const { return data_; }
    T& operator[](std::size_t i) {
        assert(backend_ == Backend::Cpu);
        return data_[i];
    }
    const T& operator[](std::size_t i) const {
        assert(backend_ == Backend::Cpu);
        return data_[i];
    }
    [[nodiscard]] View<T> view() { return {data_, size_}; }
    [[nodiscard]] View<const T> view() const { return {data_, size_}; }
    operator View<T>() { return view(); }
    operator View<const T>() const { return view(); }
    void fill(const T& value) {
        assert(backend_ == Backend::Cpu);
        std::fill_n(data_, size_, value);
    }

private:
    Buffer(std::size_t size, Backend backend) : size_(size), backend_(backend) {
        if (size > 0) {
            data_ = static_cast<T*>(allocate(backend, size * sizeof(T)));
        }
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    Backend backend_ = Backend::Cpu;
};

/// Returns a buffer filled in host memory as one in the queue's: itself on the CPU, a copy on a
/// GPU.
template <class T>
[[nodiscard]] Buffer<T> moved_to(Queue& queue, Buffer<T> host) {
    assert(host.backend() == Backend::Cpu);
    if (queue.backend() == Backend::Cpu) {
        return host;
    }
    return {std::span<const T>(host.data(), host.size()), queue};
}

/// A copy of a vector in the queue's memory.
template <class Values>
[[nodiscard]] auto copied(const Values& host, Queue& queue) {
    using T = typename Values::value_type;
    return Buffer<T>(std::span<const T>(host), queue);
}

/// device = host. Sizes must agree.
template <class T>
void upload(std::span<const T> host, View<T> device, Queue& queue) {
    assert(host.size() == device.size());
    copy_to_device(device.data(), host.data(), host.size_bytes(), queue);
}

/// host = device, when it returns.
template <class T>
void download(View<const T> device, std::span<T> host, Queue& queue) {
    assert(host.size() == device.size());
    copy_to_host(host.data(), device.data(), device.size_bytes(), queue);
}

/// Owner of a host array that copies of a queue go to and come from, uninitialised: pinned where
/// the queue is a GPU's, so that nothing is staged. Move-only.
template <class T>
class HostBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    HostBuffer() = default;
    HostBuffer(std::size_t size, const Queue& queue)
        : memory_(allocate_host(queue.backend(), size * sizeof(T)), Release{queue.backend()}),
          size_(size) {}

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::span<T> span() const { return {static_cast<T*>(memory_.get()), size_}; }

private:
    struct Release {
        Backend backend = Backend::Cpu;
        void operator()(void* memory) const { release_host(backend, memory); }
    };
    std::unique_ptr<void, Release> memory_;
    std::size_t size_ = 0;
};

/// A host array where a queue's kernels can read it: on the CPU the array itself, which must
/// outlive this, on a GPU a copy.
template <class T>
class Mirror {
public:
    Mirror() = default;
    Mirror(std::span<const T> host, Queue& queue) : view_(host) {
        if (queue.backend() == Backend::Cuda) {
            copy_ = Buffer<T>(host, queue);
            view_ = copy_.view();
        }
    }
    Mirror(Mirror&&) noexcept = default;
    Mirror& operator=(Mirror&&) noexcept = default;

    [[nodiscard]] View<const T> view() const { return view_; }
    [[nodiscard]] std::size_t size() const { return view_.size(); }
    operator View<const T>() const { return view_; }

private:
    View<const T> view_;
    Buffer<T> copy_;
};

}  // namespace kaname::device
