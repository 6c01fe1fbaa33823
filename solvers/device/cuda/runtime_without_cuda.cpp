// SPDX-License-Identifier: BSD-3-Clause
#ifndef KANAME_HAVE_CUDA
#include "solvers/base/error.hpp"
#include "solvers/device/cuda/graph.hpp"
#include "solvers/device/cuda/runtime.hpp"

namespace kaname::device {

struct Queue::Stream {};
Recording::Graph::~Graph() = default;

namespace cuda {
namespace {

[[noreturn]] void refuse() {
    throw Error(ErrorCode::Unavailable,
                "device cuda: " + unavailable_reason() + "; use device cpu or auto");
}

}  // namespace

std::string unavailable_reason() {
    return "this build has no CUDA backend";
}
int device_count() {
    return 0;
}
DeviceInfo device_info(int) {
    refuse();
}
std::shared_ptr<Queue::Stream> make_stream(int) {
    refuse();
}
void synchronize(Queue::Stream&) {}
std::size_t synchronisation_count() {
    return 0;
}
void* allocate(std::size_t) {
    refuse();
}
std::unique_ptr<Recording::Graph> record(const std::function<void()>&, Queue&) {
    refuse();
}
void replay(Recording::Graph&, Queue&) {}
void release(void*) noexcept {}
void* allocate_pinned(std::size_t) {
    refuse();
}
void release_pinned(void*) noexcept {}
void copy_to_device(void*, const void*, std::size_t, Queue::Stream&) {}
void copy_to_host(void*, const void*, std::size_t, Queue::Stream&) {}
void copy_on_device(void*, const void*, std::size_t, Queue::Stream&) {}

}  // namespace cuda
}  // namespace kaname::device
#endif
