// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"
#include "solvers/kernels/lane_count.hpp"

namespace kaname::kernels {

/// The lanes of one number as one load of a GPU thread.
template <class T>
struct alignas(sizeof(T) * kLanes) Quad {
    T v[kLanes];
};

}  // namespace kaname::kernels
