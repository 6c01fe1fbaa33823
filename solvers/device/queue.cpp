// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/queue.hpp"

#include <cstring>

#include "solvers/device/cuda/runtime.hpp"
#include "solvers/device/threads.hpp"

#ifdef KANAME_HAVE_OPENMP
#include <omp.h>
#endif

namespace kaname::device {

std::string_view to_string(Backend backend) {
    return backend == Backend::Cpu ? "cpu" : "cuda";
}

Queue::Queue(Backend backend, int device) : backend_(backend) {
    if (backend == Backend::Cuda) {
        stream_ = cuda::make_stream(device);
    }
}

void Queue::synchronize() {
    if (stream_) {
        cuda::synchronize(*stream_);
    }
}

void copy_to_device(void* device, const void* host, std::size_t bytes, Queue& queue) {
    if (bytes == 0) {
        return;
    }
    if (queue.backend() == Backend::Cuda) {
        cuda::copy_to_device(device, host, bytes, queue.stream());
    } else {
        std::memcpy(device, host, bytes);
    }
}

void copy_to_host(void* host, const void* device, std::size_t bytes, Queue& queue) {
    if (bytes == 0) {
        return;
    }
    if (queue.backend() == Backend::Cuda) {
        cuda::copy_to_host(host, device, bytes, queue.stream());
    } else {
        std::memcpy(host, device, bytes);
    }
}

void copy_on_device(void* to, const void* from, std::size_t bytes, Queue& queue) {
    if (bytes == 0) {
        return;
    }
    if (queue.backend() == Backend::Cuda) {
        cuda::copy_on_device(to, from, bytes, queue.stream());
    } else {
        std::memcpy(to, from, bytes);
    }
}

void set_threads([[maybe_unused]] int n) {
#ifdef KANAME_HAVE_OPENMP
    omp_set_num_threads(n > 0 ? n : 1);
#endif
}

int max_threads() {
#ifdef KANAME_HAVE_OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

}  // namespace kaname::device
