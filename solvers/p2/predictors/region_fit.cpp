// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/region_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/p2/predictors/region_fit_body.hpp"

namespace kaname::predictors {

using lanes::kLanes;

void fit_sketches(const SketchFitArgs& args, device::Queue& queue) {
    if (args.buckets < 1 || args.buckets > kMostBuckets || args.n_x < 0 ||
        args.n_x > lanes::HistorySum::kMostTerms) {
        throw Error(ErrorCode::InvalidArgument,
                    "fit_sketches: takes 1 to 1024 buckets and up to 16 second differences, got " +
                        std::to_string(args.buckets) + " and " + std::to_string(args.n_x));
    }
    if (args.a.size() < std::size_t(args.columns()) * kLanes) {
        throw Error(ErrorCode::InvalidArgument, "fit_sketches: a must be [columns][4]");
    }
    device::note(queue, fit_work(args.buckets, args.columns(), kLanes));
    KANAME_DISPATCH(queue, fit_sketches, args)
}

void fit_sketches_cpu(const SketchFitArgs& args) {
    const std::size_t rows = args.buckets;
    const std::size_t n_columns = args.columns();
#pragma omp parallel for schedule(static, 1)
    for (int lane = 0; lane < kLanes; ++lane) {
        std::vector<double> X(n_columns * rows);
        std::vector<double> a(n_columns);
        std::vector<double> b(rows);
        const std::size_t first = lane * rows;
        for (std::size_t row = 0; row < rows; ++row) {
            b[row] = args.b[row * kLanes + lane];
            X[row] = args.newest[first + row];
            if (n_columns > 1) {
                X[rows + row] = X[row] - args.before[first + row];
            }
        }
        for (std::size_t column = 2; column < n_columns; ++column) {
            std::copy_n(args.x[column - 2] + first, rows, X.data() + column * rows);
        }
        truncated_fit(X, b, args.drop, a);
        for (std::size_t column = 0; column < n_columns; ++column) {
            args.a[column * kLanes + lane] = a[column];
        }
    }
}

void keep_image(const KeepImageArgs& args, device::Queue& queue) {
    if (args.before.size() != std::size_t(args.buckets) * kLanes) {
        throw Error(ErrorCode::InvalidArgument, "keep_image: images must be [4][buckets]");
    }
    KANAME_DISPATCH(queue, keep_image, args)
}

void keep_image_cpu(const KeepImageArgs& args) {
    const body::KeepImage keep{args, args.before.data()};
    for (std::size_t i = 0; i < args.before.size(); ++i) {
        keep(static_cast<std::int64_t>(i));
    }
}

namespace {

double dot(const double* x, const double* y, std::size_t n) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// y -= c x
void subtract(double c, const double* x, double* y, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
        y[i] -= c * x[i];
    }
}

}  // namespace

int truncated_fit(std::span<double> X, std::span<double> b, double drop, std::span<double> a) {
    const std::size_t rows = b.size();
    const std::size_t n_columns = a.size();
    std::fill(a.begin(), a.end(), 0.0);
    std::vector<std::size_t> kept;
    std::vector<double> R(n_columns * n_columns, 0.0);  // [kept][column]
    std::vector<double> c;
    for (std::size_t j = 0; j < n_columns; ++j) {
        double* x = X.data() + j * rows;
        const double original = std::sqrt(dot(x, x, rows));
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const double* q = X.data() + kept[k] * rows;
            R[k * n_columns + j] = dot(q, x, rows);
            subtract(R[k * n_columns + j], q, x, rows);
        }
        const double norm = std::sqrt(dot(x, x, rows));
        if (!(norm > drop * original)) {
            continue;
        }
        std::transform(x, x + rows, x, [norm](double v) { return v / norm; });
        R[kept.size() * n_columns + j] = norm;
        kept.push_back(j);
        c.push_back(dot(x, b.data(), rows));
        subtract(c.back(), x, b.data(), rows);
    }
    for (std::size_t k = kept.size(); k-- > 0;) {
        double value = c[k];
        for (std::size_t l = k + 1; l < kept.size(); ++l) {
            value -= R[k * n_columns + kept[l]] * a[kept[l]];
        }
        a[kept[k]] = value / R[k * n_columns + kept[k]];
    }
    return static_cast<int>(kept.size());
}

using lanes::kLanes;

std::int32_t Subdomains::most_dofs() const {
    std::int32_t most = 0;
    for (std::int32_t d = 0; d < size(); ++d) {
        most = std::max(most, 3 * (ptr[d + 1] - ptr[d]));
    }
    return most;
}

RegionLists::RegionLists(const Subdomains& subdomains, std::size_t n_nodes, device::Queue& queue)
    : size(subdomains.size()),
      ptr(std::span(subdomains.ptr), queue),
      node(std::span(subdomains.node), queue) {
    std::vector<std::int32_t> of(n_nodes, -1);
    for (std::int32_t d = 0; d < size; ++d) {
        for (std::int32_t k = subdomains.ptr[d]; k < subdomains.ptr[d + 1]; ++k) {
            of[subdomains.node[k]] = d;
        }
    }
    region_of = {std::span<const std::int32_t>(of), queue};
}

void require_fit_shape(int rows, int columns) {
    if (columns < 1 || columns > kMostFitColumns || rows < columns || rows > kMostFitRows) {
        throw Error(ErrorCode::InvalidArgument,
                    "a data-driven fit has 1 to 16 columns and at least as many rows, up to 256; "
                    "got " +
                        std::to_string(columns) + " columns and " + std::to_string(rows) + " rows");
    }
}

std::size_t compress_partials(std::int32_t regions, std::int32_t most_dofs, int rows,
                              const device::Queue& queue) {
    if (queue.backend() == device::Backend::Cpu) {
        return 0;
    }
    const body::CompressPlan plan(regions, rows, most_dofs / 3);
    return std::size_t(plan.pieces) * regions * rows * kLanes;
}

void compress_regions(const CompressArgs& args, device::Queue& queue) {
    require_fit_shape(args.rows, 1);
    const auto most_dofs = static_cast<std::int32_t>(args.Q.size() / args.rows);
    if (args.partial.size() < compress_partials(args.regions.size, most_dofs, args.rows, queue)) {
        throw Error(ErrorCode::InvalidArgument,
                    "compress_regions: partial has less than compress_partials numbers");
    }
    if (args.out.size() != std::size_t(args.regions.size) * args.rows * kLanes) {
        throw Error(ErrorCode::InvalidArgument, "compress_regions: out must be [regions][rows][4]");
    }
    // The signs, the same for all regions, count once; sums are FP64.
    const auto n = static_cast<double>(args.x.size());
    device::note(queue, device::Work::of<double>(
                            4.0 * (n + static_cast<double>(args.Q.size() + args.out.size() +
                                                           args.regions.node.size())),
                            2.0 * args.rows * n));
    KANAME_DISPATCH(queue, compress_regions, args)
}

void fit_regions(const FitArgs& args, device::Queue& queue) {
    require_fit_shape(args.rows, args.columns);
    if (args.a.size() < std::size_t(args.regions) * args.columns * kLanes) {
        throw Error(ErrorCode::InvalidArgument, "fit_regions: a must be [regions][columns][4]");
    }
    device::note(queue, fit_work(args.rows, args.columns, args.regions * kLanes));
    KANAME_DISPATCH(queue, fit_regions, args)
}

void sum_fit(const SumFitArgs& args, device::Queue& queue) {
    require_fit_shape(kMostFitRows, args.columns);
    if (args.du.size() != args.regions.region_of.size() * 3 * kLanes) {
        throw Error(ErrorCode::InvalidArgument, "sum_fit: du must be [nodes][3][4]");
    }
    const auto n = static_cast<double>(args.du.size());
    device::note(queue, device::Work::of<double>(
                            (4.0 * args.columns + 24.0) * n + 4.0 * args.regions.region_of.size(),
                            2.0 * (args.columns + 1) * n));
    body::SumFit<> sum{args.regions.region_of.data(),
                       args.columns,
                       args.a.data(),
                       args.newest,
                       args.before,
                       {},
                       args.du.data()};
    std::copy_n(args.x, args.columns, sum.x);
    lanes::for_each(queue, static_cast<std::int64_t>(args.regions.region_of.size()), sum);
}

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
