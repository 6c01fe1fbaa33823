// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/blas1.hpp"

namespace kaname::lanes {

template <class T>
void dot_cpu(device::View<const T> x, device::View<const T> y, int width,
             device::View<const std::uint8_t> owned, LaneScalars& result);
void gram_cpu(device::View<const double> x, device::View<const double> y, int width,
              device::View<const std::uint8_t> owned, LaneGram& result);
void add_mixed_cpu(const LaneGram& A, device::View<const double> x, device::View<double> y);
template <class T>
void axpby_cpu(const LaneScalars& a, device::View<const T> x, const LaneScalars& b,
               device::View<T> y);
void scale_to_float_cpu(const LaneScalars& a, device::View<const double> x, device::View<float> y);
void scale_to_double_cpu(const LaneScalars& a, device::View<const float> x, device::View<double> y);
void subtract_from_cpu(device::View<const float> x, device::View<float> y);
template <class T>
void fill_cpu(T value, device::View<T> y);
template <class T>
void zero_dofs_cpu(device::View<const std::int32_t> dofs, device::View<T> x);
template <class T>
void scale_items_cpu(device::View<const T> w, device::View<T> y);
template <class T>
void zero_lane_cpu(int lane, device::View<T> x);

}  // namespace kaname::lanes
