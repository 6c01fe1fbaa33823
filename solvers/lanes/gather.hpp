// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/buffer.hpp"

namespace kaname::lanes {

/// packed [items][width] = x at the listed items, and back; width is a number of whole lanes, else
/// InvalidArgument is thrown. T: float, double.
template <class T>
void gather_items(device::View<const std::int32_t> items, int width, device::View<const T> x,
                  device::View<T> packed, device::Queue& queue);
template <class T>
void scatter_items(device::View<const std::int32_t> items, int width, device::View<const T> packed,
                   device::View<T> x, device::Queue& queue);

/// x [n][width] at items[i] = sum, from zero and in their order, of the items listed[ptr[i]] ..
/// listed[ptr[i + 1] - 1] of packed [m][width]. T: float, double.
template <class T>
struct ScatterSumsArgs {
    device::View<const std::int32_t> items;   ///< [items]
    device::View<const std::int32_t> ptr;     ///< [items + 1]
    device::View<const std::int32_t> listed;  ///< into packed
    int width;
    device::View<const T> packed;
    device::View<T> x;
};
template <class T>
void scatter_sums(const ScatterSumsArgs<T>& args, device::Queue& queue);

/// packed [groups][3][4] = sums of x [items][3][4] over the items of each group, added up in their
/// order: items items[ptr[g]] .. items[ptr[g + 1] - 1] of group g. T: float.
template <class T>
void sum_items(device::View<const std::int32_t> ptr, device::View<const std::int32_t> items,
               device::View<const T> x, device::View<T> packed, device::Queue& queue);

}  // namespace kaname::lanes
