// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "solvers/p2/predictors/region_fit.hpp"
#include "solvers/p2/predictors/truncated_fit.hpp"

namespace kaname::predictors {

using lanes::kLanes;

namespace {
constexpr int kWidth = 3 * kLanes;
}

void compress_regions_cpu(const CompressArgs& args) {
    const std::size_t m = args.rows;
    const auto& regions = args.regions;
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int32_t d = 0; d < regions.size; ++d) {
        std::vector<double> sum(kLanes * m, 0.0);
        const float* q = args.Q.data();
        for (std::int32_t k = regions.ptr[d]; k < regions.ptr[d + 1]; ++k) {
            const float* u = args.x.data() + std::size_t(regions.node[k]) * kWidth;
            for (int comp = 0; comp < 3; ++comp, q += m) {
                for (int lane = 0; lane < kLanes; ++lane) {
                    const double v = u[comp * kLanes + lane];
                    double* row = sum.data() + lane * m;
#pragma omp simd
                    for (std::size_t i = 0; i < m; ++i) {
                        row[i] += v * static_cast<double>(q[i]);
                    }
                }
            }
        }
        float* out = args.out.data() + std::size_t(d) * m * kLanes;
        for (std::size_t i = 0; i < m * kLanes; ++i) {
            out[i] = static_cast<float>(sum[i % kLanes * m + i / kLanes]);
        }
    }
}

void fit_regions_cpu(const FitArgs& args) {
    const std::size_t m = args.rows;
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int32_t d = 0; d < args.regions; ++d) {
        std::vector<double> X(args.columns * m);
        std::vector<double> b(m);
        std::vector<double> a(args.columns);
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::size_t at = std::size_t(d) * m * kLanes + lane;
            for (std::size_t i = 0; i < m; ++i) {
                b[i] = args.b[at + i * kLanes];
                for (int k = 0; k < args.columns; ++k) {
                    X[k * m + i] = args.X[k][at + i * kLanes];
                }
            }
            truncated_fit(X, b, args.drop, a);
            for (int k = 0; k < args.columns; ++k) {
                args.a[(std::size_t(d) * args.columns + k) * kLanes + lane] = a[k];
            }
        }
    }
}

}  // namespace kaname::predictors
