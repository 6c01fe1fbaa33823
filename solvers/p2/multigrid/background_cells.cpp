// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/background_cells.hpp"

#include <algorithm>

#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/gather.hpp"
#include "solvers/p2/multigrid/balanced_cells.hpp"
#include "solvers/parallel/incidence.hpp"

namespace kaname::multigrid {
namespace {

// Six to twelve in a cell where vertices are spread evenly, about eight on a mesh.
constexpr int kMostVertices = 12;

std::vector<std::int64_t> cell_ids(const p2::LocalMesh& mesh, comm::Comm& comm) {
    std::vector<Vec3> vertices;
    vertices.reserve(mesh.n_vertices());
    for (const std::int32_t node : mesh.vertex_node) {
        vertices.push_back(mesh.node_xyz[node]);
    }
    return balanced_cells(vertices, mesh.vertex_halo.owned_mask(), kMostVertices, comm);
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
    const Incidence owned = incidence(mesh.n_vertices(), n_cells_, [&](std::int64_t v) {
        return mesh.vertex_halo.owned(static_cast<std::int32_t>(v)) ? cell_of_[v] : -1;
    });
    const std::vector<std::int32_t> ptr(owned.first.begin(), owned.first.end());
    std::vector<double> count;
    for (std::int32_t cell = 0; cell < n_cells_; ++cell) {
        count.push_back(ptr[cell + 1] - ptr[cell]);
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
    ptr_ = {std::span<const std::int32_t>(ptr), queue};
    members_ = {std::span<const std::int32_t>(owned.place), queue};
    one_over_count_ = {std::span<const float>(one_over_count), queue};
}

BlockMatrix BackgroundCells::coarse(const BlockMatrix& A) const {
    constexpr std::int64_t kCells = 64;
    const Incidence members =
        incidence(A.n_rows(), n_cells_, [&](std::int64_t row) { return cell_of_[row]; });
    BlockMatrix result;
    result.n_cols = n_cells_;
    result.row_ptr.assign(n_cells_ + 1, 0);
    struct Row {
        std::vector<std::int32_t> place;  ///< [cells] -1 where the row has no block
        std::vector<std::int32_t> columns;
    };
    const auto make_row = [&] { return Row{std::vector<std::int32_t>(n_cells_, -1), {}}; };
    const auto find_columns = [&](std::int64_t cell, Row& row) {
        for (const std::int32_t column : row.columns) {
            row.place[column] = -1;
        }
        row.columns.clear();
        for (const std::int32_t vertex : members.of(cell)) {
            for (std::int64_t k = A.row_ptr[vertex]; k < A.row_ptr[vertex + 1]; ++k) {
                const std::int32_t column = cell_of_[A.col[k]];
                if (row.place[column] < 0) {
                    row.place[column] = 0;
                    row.columns.push_back(column);
                }
            }
        }
    };
    parallel_ranges(n_cells_, kCells, make_row, [&](auto begin, auto end, Row& row) {
        for (std::int64_t cell = begin; cell < end; ++cell) {
            find_columns(cell, row);
            result.row_ptr[cell] = std::ssize(row.columns);
        }
    });
    result.col.resize(exclusive_sum(std::span(result.row_ptr)));
    result.val.resize(result.col.size() * A.block_size());
    parallel_ranges(n_cells_, kCells, make_row, [&](auto begin, auto end, Row& row) {
        for (std::int64_t cell = begin; cell < end; ++cell) {
            find_columns(cell, row);
            std::sort(row.columns.begin(), row.columns.end());
            for (std::size_t at = 0; at < row.columns.size(); ++at) {
                row.place[row.columns[at]] = static_cast<std::int32_t>(at);
                result.col[result.row_ptr[cell] + at] = row.columns[at];
            }
            for (const std::int32_t vertex : members.of(cell)) {
                for (std::int64_t k = A.row_ptr[vertex]; k < A.row_ptr[vertex + 1]; ++k) {
                    const std::int64_t at = result.row_ptr[cell] + row.place[cell_of_[A.col[k]]];
                    for (int i = 0; i < A.block_size(); ++i) {
                        result.val[at * A.block_size() + i] += A.val[k * A.block_size() + i];
                    }
                }
            }
        }
    });
    return result;
}

void BackgroundCells::restrict_to(device::View<const float> r, device::View<float> out,
                                  device::Queue& queue) {
    lanes::sum_items<float>(ptr_, members_, r, out, queue);
    halo_sum_->sum(out, lanes::kVectorWidth, queue);
}

void BackgroundCells::average(device::View<const float> x, device::View<float> out,
                              device::Queue& queue) {
    restrict_to(x, out, queue);
    lanes::scale_items<float>(one_over_count_, out, queue);
}

void BackgroundCells::prolong(device::View<const float> v, device::View<float> x,
                              device::Queue& queue) const {
    lanes::gather_items<float>(cell_of_vertex_, lanes::kVectorWidth, v, x, queue);
}

}  // namespace kaname::multigrid
