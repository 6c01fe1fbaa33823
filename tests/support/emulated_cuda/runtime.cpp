// SPDX-License-Identifier: BSD-3-Clause
// CUDA's runtime for emulated kernels: one GPU whose memory is the host's, streams that do at once
// what they are asked, graphs that are lists. Only what solvers/device/cuda calls.
#include <cstdio>
#include <cstdlib>

#include "tests/support/emulated_cuda/emulator.cuh"

namespace {

using kaname::emulated::capture;
using kaname::emulated::Recorded;

constexpr std::size_t kMemory = std::size_t{16} << 30U;

void* aligned(std::size_t bytes) {
    constexpr std::size_t kAlignment = 256;
    return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

void refuse_in_capture(const char* what) {
    if (capture != nullptr) {
        std::fprintf(stderr, "emulated CUDA: %s while a graph is recorded\n", what);
        std::abort();
    }
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    refuse_in_capture("cudaMalloc");
    *memory = aligned(bytes);
    return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* memory) {
    refuse_in_capture("cudaFree");
    std::free(memory);
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
    return cudaMalloc(memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
    return cudaFree(memory);
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
    *free_bytes = *total = kMemory;
    return cudaSuccess;
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
    std::memset(memory, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
    if (capture != nullptr && kind == cudaMemcpyDeviceToDevice) {
        capture->push_back([=] { std::memcpy(to, from, bytes); });
        return cudaSuccess;
    }
    refuse_in_capture("a copy from or to the host");
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    *stream = static_cast<cudaStream_t>(aligned(1));
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    std::free(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
    refuse_in_capture("a wait");
    return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
    refuse_in_capture("a second recording");
    capture = new Recorded;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
    *graph = reinterpret_cast<cudaGraph_t>(capture);
    capture = nullptr;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
    *executable =
        reinterpret_cast<cudaGraphExec_t>(new Recorded(*reinterpret_cast<Recorded*>(graph)));
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
    for (const auto& queued : *reinterpret_cast<Recorded*>(executable)) {
        queued();
    }
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete reinterpret_cast<Recorded*>(graph);
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    delete reinterpret_cast<Recorded*>(executable);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    std::strcpy(properties->name, "emulated");
    properties->major = 9;
    properties->multiProcessorCount = 2;  // few blocks of reductions
    properties->totalGlobalMem = kMemory;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    *value = attribute == cudaDevAttrMultiProcessorCount            ? 2
             : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448
                                                                    : 0;
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaGetLastError() {
    return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) {
    return "emulated";
}
const char* cudaGetErrorName(cudaError_t) {
    return "cudaErrorEmulated";
}

}  // extern "C"
