// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/blas1_cpu.hpp"

#include <algorithm>
#include <vector>

#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes {
namespace {

// Partial sums over fixed chunks, added in order: the same result for any number of threads.
constexpr std::int64_t kChunkItems = 2048;

template <class T = double>
Lanes<T> lanes_of_scalars(const LaneScalars& a) {
    return __builtin_convertvector(load_lanes(a.data()), Lanes<T>);
}

}  // namespace

template <class T>
void dot_cpu(device::View<const T> x, device::View<const T> y, int width,
             device::View<const std::uint8_t> owned, LaneScalars& result) {
    const auto items = static_cast<std::int64_t>(x.size()) / width;
    const std::int64_t chunks = (items + kChunkItems - 1) / kChunkItems;
    std::vector<LaneScalars> partial(chunks);
#pragma omp parallel for schedule(static)
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        Lanes<double> sum = {};
        const std::int64_t end = std::min((chunk + 1) * kChunkItems, items);
        for (std::int64_t item = chunk * kChunkItems; item < end; ++item) {
            if (!owned.empty() && owned[item] == 0) {
                continue;
            }
            for (int k = 0; k < width; k += kLanes) {
                sum +=
                    __builtin_convertvector(load_lanes(x.data() + item * width + k),
                                            Lanes<double>) *
                    __builtin_convertvector(load_lanes(y.data() + item * width + k), Lanes<double>);
            }
        }
        store_lanes(partial[chunk].data(), sum);
    }
    result = {};
    for (const LaneScalars& part : partial) {
        for (int lane = 0; lane < kLanes; ++lane) {
            result[lane] += part[lane];
        }
    }
}

void gram_cpu(device::View<const double> x, device::View<const double> y, int width,
              device::View<const std::uint8_t> owned, LaneGram& result) {
    const auto items = static_cast<std::int64_t>(x.size()) / width;
    const std::int64_t chunks = (items + kChunkItems - 1) / kChunkItems;
    std::vector<LaneGram> partial(chunks);
#pragma omp parallel for schedule(static)
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        Lanes<double> sum[kLanes] = {};
        const std::int64_t end = std::min((chunk + 1) * kChunkItems, items);
        for (std::int64_t item = chunk * kChunkItems; item < end; ++item) {
            if (!owned.empty() && owned[item] == 0) {
                continue;
            }
            for (int k = 0; k < width; k += kLanes) {
                const Lanes<double> ys = load_lanes(y.data() + item * width + k);
                for (int lane = 0; lane < kLanes; ++lane) {
                    sum[lane] += x[item * width + k + lane] * ys;
                }
            }
        }
        for (int lane = 0; lane < kLanes; ++lane) {
            store_lanes(partial[chunk][lane].data(), sum[lane]);
        }
    }
    result = {};
    for (const LaneGram& part : partial) {
        for (int a = 0; a < kLanes; ++a) {
            for (int b = 0; b < kLanes; ++b) {
                result[a][b] += part[a][b];
            }
        }
    }
}

void add_mixed_cpu(const LaneGram& A, device::View<const double> x, device::View<double> y) {
    Lanes<double> rows[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        rows[lane] = load_lanes(A[lane].data());
    }
    const auto n = static_cast<std::int64_t>(x.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i += kLanes) {
        Lanes<double> value = load_lanes(y.data() + i);
        for (int lane = 0; lane < kLanes; ++lane) {
            value += x[i + lane] * rows[lane];
        }
        store_lanes(y.data() + i, value);
    }
}

template <class T>
void axpby_cpu(const LaneScalars& a, device::View<const T> x, const LaneScalars& b,
               device::View<T> y) {
    const Lanes<T> va = lanes_of_scalars<T>(a);
    const Lanes<T> vb = lanes_of_scalars<T>(b);
    const auto n = static_cast<std::int64_t>(x.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i += kLanes) {
        const Lanes<T> kept = vb != Lanes<T>{} ? vb * load_lanes(y.data() + i) : Lanes<T>{};
        store_lanes(y.data() + i, va * load_lanes(x.data() + i) + kept);
    }
}

void scale_to_float_cpu(const LaneScalars& a, device::View<const double> x, device::View<float> y) {
    const Lanes<double> va = lanes_of_scalars(a);
    const auto n = static_cast<std::int64_t>(x.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i += kLanes) {
        store_lanes(y.data() + i,
                    __builtin_convertvector(va * load_lanes(x.data() + i), Lanes<float>));
    }
}

void scale_to_double_cpu(const LaneScalars& a, device::View<const float> x,
                         device::View<double> y) {
    const Lanes<double> va = lanes_of_scalars(a);
    const auto n = static_cast<std::int64_t>(x.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i += kLanes) {
        store_lanes(y.data() + i,
                    va * __builtin_convertvector(load_lanes(x.data() + i), Lanes<double>));
    }
}

void subtract_from_cpu(device::View<const float> x, device::View<float> y) {
    const auto n = static_cast<std::int64_t>(x.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i += kLanes) {
        store_lanes(y.data() + i, load_lanes(x.data() + i) - load_lanes(y.data() + i));
    }
}

template <class T>
void fill_cpu(T value, device::View<T> y) {
    const auto n = static_cast<std::int64_t>(y.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        y[i] = value;
    }
}

template <class T>
void zero_dofs_cpu(device::View<const std::int32_t> dofs, device::View<T> x) {
    for (const std::int32_t dof : dofs) {
        store_lanes(x.data() + static_cast<std::size_t>(dof) * kLanes, Lanes<T>{});
    }
}

template <class T>
void scale_items_cpu(device::View<const T> w, device::View<T> y) {
    const auto n = static_cast<std::int64_t>(w.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        store_lanes(y.data() + i * kLanes, w[i] * load_lanes(y.data() + i * kLanes));
    }
}

template <class T>
void zero_lane_cpu(int lane, device::View<T> x) {
    for (std::size_t i = lane; i < x.size(); i += kLanes) {
        x[i] = 0;
    }
}

template void dot_cpu(device::View<const float>, device::View<const float>, int,
                      device::View<const std::uint8_t>, LaneScalars&);
template void dot_cpu(device::View<const double>, device::View<const double>, int,
                      device::View<const std::uint8_t>, LaneScalars&);
template void axpby_cpu(const LaneScalars&, device::View<const float>, const LaneScalars&,
                        device::View<float>);
template void axpby_cpu(const LaneScalars&, device::View<const double>, const LaneScalars&,
                        device::View<double>);
template void fill_cpu(float, device::View<float>);
template void fill_cpu(double, device::View<double>);
template void zero_dofs_cpu(device::View<const std::int32_t>, device::View<float>);
template void zero_dofs_cpu(device::View<const std::int32_t>, device::View<double>);
template void scale_items_cpu(device::View<const float>, device::View<float>);
template void scale_items_cpu(device::View<const double>, device::View<double>);
template void zero_lane_cpu(int, device::View<float>);
template void zero_lane_cpu(int, device::View<double>);

}  // namespace kaname::lanes
