// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/background_cells.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/gather.hpp"
#include "solvers/p2/multigrid/balanced_cells.hpp"

namespace kaname::multigrid {
namespace {

// Six to twelve in a cell where vertices are spread evenly, about eight on a mesh.
constexpr int kMostVertices = 12;
constexpr int kWidth = 3 * lanes::kLanes;

std::vector<std::int64_t> cell_ids(const p2::LocalMesh& mesh, comm::Comm& comm) {
    std::vector<Vec3> vertices;
    vertices.reserve(mesh.n_vertices());
    for (const std::int32_t node : mesh.vertex_node) {
        vertices.push_back(mesh.node_xyz[node]);
    }
    return balanced_cells(vertices, mesh.vertex_halo.owned_mask(), kMostVertices, comm);
}

/// Vertices by cell, ascending.
struct Members {
    std::vector<std::int32_t> ptr;     ///< [cells + 1] into vertex
    std::vector<std::int32_t> vertex;  ///< those that `counts` takes
};

template <class Counts>
Members members(const std::vector<std::int32_t>& cell_of, std::int32_t n_cells, Counts counts) {
    Members result;
    result.ptr.assign(n_cells + 1, 0);
    const auto n_vertices = static_cast<std::int32_t>(cell_of.size());
    for (std::int32_t v = 0; v < n_vertices; ++v) {
        result.ptr[cell_of[v] + 1] += counts(v) ? 1 : 0;
    }
    std::partial_sum(result.ptr.begin(), result.ptr.end(), result.ptr.begin());
    result.vertex.resize(result.ptr.back());
    std::vector<std::int32_t> next(result.ptr.begin(), result.ptr.end() - 1);
    for (std::int32_t v = 0; v < n_vertices; ++v) {
        if (counts(v)) {
            result.vertex[next[cell_of[v]]++] = v;
        }
    }
    return result;
}

}  // namespace

BackgroundCells::BackgroundCells(const p2::LocalMesh& mesh, comm::Comm& comm,
                                 device::Queue& queue) {
    const std::vector<std::int64_t> ids = cell_ids(mesh, comm);
    std::vector<std::int64_t> gid = ids;
    std::ranges::sort(gid);
    gid.erase(std::unique(gid.begin(), gid.end()), gid.end());
    for (const std::int64_t id : ids) {
        cell_of_.push_back(
            static_cast<std::int32_t>(std::ranges::lower_bound(gid, id) - gid.begin()));
    }
    n_cells_ = static_cast<std::int32_t>(gid.size());
    halo_ = comm::Halo(comm, gid);
    const Members owned =
        members(cell_of_, n_cells_, [&](std::int32_t v) { return mesh.vertex_halo.owned(v); });
    std::vector<double> count;
    for (std::int32_t cell = 0; cell < n_cells_; ++cell) {
        count.push_back(owned.ptr[cell + 1] - owned.ptr[cell]);
    }
    halo_.sum(std::span<double>(count), 1);
    std::int64_t owned_cells = 0;
    std::vector<float> one_over_count;
    for (std::int32_t cell = 0; cell < n_cells_; ++cell) {
        one_over_count.insert(one_over_count.end(), 3, static_cast<float>(1.0 / count[cell]));
        owned_cells += halo_.owned(cell) ? 1 : 0;
    }
    n_global_ = comm.sum(owned_cells);
    halo_sum_.emplace(halo_, queue);
    cell_of_vertex_ = {std::span<const std::int32_t>(cell_of_), queue};
    ptr_ = {std::span<const std::int32_t>(owned.ptr), queue};
    members_ = {std::span<const std::int32_t>(owned.vertex), queue};
    one_over_count_ = {std::span<const float>(one_over_count), queue};
}

BlockMatrix BackgroundCells::coarse(const BlockMatrix& A) const {
    const Members all = members(cell_of_, n_cells_, [](std::int32_t) { return true; });
    BlockMatrix result;
    result.n_cols = n_cells_;
    const int size = A.block_size();
    // Of a column: where its block of the current row stands in the result.
    std::vector<std::int64_t> place(n_cells_, -1);
    for (std::int32_t cell = 0; cell < n_cells_; ++cell) {
        const auto begin = static_cast<std::int64_t>(result.col.size());
        const auto each_entry = [&](auto&& visit) {
            for (std::int32_t m = all.ptr[cell]; m < all.ptr[cell + 1]; ++m) {
                const std::int32_t row = all.vertex[m];
                for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
                    visit(cell_of_[A.col[k]], A.val.data() + k * size);
                }
            }
        };
        each_entry([&](std::int32_t column, const double*) {
            if (place[column] < begin) {
                place[column] = static_cast<std::int64_t>(result.col.size());
                result.col.push_back(column);
            }
        });
        std::sort(result.col.begin() + begin, result.col.end());
        const auto end = static_cast<std::int64_t>(result.col.size());
        for (std::int64_t k = begin; k < end; ++k) {
            place[result.col[k]] = k;
        }
        result.val.resize(end * size, 0.0);
        each_entry([&](std::int32_t column, const double* block) {
            double* sum = result.val.data() + place[column] * size;
            std::transform(block, block + size, sum, sum, std::plus<>());
        });
        result.row_ptr.push_back(end);
    }
    return result;
}

void BackgroundCells::restrict_to(device::View<const float> r, device::View<float> out,
                                  device::Queue& queue) {
    lanes::sum_items<float>(ptr_, members_, r, out, queue);
    halo_sum_->sum(out, kWidth, queue);
}

void BackgroundCells::average(device::View<const float> x, device::View<float> out,
                              device::Queue& queue) {
    restrict_to(x, out, queue);
    lanes::scale_items<float>(one_over_count_, out, queue);
}

void BackgroundCells::prolong(device::View<const float> v, device::View<float> x,
                              device::Queue& queue) const {
    lanes::gather_items<float>(cell_of_vertex_, kWidth, v, x, queue);
}

}  // namespace kaname::multigrid
