// SPDX-License-Identifier: BSD-3-Clause
// What the multigrid levels and predictors need besides vectors: transfers, background cells, the
// dense inverse, sketches, fits.
#include "solvers/comm/serial/serial_comm.hpp"
#include "solvers/lanes/dense_apply.hpp"
#include "solvers/linalg/sketch.hpp"
#include "solvers/p2/multigrid/background_cells.hpp"
#include "solvers/p2/multigrid/p2_transfer.hpp"
#include "solvers/p2/predictors/data_driven.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname {
namespace {

using device::Buffer;
using device::Queue;
using device::View;
using lanes::kLanes;

class LevelGpu : public GpuTest {
protected:
    comm::SerialComm comm;
    viscoelastic::BoxModel box{viscoelastic::distorted_box(), viscoelastic::two_rocks(),
                               viscoelastic::clamped({mesh::Side::Bottom}), comm};
    const p2::LocalMesh& mesh = box.model.mesh();
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
                lanes::dense_apply(A, x, y, queue);
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

TEST_F(LevelGpu, FitsOfTheDataDrivenPredictor) {
    constexpr int kRows = 96;
    // One region of two thirds of the nodes, an empty one, one of the rest but every 16th.
    predictors::Subdomains subdomains;
    for (std::int32_t node = 0; node < mesh.n_nodes(); ++node) {
        if (node % 16 != 0) {
            subdomains.node.push_back(node);
        }
    }
    const auto n = static_cast<std::int32_t>(subdomains.node.size());
    subdomains.ptr = {0, 2 * n / 3, 2 * n / 3, n};
    const std::size_t compressed = std::size_t(subdomains.size()) * kRows * kLanes;
    expect_same(
        1e-7,
        [&](Queue& queue, const Buffer<float>& Q, const Buffer<float>& x, View<float> out) {
            const predictors::RegionLists lists(subdomains, mesh.n_nodes(), queue);
            predictors::compress_regions({lists, Q, kRows, x, out}, queue);
        },
        poison<float>(compressed), random<float>(std::size_t(subdomains.most_dofs()) * kRows),
        random<float>(nodes));
    for (const int columns : {1, 5, 16}) {
        const std::size_t fit = std::size_t(subdomains.size()) * columns * kLanes;
        expect_same(
            1e-11,
            [&](Queue& queue, const Buffer<float>& Qx, View<double> a) {
                predictors::FitArgs args{subdomains.size(), kRows, columns, 1e-10,
                                         Qx.data(),         {},    a};
                for (int k = 0; k < columns; ++k) {
                    args.X[k] = Qx.data() + (k + 1) * compressed;
                }
                args.X[columns / 2] = Qx.data() + compressed;  // the first again: left out
                fit_regions(args, queue);
            },
            poison<double>(fit), random<float>(compressed * (columns + 1)));
        expect_same(
            1e-14,
            [&](Queue& queue, const Buffer<double>& a, const Buffer<float>& x, View<double> du) {
                const predictors::RegionLists lists(subdomains, mesh.n_nodes(), queue);
                predictors::AddFitArgs args{lists, columns, a, {}, du};
                for (int k = 0; k < columns; ++k) {
                    args.x[k] = x.data() + k * nodes;
                }
                add_fit(args, queue);
            },
            random<double>(nodes), random<double>(fit), random<float>(nodes * columns));
    }
}

TEST_F(LevelGpu, TheDataDrivenPredictorWaitsForNothing) {
    predictors::Subdomains subdomains;
    for (std::int32_t node = 0; node < mesh.n_nodes(); ++node) {
        subdomains.node.push_back(node);
    }
    subdomains.ptr = {0, mesh.n_nodes() / 2, mesh.n_nodes()};
    comm::Halo halo;
    predictors::DataDriven predictor(subdomains, {}, nodes, halo, gpu);
    std::vector<Buffer<double>> increments;
    for (int k = 0; k < 10; ++k) {
        const auto host = random<double>(nodes);
        increments.emplace_back(std::span<const double>(host), gpu);
    }
    Buffer<double> du(nodes, gpu);
    const std::size_t allocations = device::allocation_count();
    const std::size_t waits = device::cuda::synchronisation_count();
    for (const auto& increment : increments) {
        predictor.predict(du, {}, gpu);
        (void)predictor.predict_plainly(du, gpu);
        predictor.push(increment, {}, {}, gpu);
    }
    EXPECT_EQ(device::cuda::synchronisation_count(), waits);
    EXPECT_EQ(device::allocation_count(), allocations);
    gpu.synchronize();
}

}  // namespace
}  // namespace kaname
