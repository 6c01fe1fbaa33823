// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/queue.hpp"

#include "solvers/base/error.hpp"

namespace kaname::device {

std::string_view to_string(Backend backend) {
    return backend == Backend::Cpu ? "cpu" : "cuda";
}

Queue::Queue(Backend backend) : backend_(backend) {
    if (backend == Backend::Cuda) {
        throw Error(ErrorCode::Unavailable, "device cuda: this build has no CUDA backend; use cpu");
    }
}

}  // namespace kaname::device
