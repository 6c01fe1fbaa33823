// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/blas1_cuda.hpp"

#include "solvers/device/cuda/launch.cuh"
#include "solvers/device/cuda/reduce.cuh"
#include "solvers/lanes/blas1_body.hpp"

namespace kaname::lanes {

using device::cuda::for_each;

namespace {

template <class T>
const Quad<T>* quads(device::View<const T> x) {
    return reinterpret_cast<const Quad<T>*>(x.data());
}
template <class T>
Quad<T>* quads(device::View<T> x) {
    return reinterpret_cast<Quad<T>*>(x.data());
}
template <class T>
std::int64_t count(device::View<T> x) {
    return static_cast<std::int64_t>(x.size()) / kLanes;
}

const std::uint8_t* or_null(device::View<const std::uint8_t> owned) {
    return owned.empty() ? nullptr : owned.data();
}

}  // namespace

template <class T>
void dot_cuda(device::View<const T> x, device::View<const T> y, int width,
              device::View<const std::uint8_t> owned, LaneScalars& result, device::Queue& queue) {
    const body::Dot<T> body{quads(x), quads(y), width / kLanes, or_null(owned)};
    device::cuda::reduce<kLanes>(count(x), body, result.data(), "dot", queue);
}

void gram_cuda(device::View<const double> x, device::View<const double> y, int width,
               device::View<const std::uint8_t> owned, LaneGram& result, device::Queue& queue) {
    const body::Gram body{quads(x), quads(y), width / kLanes, or_null(owned)};
    double sums[kLanes * kLanes];
    device::cuda::reduce<kLanes * kLanes>(count(x), body, sums, "gram", queue);
    for (int k = 0; k < kLanes * kLanes; ++k) {
        result[k / kLanes][k % kLanes] = sums[k];
    }
}

void add_mixed_cuda(const LaneGram& A, device::View<const double> x, device::View<double> y,
                    device::Queue& queue) {
    body::AddMixed body{{}, quads(x), quads(y)};
    for (int k = 0; k < kLanes; ++k) {
        for (int lane = 0; lane < kLanes; ++lane) {
            body.A[k][lane] = A[k][lane];
        }
    }
    for_each(count(x), body, "add_mixed", queue);
}

template <class T>
void axpby_cuda(const LaneScalars& a, device::View<const T> x, const LaneScalars& b,
                device::View<T> y, device::Queue& queue) {
    for_each(count(x), body::Axpby<T>{body::Scalars<T>(a), body::Scalars<T>(b), quads(x), quads(y)},
             "axpby", queue);
}

void scale_to_float_cuda(const LaneScalars& a, device::View<const double> x, device::View<float> y,
                         device::Queue& queue) {
    for_each(count(x),
             body::Scale<double, float>{body::Scalars<double>(a), quads(x), quads(y)},
             "scale_to_float", queue);
}

void scale_to_double_cuda(const LaneScalars& a, device::View<const float> x, device::View<double> y,
                          device::Queue& queue) {
    for_each(count(x),
             body::Scale<float, double>{body::Scalars<double>(a), quads(x), quads(y)},
             "scale_to_double", queue);
}

void subtract_from_cuda(device::View<const float> x, device::View<float> y, device::Queue& queue) {
    for_each(count(x), body::SubtractFrom{quads(x), quads(y)}, "subtract_from", queue);
}

template <class T>
void fill_cuda(T value, device::View<T> y, device::Queue& queue) {
    for_each(count(y), body::Fill<T>{value, quads(y)}, "fill", queue);
}

template <class T>
void zero_dofs_cuda(device::View<const std::int32_t> dofs, device::View<T> x,
                    device::Queue& queue) {
    for_each(static_cast<std::int64_t>(dofs.size()), body::ZeroDofs<T>{dofs.data(), quads(x)},
             "zero_dofs", queue);
}

template <class T>
void scale_items_cuda(device::View<const T> w, device::View<T> y, device::Queue& queue) {
    for_each(count(y), body::ScaleItems<T>{w.data(), quads(y)}, "scale_items", queue);
}

template <class T>
void zero_lane_cuda(int lane, device::View<T> x, device::Queue& queue) {
    for_each(count(x), body::ZeroLane<T>{lane, quads(x)}, "zero_lane", queue);
}

#define KANAME_INSTANTIATE(T)                                                                    \
    template void dot_cuda(device::View<const T>, device::View<const T>, int,                    \
                           device::View<const std::uint8_t>, LaneScalars&, device::Queue&);      \
    template void axpby_cuda(const LaneScalars&, device::View<const T>, const LaneScalars&,      \
                             device::View<T>, device::Queue&);                                   \
    template void fill_cuda(T, device::View<T>, device::Queue&);                                 \
    template void zero_dofs_cuda(device::View<const std::int32_t>, device::View<T>,              \
                                 device::Queue&);                                                \
    template void scale_items_cuda(device::View<const T>, device::View<T>, device::Queue&);      \
    template void zero_lane_cuda(int, device::View<T>, device::Queue&);
KANAME_INSTANTIATE(float)
KANAME_INSTANTIATE(double)
#undef KANAME_INSTANTIATE

}  // namespace kaname::lanes
