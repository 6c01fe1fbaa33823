// SPDX-License-Identifier: BSD-3-Clause
// What the multigrid levels and predictors need besides vectors: transfers, the dense inverse,
// sketches.
#include "solvers/comm/serial/serial_comm.hpp"
#include "solvers/kernels/dense_apply.hpp"
#include "solvers/linalg/sketch.hpp"
#include "solvers/multigrid/background_cells.hpp"
#include "solvers/multigrid/p2_transfer.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname {
namespace {

using device::Buffer;
using device::Queue;
using device::View;
using kernels::kLanes;

class LevelGpu : public GpuTest {
protected:
    comm::SerialComm comm;
    viscoelastic::BoxModel box{viscoelastic::distorted_box(), viscoelastic::two_rocks(),
                               viscoelastic::clamped({mesh::Side::Bottom}), comm};
    const fem::LocalMesh& mesh = box.model.mesh();
    std::size_t nodes = std::size_t(mesh.n_nodes()) * 3 * kLanes;
    std::size_t vertices = std::size_t(mesh.n_vertices()) * 3 * kLanes;
};

TEST_F(LevelGpu, Transfers) {
    expect_same(
        1e-6,
        [&](Queue& queue, const Buffer<float>& r, View<float> out) {
            multigrid::P2Transfer(mesh, queue).restrict_to(r, out, queue);
        },
        poison<float>(vertices), random<float>(nodes));
    expect_same(
        1e-6,
        [&](Queue& queue, const Buffer<float>& v, View<float> x) {
            multigrid::P2Transfer(mesh, queue).prolong_add(v, x, queue);
        },
        random<float>(nodes), random<float>(vertices));
    expect_same(
        0.0,
        [&](Queue& queue, const Buffer<float>& x, View<float> out) {
            multigrid::P2Transfer(mesh, queue).inject(x, out, queue);
        },
        poison<float>(vertices), random<float>(nodes));
}

TEST_F(LevelGpu, BackgroundCells) {
    const std::size_t cells =
        std::size_t(multigrid::BackgroundCells(mesh, comm, cpu).size()) * 3 * kLanes;
    expect_same(
        0.0,
        [&](Queue& queue, const Buffer<float>& r, View<float> out) {
            multigrid::BackgroundCells(mesh, comm, queue).restrict_to(r, out, queue);
        },
        poison<float>(cells), random<float>(vertices));
    expect_same(
        1e-6,
        [&](Queue& queue, const Buffer<float>& x, View<float> out) {
            multigrid::BackgroundCells(mesh, comm, queue).average(x, out, queue);
        },
        poison<float>(cells), random<float>(vertices));
    expect_same(
        0.0,
        [&](Queue& queue, const Buffer<float>& v, View<float> x) {
            multigrid::BackgroundCells(mesh, comm, queue).prolong(v, x, queue);
        },
        poison<float>(vertices), random<float>(cells));
}

TEST_F(LevelGpu, DenseInverse) {
    constexpr std::size_t kRows = 197;
    for (const std::size_t columns : {1U, 33U, 600U}) {
        expect_same(
            1e-5,
            [](Queue& queue, const Buffer<float>& A, const Buffer<float>& x, View<float> y) {
                kernels::dense_apply(A, x, y, queue);
            },
            poison<float>(kRows * kLanes), random<float>(kRows * columns),
            random<float>(columns * kLanes));
    }
}

TEST_F(LevelGpu, SketchesAreTheSameAndRepeat) {
    const auto host = random<double>(nodes);
    std::vector<std::vector<double>> results;
    for (Queue* queue : {&cpu, &gpu, &gpu}) {
        linalg::Sketch sketch(mesh.node_gid, {}, 2048, comm, *queue);
        const Buffer<double> v(std::span<const double>(host), *queue);
        results.push_back(sketch.of(v, *queue));
    }
    for (std::size_t k = 0; k < results[0].size(); ++k) {
        ASSERT_NEAR(results[1][k], results[0][k], 1e-12);
        ASSERT_EQ(results[1][k], results[2][k]);
    }
}

}  // namespace
}  // namespace kaname
