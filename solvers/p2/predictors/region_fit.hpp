// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/device/hd.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/lanes.hpp"

/// Projection fits its sketches by these functions. Sketches lie in the queue's memory and stay
/// there: images as [4][buckets], sketches of vectors as linalg::Sketch leaves them, [buckets][4].
namespace kaname::predictors {

/// Rows of a sketch that a fit takes: what the threads of a GPU's block hold in registers.
inline constexpr int kMostBuckets = 1024;

/// a [columns][4] = argmin ||X a - b|| of every lane, as truncated_fit does it; the columns of X:
/// newest, newest - before, x[0] .. x[n_x - 1].
struct SketchFitArgs {
    int buckets;
    double drop;
    const double* b;  ///< [buckets][4]
    const double* newest;
    const double* before;  ///< null: no such column, and no x
    int n_x;
    const double* x[lanes::HistorySum::kMostTerms];
    device::View<double> a;
    [[nodiscard]] KANAME_HD int columns() const { return before != nullptr ? 2 + n_x : 1; }
};
void fit_sketches(const SketchFitArgs& args, device::Queue& queue);
void fit_sketches_cpu(const SketchFitArgs& args);
void fit_sketches_cuda(const SketchFitArgs& args, device::Queue& queue);

/// The image f - r of an increment in place of `before`, and x = image - 2 newest + before.
struct KeepImageArgs {
    int buckets;
    const double* f;  ///< [buckets][4]
    const double* r;  ///< [buckets][4]
    const double* newest;
    device::View<double> before;
    double* x;  ///< null: there is none yet
};
void keep_image(const KeepImageArgs& args, device::Queue& queue);
void keep_image_cpu(const KeepImageArgs& args);
void keep_image_cuda(const KeepImageArgs& args, device::Queue& queue);

/// a = argmin ||X a - b|| by modified Gram-Schmidt over the columns of X [n_columns][rows] in
/// order. A column whose norm falls to `drop` of its original during the orthogonalisation carries
/// only noise: it is left out, and its coefficient is zero (docs/theory/viscoelastic.md). b and X
/// are overwritten. a [n_columns]. Returns the number of columns kept.
int truncated_fit(std::span<double> X, std::span<double> b, double drop, std::span<double> a);

/// Returns the work of `fits` fits whose columns all stay and are in FP32: two passes of 2 m flop
/// over each pair of columns, the right-hand side one of them.
[[nodiscard]] inline device::Work fit_work(double rows, double columns, double fits) {
    return {4.0 * rows * (columns + 1.0) * fits, 0.0,
            2.0 * rows * columns * (columns + 1.0) * fits};
}

/// The three kernels of DataDriven: compress the newest column, fit, sum the fit. All arrays lie in
/// the queue's memory and stay there: a step reads nothing back. Vectors are [nodes][3][4].

/// Nodes of each subdomain: node[ptr[d]] .. node[ptr[d + 1] - 1]; every owned node in one of them.
struct Subdomains {
    std::vector<std::int32_t> ptr = {0};
    std::vector<std::int32_t> node;
    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(ptr.size()) - 1; }
    /// Degrees of freedom of the largest subdomain.
    [[nodiscard]] std::int32_t most_dofs() const;
};

/// Subdomains in the memory of a queue, and [nodes] the subdomain of each node, -1: none.
struct RegionLists {
    RegionLists(const Subdomains& subdomains, std::size_t n_nodes, device::Queue& queue);
    std::int32_t size;
    device::Buffer<std::int32_t> ptr, node, region_of;
};

/// These are the largest fits for which a GPU has threads in a block and shared memory.
inline constexpr int kMostFitColumns = 16;
inline constexpr int kMostFitRows = 256;

/// out [regions][rows][4] = Q x over the nodes of each region; sums in FP64.
///   Q [most_dofs][rows], the same for all regions
struct CompressArgs {
    const RegionLists& regions;
    device::View<const float> Q;
    int rows;
    device::View<const float> x;
    device::View<float> out;
    device::View<double> partial;  ///< GPU: scratch, see below
};
void compress_regions(const CompressArgs& args, device::Queue& queue);
/// Numbers of `partial` on that queue, for regions of at most so many degrees of freedom; 0 on a
/// CPU.
[[nodiscard]] std::size_t compress_partials(std::int32_t regions, std::int32_t most_dofs, int rows,
                                            const device::Queue& queue);

/// a [regions][columns][4] = argmin ||X a - b|| of every region and lane, as truncated_fit does it;
/// b and the columns X[k] are compressed: [regions][rows][4].
struct FitArgs {
    std::int32_t regions;
    int rows;
    int columns;
    double drop;
    const float* b;
    const float* X[kMostFitColumns];
    device::View<double> a;
};
void fit_regions(const FitArgs& args, device::Queue& queue);

/// du = 2 newest - before + sum_k a_k x_k, a of the node's region; du = 0 at nodes of no region.
struct SumFitArgs {
    const RegionLists& regions;
    int columns;
    device::View<const double> a;
    const double* newest;
    const double* before;
    const float* x[kMostFitColumns];
    device::View<double> du;
};
void sum_fit(const SumFitArgs& args, device::Queue& queue);

/// Throws InvalidArgument when a fit of that shape is not possible.
void require_fit_shape(int rows, int columns);

void compress_regions_cpu(const CompressArgs& args);
void fit_regions_cpu(const FitArgs& args);
void compress_regions_cuda(const CompressArgs& args, device::Queue& queue);
void fit_regions_cuda(const FitArgs& args, device::Queue& queue);

}  // namespace kaname::predictors
