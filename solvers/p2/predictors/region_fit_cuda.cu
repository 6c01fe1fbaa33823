// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/for_each.cuh"
#include "solvers/p2/predictors/fit_by_block.cuh"
#include "solvers/p2/predictors/region_fit_body.hpp"

namespace kaname::predictors {

using lanes::kLanes;

namespace {

/// FitArgs without the view.
struct FitColumns {
    int rows, columns;
    double drop;
    const float* column[kMostFitColumns + 1];  ///< b is the last of `columns` + 1
};

/// A block per region and lane.
template <int R>
__global__ void __launch_bounds__(fit_threads(kMostFitColumns), 2)
    fit_kernel(FitColumns fit, double* a) {
    extern __shared__ double shared[];
    const std::int64_t region = blockIdx.x / kLanes;
    const int lane = blockIdx.x % kLanes;
    const auto load = [&](int k, double(&x)[R]) {
        load_column(fit.column[k] + region * fit.rows * kLanes + lane, kLanes, fit.rows, x);
    };
    fit_by_block<R>(load, fit.columns, fit.drop, shared, a + region * fit.columns * kLanes + lane);
}

template <int R>
void launch_fit(const FitColumns& fit, const FitArgs& args, device::Queue& queue) {
    fit_kernel<R><<<args.regions * kLanes, fit_threads(fit.columns),
                    fit_shared_bytes<R>(fit.columns), queue.stream().stream>>>(fit, args.a.data());
    device::cuda::check(cudaGetLastError(), "fit_regions");
}

}  // namespace

void fit_regions_cuda(const FitArgs& args, device::Queue& queue) {
    if (args.regions == 0) {
        return;
    }
    FitColumns fit{args.rows, args.columns, args.drop, {}};
    for (int k = 0; k < args.columns; ++k) {
        fit.column[k] = args.X[k];
    }
    fit.column[args.columns] = args.b;
    constexpr int kUsual = 4;  // 128 rows
    constexpr int kMost = kMostFitRows / kFitWarp;
    if (args.rows <= kUsual * kFitWarp) {
        launch_fit<kUsual>(fit, args, queue);
    } else {
        launch_fit<kMost>(fit, args, queue);
    }
}

}  // namespace kaname::predictors

namespace kaname::lanes {

KANAME_FOR_EACH_CUDA(predictors::body::SumFit<>)

}  // namespace kaname::lanes
