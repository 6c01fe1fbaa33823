// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/blas1.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/lanes/blas1_cpu.hpp"
#include "solvers/lanes/blas1_cuda.hpp"

namespace kaname::lanes {
namespace {

void require_equal(const char* kernel, std::size_t x, std::size_t y) {
    if (x != y) {
        throw Error(ErrorCode::InvalidArgument,
                    std::string(kernel) + ": x and y must have one size, got " + std::to_string(x) +
                        " and " + std::to_string(y));
    }
}

}  // namespace

LaneScalars dot(device::View<const double> x, device::View<const double> y, int width,
                device::View<const std::uint8_t> owned, device::Queue& queue) {
    require_equal("dot", x.size(), y.size());
    LaneScalars result{};
    KANAME_DISPATCH(queue, dot, x, y, width, owned, result)
    return result;
}

LaneScalars dot(device::View<const float> x, device::View<const float> y, int width,
                device::View<const std::uint8_t> owned, device::Queue& queue) {
    require_equal("dot", x.size(), y.size());
    LaneScalars result{};
    KANAME_DISPATCH(queue, dot, x, y, width, owned, result)
    return result;
}

LaneGram gram(device::View<const double> x, device::View<const double> y, int width,
              device::View<const std::uint8_t> owned, device::Queue& queue) {
    require_equal("gram", x.size(), y.size());
    LaneGram result{};
    KANAME_DISPATCH(queue, gram, x, y, width, owned, result)
    return result;
}

void add_mixed(const LaneGram& A, device::View<const double> x, device::View<double> y,
               device::Queue& queue) {
    require_equal("add_mixed", x.size(), y.size());
    KANAME_DISPATCH(queue, add_mixed, A, x, y)
}

void axpby(const LaneScalars& a, device::View<const double> x, const LaneScalars& b,
           device::View<double> y, device::Queue& queue) {
    require_equal("axpby", x.size(), y.size());
    KANAME_DISPATCH(queue, axpby, a, x, b, y)
}

void axpby(const LaneScalars& a, device::View<const float> x, const LaneScalars& b,
           device::View<float> y, device::Queue& queue) {
    require_equal("axpby", x.size(), y.size());
    KANAME_DISPATCH(queue, axpby, a, x, b, y)
}

void scale_to_float(const LaneScalars& a, device::View<const double> x, device::View<float> y,
                    device::Queue& queue) {
    require_equal("scale_to_float", x.size(), y.size());
    KANAME_DISPATCH(queue, scale_to_float, a, x, y)
}

void scale_to_double(const LaneScalars& a, device::View<const float> x, device::View<double> y,
                     device::Queue& queue) {
    require_equal("scale_to_double", x.size(), y.size());
    KANAME_DISPATCH(queue, scale_to_double, a, x, y)
}

void subtract_from(device::View<const float> x, device::View<float> y, device::Queue& queue) {
    require_equal("subtract_from", x.size(), y.size());
    KANAME_DISPATCH(queue, subtract_from, x, y)
}

template <class T>
void fill(T value, device::View<T> y, device::Queue& queue) {
    KANAME_DISPATCH(queue, fill, value, y)
}

template void fill(float, device::View<float>, device::Queue&);
template void fill(double, device::View<double>, device::Queue&);

template <class T>
void zero_dofs(device::View<const std::int32_t> dofs, device::View<T> x, device::Queue& queue) {
    KANAME_DISPATCH(queue, zero_dofs, dofs, x)
}

template void zero_dofs(device::View<const std::int32_t>, device::View<float>, device::Queue&);
template void zero_dofs(device::View<const std::int32_t>, device::View<double>, device::Queue&);

template <class T>
void scale_items(device::View<const T> w, device::View<T> y, device::Queue& queue) {
    require_equal("scale_items", w.size() * kLanes, y.size());
    KANAME_DISPATCH(queue, scale_items, w, y)
}

template void scale_items(device::View<const float>, device::View<float>, device::Queue&);
template void scale_items(device::View<const double>, device::View<double>, device::Queue&);

template <class T>
void zero_lane(int lane, device::View<T> x, device::Queue& queue) {
    KANAME_DISPATCH(queue, zero_lane, lane, x)
}

template void zero_lane(int, device::View<float>, device::Queue&);
template void zero_lane(int, device::View<double>, device::Queue&);

}  // namespace kaname::lanes
