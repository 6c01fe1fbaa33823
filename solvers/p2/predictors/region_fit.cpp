// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/region_fit.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/p2/predictors/region_fit_body.hpp"
#include "solvers/p2/predictors/truncated_fit.hpp"

namespace kaname::predictors {

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

}  // namespace kaname::predictors
