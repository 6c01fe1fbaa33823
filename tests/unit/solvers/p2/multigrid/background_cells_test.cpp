// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/mesh/partition.hpp"
#include "solvers/p2/multigrid/nested_cg.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/p2/multigrid/truss.hpp"

namespace kaname::multigrid::background_cells_test {
namespace {

constexpr int kWidth = 3 * lanes::kLanes;

device::Queue queue;  // the CPU's; ranks may share it

struct Box {
    mesh::TetMesh mesh = test::BoxMesh{.cells = {6, 6, 4}, .high = {6e3, 6e3, 4e3}}.build();
    p2::DofMap dofs{mesh};
    p2::LocalMesh local;
    explicit Box(comm::Comm& comm)
        : local(mesh, dofs, mesh::partition_by_bisection(mesh.xyz, mesh.tets, comm.size()), comm) {}
};

TEST(BackgroundCells, AveragesAndProlongsConstants) {
    comm::SerialComm comm;
    const Box box(comm);
    BackgroundCells cells(box.local, comm, queue);
    device::Buffer<float> x(std::size_t(box.local.n_vertices()) * kWidth);
    x.fill(3.0F);
    device::Buffer<float> v(std::size_t(cells.size()) * kWidth);
    cells.average(x, v, queue);
    x.fill(0.0F);
    cells.prolong(v, x, queue);

    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_FLOAT_EQ(x[i], 3.0F);
    }
    // 7 x 7 x 5 vertices, about eight in a cell.
    EXPECT_GT(cells.n_global(), 12);
    EXPECT_LT(cells.n_global(), 62);
}

TEST(BackgroundCells, AreAsFullWhereTheMeshIsFineAsWhereItIsCoarse) {
    comm::SerialComm comm;
    const mesh::TetMesh graded = test::BoxMesh{
        .cells = {20, 20, 12},
        .low = {-1.0, -1.0, -1.0},
        .high = {1.0, 1.0, 0.0},
        .move = [](const Vec3& x) {
            return 1e5 * Vec3{x.x * std::abs(x.x), x.y * std::abs(x.y), -x.z * x.z};
        }}.build();
    const p2::DofMap dofs(graded);
    const std::vector<std::int32_t> one_rank(graded.tets.size(), 0);
    const p2::LocalMesh local(graded, dofs, one_rank, comm);
    BackgroundCells cells(local, comm, queue);
    device::Buffer<float> ones(std::size_t(local.n_vertices()) * kWidth);
    ones.fill(1.0F);
    device::Buffer<float> count(std::size_t(cells.size()) * kWidth);
    cells.restrict_to(ones, count, queue);

    float most = 0.0F;
    double in_full_cells = 0.0;
    for (std::size_t i = 0; i < count.size(); i += kWidth) {
        most = std::max(most, count[i]);
        in_full_cells += count[i] >= 4.0F ? count[i] : 0.0;
    }
    EXPECT_LE(most, 12.0F);
    EXPECT_GT(in_full_cells, 0.8 * local.n_vertices());
}

TEST(BackgroundCells, CoarseMatrixIsTheGalerkinProduct) {
    comm::SerialComm comm;
    const Box box(comm);
    BackgroundCells cells(box.local, comm, queue);
    const BlockMatrix A = truss(box.local);
    const BlockMatrix coarse = cells.coarse(A);
    device::Buffer<float> v(std::size_t(cells.size()) * kWidth);
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i)));
    }
    device::Buffer<float> x(std::size_t(box.local.n_vertices()) * kWidth);
    cells.prolong(v, x, queue);
    device::Buffer<float> Ax(x.size());
    lanes::bcrs_apply(A.to_float(), x, Ax, false, queue);
    device::Buffer<float> expected(v.size());
    cells.restrict_to(Ax, expected, queue);

    device::Buffer<float> y(v.size());
    lanes::bcrs_apply(coarse.to_float(), v, y, false, queue);

    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y[i], expected[i], 1e-4) << i;
    }
}

TEST(BackgroundCells, DoNotDependOnThePartition) {
    comm::SerialComm comm;
    const Box box(comm);
    const BackgroundCells whole(box.local, comm, queue);
    comm::run_as_threads(3, [&](comm::Comm& rank) {
        const Box part(rank);
        BackgroundCells cells(part.local, rank, queue);
        EXPECT_EQ(cells.n_global(), whole.n_global());
        device::Buffer<float> ones(std::size_t(part.local.n_vertices()) * kWidth);
        ones.fill(1.0F);
        device::Buffer<float> v(std::size_t(cells.size()) * kWidth);
        cells.average(ones, v, queue);
        for (std::size_t i = 0; i < v.size(); ++i) {
            EXPECT_NEAR(v[i], 1.0F, 1e-6F);
        }
    });
}

}  // namespace
}  // namespace kaname::multigrid::background_cells_test
