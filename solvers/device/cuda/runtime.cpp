// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA
#include "solvers/device/cuda/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/device/cuda/stream.cuh"

namespace kaname::device {
namespace {

/// The streams of every thread, so that memory is freed after all that its thread has queued.
class Streams {
public:
    void add(const Queue::Stream& stream) {
        const std::lock_guard lock(mutex_);
        all_.push_back({&stream, std::this_thread::get_id()});
    }
    void remove(const Queue::Stream& stream) {
        const std::lock_guard lock(mutex_);
        std::erase_if(all_, [&](const Entry& entry) { return entry.stream == &stream; });
    }
    [[nodiscard]] std::vector<cudaStream_t> of_this_thread() {
        const std::lock_guard lock(mutex_);
        std::vector<cudaStream_t> mine;
        for (const Entry& entry : all_) {
            if (entry.thread == std::this_thread::get_id()) {
                mine.push_back(entry.stream->stream);
            }
        }
        return mine;
    }

private:
    struct Entry {
        const Queue::Stream* stream;
        std::thread::id thread;
    };
    std::mutex mutex_;
    std::vector<Entry> all_;
};

Streams& streams() {
    static Streams all;
    return all;
}

}  // namespace

Queue::Stream::Stream(int device_index) : device(device_index) {
    cuda::check(cudaSetDevice(device), "cudaSetDevice");
    cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                "cudaDeviceGetAttribute");
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    cuda::check(cudaMalloc(&scratch, kScratchBytes), "cudaMalloc");
    cuda::check(cudaMalloc(reinterpret_cast<void**>(&counter), sizeof *counter), "cudaMalloc");
    cuda::check(cudaMemset(counter, 0, sizeof *counter), "cudaMemset");
    cuda::check(cudaStreamSynchronize(nullptr), "cudaMemset");
    cuda::check(cudaMallocHost(reinterpret_cast<void**>(&pinned), kPinnedNumbers * sizeof(double)),
                "cudaMallocHost");
    streams().add(*this);
}

Queue::Stream::~Stream() {
    streams().remove(*this);
    cudaStreamSynchronize(stream);
    cudaFreeHost(pinned);
    cudaFree(counter);
    cudaFree(scratch);
    cudaStreamDestroy(stream);
}

namespace cuda {
namespace {

std::atomic<std::size_t> synchronisations{0};

/// Done when it returns: the streams of queues do not wait for the default stream.
void zero(void* memory, std::size_t bytes) {
    check(cudaMemset(memory, 0, bytes), "cudaMemset");
    check(cudaStreamSynchronize(nullptr), "cudaMemset");
}

}  // namespace

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) {
        return;
    }
    if (status == cudaErrorMemoryAllocation) {
        throw Error(ErrorCode::Exhausted, std::string(what) + ": " + cudaGetErrorString(status));
    }
    const DeviceFault fault{what, cudaGetErrorName(status), ""};
    throw DeviceError(fault, describe(fault, cudaGetErrorString(status)));
}

std::string unavailable_reason() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaErrorInsufficientDriver) {
        int driver = 0;
        cudaDriverGetVersion(&driver);
        return driver == 0 ? "no CUDA driver is installed"
                           : "the CUDA driver is older than this build's toolkit";
    }
    if (status != cudaSuccess) {
        return cudaGetErrorString(status);
    }
    return count == 0 ? "no GPU is visible to this process" : "";
}

int device_count() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

DeviceInfo device_info(int device) {
    if (device < 0 || device >= device_count()) {
        const std::string reason = unavailable_reason();
        throw Error(ErrorCode::Unavailable,
                    "device cuda: " +
                        (reason.empty() ? "GPU " + std::to_string(device) + " is not among the " +
                                              std::to_string(device_count()) + " visible ones"
                                        : reason) +
                        "; use device cpu or auto");
    }
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    DeviceInfo info;
    info.name = properties.name;
    char uuid[64];
    const auto byte = [&](int k) { return static_cast<unsigned char>(properties.uuid.bytes[k]); };
    int length = std::snprintf(uuid, sizeof uuid, "GPU-");
    for (int k = 0; k < 16; ++k) {
        const bool dash = k == 4 || k == 6 || k == 8 || k == 10;
        length +=
            std::snprintf(uuid + length, sizeof uuid - length, dash ? "-%02x" : "%02x", byte(k));
    }
    info.uuid = uuid;
    info.major = properties.major;
    info.minor = properties.minor;
    info.multiprocessors = properties.multiProcessorCount;
    info.l2_bytes = properties.l2CacheSize;
    int clock_khz = 0;
    check(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device),
          "cudaDeviceGetAttribute");
    info.clock_mhz = clock_khz / 1000;
    check(cudaSetDevice(device), "cudaSetDevice");
    check(cudaMemGetInfo(&info.free_bytes, &info.memory_bytes), "cudaMemGetInfo");
    cudaDriverGetVersion(&info.driver_version);
    cudaRuntimeGetVersion(&info.runtime_version);
    return info;
}

std::shared_ptr<Queue::Stream> make_stream(int device) {
    (void)device_info(device);  // says why there is none
    return std::make_shared<Queue::Stream>(device);
}

void synchronize(Queue::Stream& stream) {
    ++synchronisations;
    check(cudaStreamSynchronize(stream.stream), "a kernel or copy");
}

std::size_t synchronisation_count() {
    return synchronisations;
}

void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        std::size_t free_bytes = 0;
        std::size_t total = 0;
        cudaMemGetInfo(&free_bytes, &total);
        throw Error(ErrorCode::Exhausted, "no GPU memory for an array of " + std::to_string(bytes) +
                                              " bytes: " + std::to_string(free_bytes) + " of " +
                                              std::to_string(total) + " are free");
    }
    // Anything else is an error of an earlier kernel, which sticks, or no GPU at all.
    check(status, "cudaMalloc");
    zero(memory, bytes);
    return memory;
}

void release(void* memory) noexcept {
    // Kernels that use it may still be queued; that cudaFree waits for them is not promised.
    for (const cudaStream_t stream : streams().of_this_thread()) {
        cudaStreamSynchronize(stream);
    }
    cudaFree(memory);
}

void* allocate_pinned(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
    return memory;
}

void release_pinned(void* memory) noexcept {
    cudaFreeHost(memory);
}

void copy_to_device(void* device, const void* host, std::size_t bytes, Queue::Stream& stream) {
    check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream.stream),
          "copy to the GPU");
    synchronize(stream);  // pageable memory may go as soon as this returns
}

void copy_to_host(void* host, const void* device, std::size_t bytes, Queue::Stream& stream) {
    check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream.stream),
          "copy from the GPU");
    synchronize(stream);
}

void copy_on_device(void* to, const void* from, std::size_t bytes, Queue::Stream& stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream.stream),
          "copy on the GPU");
}

}  // namespace cuda
}  // namespace kaname::device
#endif
