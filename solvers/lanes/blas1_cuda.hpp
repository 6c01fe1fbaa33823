// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/blas1.hpp"

/// The kernels of blas1.hpp on a GPU; views hold device memory. `owned` empty: all.
namespace kaname::lanes {

template <class T>
void dot_cuda(device::View<const T> x, device::View<const T> y, int width,
              device::View<const std::uint8_t> owned, LaneScalars& result, device::Queue& queue);
void gram_cuda(device::View<const double> x, device::View<const double> y, int width,
               device::View<const std::uint8_t> owned, LaneGram& result, device::Queue& queue);
void add_mixed_cuda(const LaneGram& A, device::View<const double> x, device::View<double> y,
                    device::Queue& queue);
template <class T>
void axpby_cuda(const LaneScalars& a, device::View<const T> x, const LaneScalars& b,
                device::View<T> y, device::Queue& queue);
void scale_to_float_cuda(const LaneScalars& a, device::View<const double> x, device::View<float> y,
                         device::Queue& queue);
void scale_to_double_cuda(const LaneScalars& a, device::View<const float> x, device::View<double> y,
                          device::Queue& queue);
void subtract_from_cuda(device::View<const float> x, device::View<float> y, device::Queue& queue);
template <class T>
void fill_cuda(T value, device::View<T> y, device::Queue& queue);
template <class T>
void zero_dofs_cuda(device::View<const std::int32_t> dofs, device::View<T> x, device::Queue& queue);
template <class T>
void scale_items_cuda(device::View<const T> w, device::View<T> y, device::Queue& queue);
template <class T>
void zero_lane_cuda(int lane, device::View<T> x, device::Queue& queue);

}  // namespace kaname::lanes
