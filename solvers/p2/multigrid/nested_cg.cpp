// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/nested_cg.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/linalg/dense.hpp"
#include "solvers/parallel/incidence.hpp"
#include "solvers/parallel/loops.hpp"

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

namespace {

// Halvings, about twenty for each axis.
constexpr int kMostDepth = 60;

double component(const Vec3& x, int axis) {
    return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

/// The box of all points, and across which axis its parts are halved at each depth.
class Halvings {
public:
    Halvings(std::span<const Vec3> points, comm::Comm& comm) {
        std::array<double, 6> reach{};  // -lowest, highest
        reach.fill(-std::numeric_limits<double>::infinity());
        for (const Vec3& x : points) {
            for (int axis = 0; axis < 3; ++axis) {
                reach[axis] = std::max(reach[axis], -component(x, axis));
                reach[3 + axis] = std::max(reach[3 + axis], component(x, axis));
            }
        }
        comm.max(std::span<double>(reach));
        std::array<double, 3> side{};
        for (int axis = 0; axis < 3; ++axis) {
            low_[axis] = -reach[axis];
            size_[axis] = side[axis] = reach[3 + axis] + reach[axis];
        }
        for (int& axis : axis_) {
            axis = static_cast<int>(std::ranges::max_element(side) - side.begin());
            side[axis] *= 0.5;
        }
    }

    /// Which half at each depth, from the first in the highest bit on.
    [[nodiscard]] std::int64_t key(const Vec3& x) const {
        std::array<double, 3> place{};  // in the part that is being halved, 0..1
        for (int axis = 0; axis < 3; ++axis) {
            place[axis] = size_[axis] > 0.0 ? (component(x, axis) - low_[axis]) / size_[axis] : 0.0;
        }
        std::int64_t key = 0;
        for (const int axis : axis_) {
            place[axis] *= 2.0;
            const int upper = place[axis] >= 1.0 ? 1 : 0;
            place[axis] -= upper;
            key = 2 * key + upper;
        }
        return key;
    }

private:
    std::array<double, 3> low_{}, size_{};
    std::array<int, kMostDepth> axis_{};
};

/// First keys of the cells, ascending.
std::vector<std::int64_t> first_keys(std::vector<std::int64_t> owned_keys, int most,
                                     comm::Comm& comm) {
    std::ranges::sort(owned_keys);
    const auto keys_below = [&](std::int64_t key) {
        return std::ranges::lower_bound(owned_keys, key) - owned_keys.begin();
    };
    std::vector<std::int64_t> cells;
    std::vector<std::int64_t> open = {0};
    for (int depth = 0; !open.empty(); ++depth) {
        const std::int64_t width = std::int64_t(1) << (kMostDepth - depth);
        std::vector<double> count;
        for (const std::int64_t first : open) {
            count.push_back(static_cast<double>(keys_below(first + width) - keys_below(first)));
        }
        comm.sum(std::span<double>(count));
        std::vector<std::int64_t> halves;
        for (std::size_t k = 0; k < open.size(); ++k) {
            if (count[k] > most && depth < kMostDepth) {
                halves.insert(halves.end(), {open[k], open[k] + width / 2});
            } else if (count[k] > 0.0) {
                cells.push_back(open[k]);
            }
        }
        open = std::move(halves);
    }
    std::ranges::sort(cells);
    return cells;
}

}  // namespace

std::vector<std::int64_t> balanced_cells(std::span<const Vec3> points,
                                         std::span<const std::uint8_t> owned, int most,
                                         comm::Comm& comm) {
    const Halvings halvings(points, comm);
    std::vector<std::int64_t> keys;
    std::vector<std::int64_t> owned_keys;
    for (std::size_t i = 0; i < points.size(); ++i) {
        keys.push_back(halvings.key(points[i]));
        if (owned.empty() || owned[i] != 0) {
            owned_keys.push_back(keys.back());
        }
    }
    const std::vector<std::int64_t> cells = first_keys(std::move(owned_keys), most, comm);
    for (std::int64_t& key : keys) {
        key = std::ranges::upper_bound(cells, key) - cells.begin() - 1;
    }
    return keys;
}

AssembledOperator::AssembledOperator(const BlockMatrix& A, comm::Halo& halo, device::Queue& queue)
    : A_(A.to_float(queue)), halo_(halo, queue), alone_(halo.neighbours().empty()) {}

void AssembledOperator::apply(device::View<const float> x, device::View<float> y,
                              device::Queue& queue) {
    lanes::bcrs_apply(A_, x, y, false, queue);
    halo_.sum(y, A_.block_rows * lanes::kLanes, queue);
}

std::vector<double> inverse_diagonal_blocks(const BlockMatrix& A, comm::Halo& halo,
                                            comm::Comm& comm) {
    const int size = A.block_size();
    std::vector<double> D(std::size_t(A.n_rows()) * size, 0.0);
    parallel_for(A.n_rows(), [&](std::int64_t row) {
        const auto begin = A.col.begin() + A.row_ptr[row];
        const auto end = A.col.begin() + A.row_ptr[row + 1];
        const auto found = std::lower_bound(begin, end, static_cast<std::int32_t>(row));
        if (found != end && *found == row) {
            std::copy_n(A.val.data() + (found - A.col.begin()) * size, size, D.data() + row * size);
        }
    });
    halo.sum(std::span<double>(D), size);
    // Unknowns without stiffness (rotations of single vertices) are zero up to rounding.
    const double floor =
        kRounding * comm.max(D.empty() ? 0.0 : *std::max_element(D.begin(), D.end()));
    parallel_for(A.n_rows(), [&](std::int64_t row) {
        linalg::invert_semidefinite({D.data() + row * size, std::size_t(size)}, A.R, floor);
    });
    return D;
}

device::Buffer<float> to_float(const std::vector<double>& values, device::Queue& queue) {
    device::Buffer<float> numbers(values.size());
    parallel_for(std::ssize(values),
                 [&](std::int64_t k) { numbers[k] = static_cast<float>(values[k]); });
    return moved_to(queue, std::move(numbers));
}

NestedCgParams NestedCgParams::two_levels() {
    return {{0.2, 30, 0}, {0.1, 300, 0}, std::nullopt};
}

NestedCg::NestedCg(const FineLevel& fine, const NestedCgParams& params, comm::Comm& comm,
                   device::Queue& queue)
    : comm_(comm),
      p2_inverse_diagonal_(fine.inverse_diagonal),
      fixed_p1_(fine.fixed_p1, queue),
      p2_transfer_(fine.mesh, queue),
      vertex_halo_(fine.mesh.vertex_halo),
      vertex_sum_(vertex_halo_, queue),
      r1_(std::size_t(fine.mesh.n_vertices()) * lanes::kVectorWidth, queue),
      u1_(r1_.size(), queue) {
    p1_ = std::make_unique<AssembledOperator>(fine.p1, vertex_halo_, queue);
    p1_inverse_diagonal_ = to_float(inverse_diagonal_blocks(fine.p1, vertex_halo_, comm), queue);
    loop0_ = std::make_unique<linalg::InnerCg>(fine.A, 3, fine.inverse_diagonal, fine.owned,
                                               params.loop0, queue);
    loop1_ = std::make_unique<linalg::InnerCg>(*p1_, 3, p1_inverse_diagonal_, p1_->owned(),
                                               params.loop1, queue);
    std::int64_t owned = 0;
    for (std::int32_t v = 0; v < fine.mesh.n_vertices(); ++v) {
        owned += vertex_halo_.owned(v) ? 1 : 0;
    }
    description_ = "nested CG: P2 - P1 " + std::to_string(comm.sum(owned));
    if (!params.loop2) {
        return;
    }
    cells_ = std::make_unique<BackgroundCells>(fine.mesh, comm, queue);
    const BlockMatrix coarse = cells_->coarse(fine.p1);
    coarse_ = std::make_unique<AssembledOperator>(coarse, cells_->halo(), queue);
    coarse_inverse_diagonal_ =
        to_float(inverse_diagonal_blocks(coarse, cells_->halo(), comm), queue);
    loop2_ = std::make_unique<linalg::InnerCg>(*coarse_, 3, coarse_inverse_diagonal_,
                                               coarse_->owned(), *params.loop2, queue);
    r2_ = device::Buffer<float>(std::size_t(cells_->size()) * lanes::kVectorWidth, queue);
    u2_ = device::Buffer<float>(r2_.size(), queue);
    description_ += " - " + std::to_string(cells_->n_global()) + " background cells";
}

void NestedCg::solve_cells(device::Queue& queue) {
    cells_->average(u1_, u2_, queue);
    cells_->restrict_to(r1_, r2_, queue);
    iterations_[2] += loop2_->solve(r2_, u2_, comm_, queue);
    cells_->prolong(u2_, u1_, queue);
    lanes::zero_dofs<float>(fixed_p1_, u1_, queue);
}

void NestedCg::apply(device::View<const float> r, device::View<float> z, device::Queue& queue) {
    device::InPhase phase(queue, device::Phase::SmootherVectors);
    lanes::block_diagonal_apply(3, 1.0F, p2_inverse_diagonal_, r, z, queue);
    phase.change(device::Phase::P1Below);
    p2_transfer_.inject(z, u1_, queue);
    p2_transfer_.restrict_to(r, r1_, queue);
    vertex_sum_.sum(r1_.view(), lanes::kVectorWidth, queue);
    lanes::zero_dofs<float>(fixed_p1_, r1_, queue);
    if (cells_) {
        phase.change(device::Phase::Coarsest);
        solve_cells(queue);
        phase.change(device::Phase::P1Below);
    }
    iterations_[1] += loop1_->solve(r1_, u1_, comm_, queue);
    phase.change(device::Phase::SmootherVectors);
    lanes::fill<float>(0.0F, z, queue);
    p2_transfer_.prolong_add(u1_, z, queue);
    iterations_[0] += loop0_->solve(r, z, comm_, queue);
}

}  // namespace kaname::multigrid
