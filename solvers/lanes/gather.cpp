// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/gather.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/lanes/gather_body.hpp"

namespace kaname::lanes {
namespace {

int whole_lanes(const char* kernel, int width) {
    if (width % kLanes != 0) {
        throw Error(
            ErrorCode::InvalidArgument,
            std::string(kernel) + ": width must be whole lanes, got " + std::to_string(width));
    }
    return width / kLanes;
}

/// Items read in one place and written in another.
template <class T>
void note_items(const device::Queue& queue, std::size_t items, int width) {
    device::note(queue, {static_cast<double>(items) *
                         static_cast<double>(sizeof(std::int32_t) + 2 * sizeof(T) * width)});
}

}  // namespace

template <class T>
void gather_items(device::View<const std::int32_t> items, int width, device::View<const T> x,
                  device::View<T> packed, device::Queue& queue) {
    note_items<T>(queue, items.size(), width);
    for_each(queue, static_cast<std::int64_t>(items.size()),
             body::GatherItems<T>{items.data(), whole_lanes("gather_items", width), x.data(),
                                  packed.data()});
}

template <class T>
void scatter_items(device::View<const std::int32_t> items, int width, device::View<const T> packed,
                   device::View<T> x, device::Queue& queue) {
    note_items<T>(queue, items.size(), width);
    for_each(queue, static_cast<std::int64_t>(items.size()),
             body::ScatterItems<T>{items.data(), whole_lanes("scatter_items", width), packed.data(),
                                   x.data()});
}

template <class T>
void scatter_sums(const ScatterSumsArgs<T>& args, device::Queue& queue) {
    note_items<T>(queue, args.listed.size(), args.width);
    for_each(queue, static_cast<std::int64_t>(args.items.size()),
             body::ScatterSums<T>{args.items.data(), args.ptr.data(), args.listed.data(),
                                  whole_lanes("scatter_sums", args.width), args.packed.data(),
                                  args.x.data()});
}

template <class T>
void sum_items(device::View<const std::int32_t> ptr, device::View<const std::int32_t> items,
               device::View<const T> x, device::View<T> packed, device::Queue& queue) {
    const auto numbers = static_cast<double>((items.size() + ptr.size() - 1) * 3 * kLanes);
    const auto listed = static_cast<double>(items.size() + ptr.size());
    device::note(queue, device::Work::of<T>(sizeof(T) * numbers + sizeof(std::int32_t) * listed,
                                            static_cast<double>(items.size()) * 3 * kLanes));
    for_each(queue, static_cast<std::int64_t>(ptr.size()) - 1,
             body::SumItems<T>{ptr.data(), items.data(), x.data(), packed.data()});
}

template void sum_items(device::View<const std::int32_t>, device::View<const std::int32_t>,
                        device::View<const float>, device::View<float>, device::Queue&);
#define KANAME_INSTANTIATE_GATHER(T)                                                          \
    template void gather_items(device::View<const std::int32_t>, int, device::View<const T>,  \
                               device::View<T>, device::Queue&);                              \
    template void scatter_items(device::View<const std::int32_t>, int, device::View<const T>, \
                                device::View<T>, device::Queue&);                             \
    template void scatter_sums(const ScatterSumsArgs<T>&, device::Queue&);
KANAME_INSTANTIATE_GATHER(float)
KANAME_INSTANTIATE_GATHER(double)
#undef KANAME_INSTANTIATE_GATHER

}  // namespace kaname::lanes
