// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace kaname::device {

enum class Backend { Cpu, Cuda };

[[nodiscard]] std::string_view to_string(Backend backend);

/// Where kernels run, in order. Throws Unavailable for a backend that this build does not have.
class Queue {
public:
    explicit Queue(Backend backend = Backend::Cpu);
    [[nodiscard]] Backend backend() const { return backend_; }

private:
    Backend backend_;
};

}  // namespace kaname::device

/// Calls name_cpu(args...) on a CPU queue: the one seam between solvers and kernels. A second
/// backend adds its case here and nowhere else.
#define KANAME_DISPATCH(queue, name, ...)                \
    switch ((queue).backend()) {                         \
        case ::kaname::device::Backend::Cpu:             \
            name##_cpu(__VA_ARGS__);                     \
            break;                                       \
        case ::kaname::device::Backend::Cuda:            \
            break; /* the Queue's constructor refused */ \
    }
