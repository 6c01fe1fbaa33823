// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/reduce.cuh"
#include "solvers/device/probe.hpp"
#include "solvers/device/probe_body.hpp"

namespace kaname::device {
namespace {

struct Fill {
    float* x32;
    double* x64;
    __device__ void operator()(std::int64_t i) const {
        x32[i] = probe_value<float>(i);
        x64[i] = probe_value<double>(i);
    }
};

struct Sum {
    const float* x32;
    const double* x64;
    __device__ void operator()(std::int64_t i, double (&sum)[2]) const {
        sum[0] += x32[i];
        sum[1] += x64[i];
    }
};

}  // namespace

void probe_sums_cuda(const ProbeArgs& args, Queue& queue) {
    cuda::for_each(args.n, Fill{args.x32.data(), args.x64.data()}, "probe: fill", queue);
    cuda::reduce<2>(args.n, Sum{args.x32.data(), args.x64.data()}, args.sums->data(), "probe: sum",
                    queue);
}

}  // namespace kaname::device
