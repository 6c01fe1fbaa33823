// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/lanes/lane_count.hpp"

/// The three kernels of DataDriven: compress the newest column, fit, sum the fit. All arrays lie in
/// the queue's memory and stay there: a step reads nothing back. Vectors are [nodes][3][4].
namespace kaname::predictors {

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
