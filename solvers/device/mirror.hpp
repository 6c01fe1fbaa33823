// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/device/buffer.hpp"

namespace kaname::device {

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
