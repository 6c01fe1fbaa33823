// SPDX-License-Identifier: BSD-3-Clause
// The multigrid levels and predictors need these besides vectors: transfers, background cells, the
// dense inverse, sketches, fits.
#include "solvers/comm/comm.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/linalg/sketch.hpp"
#include "solvers/p2/multigrid/nested_cg.hpp"
#include "solvers/p2/multigrid/p2_transfer.hpp"
#include "solvers/p2/predictors/data_driven.hpp"
#include "solvers/p2/predictors/projection.hpp"
#include "solvers/p2/predictors/region_fit.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::level_gpu_test {
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

TEST_F(LevelGpu, CompressionsOfTheDataDrivenPredictor) {
    // A piece of a region's nodes each, and many; regions by one warp, and by several blocks.
    std::vector<double> most_empty(2000, 0.1);  // few pieces, of more than one tile
    most_empty.back() = 1.0;
    for (const std::vector<double>& ends :
         {{1.0},
          {0.6, 0.6, 1.0},
          {0.1, 0.15, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0},
          most_empty}) {
        predictors::Subdomains subdomains;
        for (std::int32_t node = mesh.n_nodes(); node-- > 0;) {
            if (node % 16 != 0) {
                subdomains.node.push_back(node);
            }
        }
        for (const double end : ends) {
            subdomains.ptr.push_back(
                static_cast<std::int32_t>(end * static_cast<double>(subdomains.node.size())));
        }
        for (const int rows : {1, 96, 133}) {
            expect_same(
                1e-7,
                [&](Queue& queue, const Buffer<float>& Q, const Buffer<float>& x, View<float> out) {
                    const predictors::RegionLists lists(subdomains, mesh.n_nodes(), queue);
                    const std::size_t size = predictors::compress_partials(
                        lists.size, subdomains.most_dofs(), rows, queue);
                    const std::vector<double> unset = poison<double>(size);
                    Buffer<double> partial(std::span<const double>(unset), queue);
                    predictors::compress_regions({lists, Q, rows, x, out, partial}, queue);
                },
                poison<float>(std::size_t(subdomains.size()) * rows * kLanes),
                random<float>(std::size_t(subdomains.most_dofs()) * rows), random<float>(nodes));
        }
    }
}

TEST_F(LevelGpu, FitsOfTheDataDrivenPredictor) {
    constexpr int kRegions = 3;
    for (const int rows : {16, 96, 200}) {
        for (const int columns : {1, 5, 16}) {
            const std::size_t size = std::size_t(kRegions) * rows * kLanes;
            auto Qx = random<float>(size * (columns + 1));
            if (columns > 5) {  // left out: not a number, nothing
                std::fill_n(Qx.begin() + 3 * size, size, NAN);
                std::fill_n(Qx.begin() + 4 * size, size, 0.0F);
            }
            expect_same(
                1e-11,
                [&](Queue& queue, const Buffer<float>& compressed, View<double> a) {
                    predictors::FitArgs args{kRegions,          rows, columns, 1e-10,
                                             compressed.data(), {},   a};
                    for (int k = 0; k < columns; ++k) {
                        args.X[k] = compressed.data() + (k + 1) * size;
                    }
                    args.X[columns / 2] = args.X[0];  // left out
                    fit_regions(args, queue);
                },
                poison<double>(std::size_t(kRegions) * columns * kLanes), Qx);
        }
    }
}

TEST_F(LevelGpu, SumsOfTheDataDrivenPredictor) {
    predictors::Subdomains subdomains;
    for (std::int32_t node = 0; node < mesh.n_nodes(); ++node) {
        if (node % 16 != 0) {
            subdomains.node.push_back(node);
        }
    }
    const auto n = static_cast<std::int32_t>(subdomains.node.size());
    subdomains.ptr = {0, 2 * n / 3, 2 * n / 3, n};
    for (const int columns : {1, 5, 16}) {
        expect_same(
            1e-14,
            [&](Queue& queue, const Buffer<double>& a, const Buffer<double>& newest,
                const Buffer<double>& before, const Buffer<float>& x, View<double> du) {
                const predictors::RegionLists lists(subdomains, mesh.n_nodes(), queue);
                predictors::SumFitArgs args{lists,         columns, a, newest.data(),
                                            before.data(), {},      du};
                for (int k = 0; k < columns; ++k) {
                    args.x[k] = x.data() + k * nodes;
                }
                sum_fit(args, queue);
            },
            poison<double>(nodes),
            random<double>(std::size_t(subdomains.size()) * columns * kLanes),
            random<double>(nodes), random<double>(nodes), random<float>(nodes * columns));
    }
}

TEST_F(LevelGpu, FitsOfSketches) {
    for (const int buckets : {40, 1000, 1024}) {
        for (const int n_x : {-2, 0, 3, 16}) {  // -2: one increment alone
            const std::size_t size = std::size_t(buckets) * kLanes;
            auto x = random<double>(size * 16);
            std::copy_n(x.begin(), size, x.begin() + size);  // left out
            std::fill_n(x.begin() + 2 * size, size, NAN);
            expect_same(
                1e-11,
                [&](Queue& queue, const Buffer<double>& columns, const Buffer<double>& sketches,
                    View<double> a) {
                    const double* newest = sketches.data() + size;
                    predictors::SketchFitArgs args{buckets,
                                                   1e-6,
                                                   sketches.data(),
                                                   newest,
                                                   n_x >= 0 ? newest + size : nullptr,
                                                   std::max(n_x, 0),
                                                   {},
                                                   a};
                    for (int k = 0; k < n_x; ++k) {
                        args.x[k] = columns.data() + k * size;
                    }
                    fit_sketches(args, queue);
                },
                std::vector<double>(18 * kLanes), x, random<double>(3 * size));
        }
        const std::size_t size = std::size_t(buckets) * kLanes;
        for (const bool with_x : {false, true}) {
            expect_same(
                1e-15,
                [&](Queue& queue, const Buffer<double>& in, View<double> out) {
                    predictors::keep_image(
                        {buckets, in.data(), in.data() + size, in.data() + 2 * size,
                         out.first(size), with_x ? out.data() + size : nullptr},
                        queue);
                },
                random<double>(2 * size), random<double>(3 * size));
        }
    }
}

TEST_F(LevelGpu, TheProjectionWaitsForNothing) {
    predictors::Projection on_gpu(mesh.node_gid, {}, {}, comm, gpu);
    const auto load = random<double>(nodes);
    Buffer<double> f(std::span<const double>(load), gpu);
    Buffer<double> du(nodes, gpu);
    const std::size_t allocations = device::allocation_count();
    const std::size_t waits = device::cuda::synchronisation_count();
    for (int step = 0; step < 4; ++step) {
        on_gpu.predict(du, f, gpu);
        on_gpu.push(du, f, f, gpu);
    }
    EXPECT_EQ(device::cuda::synchronisation_count(), waits);
    EXPECT_EQ(device::allocation_count(), allocations);
    gpu.synchronize();
}

TEST_F(LevelGpu, FirstGuessesOfTheProjection) {
    predictors::Projection on_cpu(mesh.node_gid, {}, {}, comm, cpu);
    predictors::Projection on_gpu(mesh.node_gid, {}, {}, comm, gpu);
    for (int step = 0; step < 20; ++step) {
        const auto load = random<double>(nodes);
        const auto rest = random<double>(nodes);
        const auto increment = random<double>(nodes);
        expect_same(
            1e-9,
            [&](Queue& queue, const Buffer<double>& f, const Buffer<double>& r,
                const Buffer<double>& du, View<double> guess) {
                auto& projection = queue.backend() == device::Backend::Cpu ? on_cpu : on_gpu;
                projection.predict(guess, f, queue);
                projection.push(du, f, r, queue);
                if (step == 0) {  // nothing is known then, and nothing can be compared
                    lanes::fill<double>(1.0, guess, queue);
                }
                if (step == 11) {
                    projection.zero_lane(1, queue);
                }
            },
            poison<double>(nodes), load, rest, increment);
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
}  // namespace kaname::level_gpu_test
