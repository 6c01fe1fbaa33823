// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/background_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/gather.hpp"
#include "solvers/parallel/incidence.hpp"

namespace kaname::multigrid {
namespace {

constexpr double kVerticesPerCell = 8.0;
constexpr int kWidth = 3 * lanes::kLanes;

/// Cell number of each vertex in a grid over the bounding box of all ranks' vertices.
std::vector<std::int64_t> cell_ids(const p2::LocalMesh& mesh, comm::Comm& comm) {
    double low[3];
    double size[3];
    std::int64_t owned = 0;
    for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
        owned += mesh.vertex_halo.owned(v) ? 1 : 0;
    }
    const double n_vertices = static_cast<double>(comm.sum(owned));
    const auto at = [&](std::int32_t v, int axis) {
        const Vec3& x = mesh.node_xyz[mesh.vertex_node[v]];
        return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
    };
    double volume = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
            lowest = std::min(lowest, at(v, axis));
            highest = std::max(highest, at(v, axis));
        }
        low[axis] = -comm.max(-lowest);
        size[axis] = comm.max(highest) - low[axis];
        volume *= size[axis];
    }
    const double h = std::cbrt(volume / n_vertices * kVerticesPerCell);
    std::int64_t count[3];
    for (int axis = 0; axis < 3; ++axis) {
        count[axis] = std::max<std::int64_t>(1, std::llround(size[axis] / h));
    }
    std::vector<std::int64_t> ids(mesh.n_vertices());
    for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
        std::int64_t id = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double share = size[axis] > 0.0 ? (at(v, axis) - low[axis]) / size[axis] : 0.0;
            const auto k = static_cast<std::int64_t>(share * static_cast<double>(count[axis]));
            id = id * count[axis] + std::clamp<std::int64_t>(k, 0, count[axis] - 1);
        }
        ids[v] = id;
    }
    return ids;
}

}  // namespace

BackgroundCells::BackgroundCells(const p2::LocalMesh& mesh, comm::Comm& comm,
                                 device::Queue& queue) {
    const std::vector<std::int64_t> ids = cell_ids(mesh, comm);
    std::map<std::int64_t, std::vector<std::int32_t>> local;  // owned vertices
    for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
        auto& vertices = local[ids[v]];
        if (mesh.vertex_halo.owned(v)) {
            vertices.push_back(v);
        }
    }
    std::vector<std::int64_t> gid;
    std::vector<std::int32_t> ptr = {0};
    std::vector<std::int32_t> members;
    std::vector<double> count;
    std::map<std::int64_t, std::int32_t> place;
    for (const auto& [id, vertices] : local) {
        place.emplace(id, static_cast<std::int32_t>(gid.size()));
        gid.push_back(id);
        members.insert(members.end(), vertices.begin(), vertices.end());
        ptr.push_back(static_cast<std::int32_t>(members.size()));
        count.push_back(static_cast<double>(vertices.size()));
    }
    for (const std::int64_t id : ids) {
        cell_of_.push_back(place.at(id));
    }
    n_cells_ = static_cast<std::int32_t>(gid.size());
    halo_ = comm::Halo(comm, gid);
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
    members_ = {std::span<const std::int32_t>(members), queue};
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
