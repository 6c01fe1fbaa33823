// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>

#include "solvers/p2/predictors/region_fit.hpp"
#include "solvers/p2/predictors/truncated_fit.hpp"

namespace kaname::predictors {

using lanes::kLanes;

namespace {

// Nodes of a region that one thread compresses: there may be fewer regions than threads.
constexpr std::int32_t kPieceNodes = 2048;

/// Nodes begin .. end - 1 of a region's list.
struct Piece {
    std::int32_t region;
    std::int32_t begin, end;
};

std::vector<Piece> pieces(const RegionLists& regions) {
    std::vector<Piece> result;
    for (std::int32_t d = 0; d < regions.size; ++d) {
        for (std::int32_t k = regions.ptr[d]; k < regions.ptr[d + 1]; k += kPieceNodes) {
            result.push_back({d, k, std::min(k + kPieceNodes, regions.ptr[d + 1])});
        }
    }
    return result;
}

/// sum [4][rows] = Q x over the nodes of a piece.
void compress(const CompressArgs& args, const Piece& piece, double* sum) {
    const std::size_t m = args.rows;
    std::fill_n(sum, kLanes * m, 0.0);
    const std::int32_t first = piece.begin - args.regions.ptr[piece.region];
    const float* q = args.Q.data() + std::size_t(first) * 3 * m;
    for (std::int32_t k = piece.begin; k < piece.end; ++k) {
        const float* u = args.x.data() + std::size_t(args.regions.node[k]) * lanes::kVectorWidth;
        for (int comp = 0; comp < 3; ++comp, q += m) {
            for (int lane = 0; lane < kLanes; ++lane) {
                const double v = u[comp * kLanes + lane];
                double* row = sum + lane * m;
#pragma omp simd
                for (std::size_t i = 0; i < m; ++i) {
                    row[i] += v * static_cast<double>(q[i]);
                }
            }
        }
    }
}

}  // namespace

void compress_regions_cpu(const CompressArgs& args) {
    const std::size_t m = args.rows;
    const std::vector<Piece> parts = pieces(args.regions);
    std::vector<double> sums(parts.size() * kLanes * m);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t p = 0; p < parts.size(); ++p) {
        compress(args, parts[p], sums.data() + p * kLanes * m);
    }
    std::size_t p = 0;
    std::vector<double> sum(kLanes * m);
    for (std::int32_t d = 0; d < args.regions.size; ++d) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (; p < parts.size() && parts[p].region == d; ++p) {
            const double* part = sums.data() + p * kLanes * m;
            std::transform(part, part + kLanes * m, sum.begin(), sum.begin(), std::plus<>());
        }
        float* out = args.out.data() + std::size_t(d) * m * kLanes;
        for (std::size_t i = 0; i < m * kLanes; ++i) {
            out[i] = static_cast<float>(sum[i % kLanes * m + i / kLanes]);
        }
    }
}

void fit_regions_cpu(const FitArgs& args) {
    const std::size_t m = args.rows;
#pragma omp parallel for schedule(dynamic)
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
