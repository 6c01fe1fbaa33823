// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the data-driven predictor on the CPU; a GPU's: tests/gpu/level_gpu_test.cpp.
#include "solvers/p2/predictors/region_fit.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/p2/predictors/region_fit_body.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::predictors::region_fit_test {
namespace {

using lanes::kLanes;

constexpr int kNodes = 43;
constexpr int kRows = 37;

class RegionFit : public testing::Test {
protected:
    RegionFit() {
        // Every fifth node in none, and an empty region.
        for (int node = 0; node < kNodes; ++node) {
            if (node % 5 != 0) {
                subdomains.node.push_back(node);
            }
        }
        std::shuffle(subdomains.node.begin(), subdomains.node.end(), random);
        subdomains.ptr = {0, 9, 9, static_cast<std::int32_t>(subdomains.node.size())};
    }
    template <class T>
    device::Buffer<T> numbers(std::size_t size) {
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        device::Buffer<T> x(size);
        for (std::size_t i = 0; i < size; ++i) {
            x[i] = static_cast<T>(uniform(random));
        }
        return x;
    }

    std::mt19937 random{7};
    Subdomains subdomains;
    device::Queue queue;
};

TEST_F(RegionFit, EveryOwnedNodeKnowsItsRegion) {
    const RegionLists lists(subdomains, kNodes, queue);

    EXPECT_EQ(lists.size, 3);
    EXPECT_EQ(subdomains.most_dofs(), 3 * (subdomains.ptr[3] - 9));
    for (int node = 0; node < kNodes; ++node) {
        EXPECT_EQ(lists.region_of[node] == -1, node % 5 == 0);
    }
    EXPECT_EQ(lists.region_of[subdomains.node[0]], 0);
    EXPECT_EQ(lists.region_of[subdomains.node[9]], 2);
}

TEST_F(RegionFit, CompressionIsTheProductWithQ) {
    const RegionLists lists(subdomains, kNodes, queue);
    const auto x = numbers<float>(std::size_t(kNodes) * 3 * kLanes);
    const auto Q = numbers<float>(std::size_t(subdomains.most_dofs()) * kRows);
    device::Buffer<float> cpu(std::size_t(lists.size) * kRows * kLanes);
    cpu.fill(NAN);
    compress_regions({lists, Q, kRows, x, cpu, {}}, queue);
    for (int region = 0; region < lists.size; ++region) {
        for (int row = 0; row < kRows; ++row) {
            double expected[kLanes] = {};
            for (std::int32_t k = subdomains.ptr[region]; k < subdomains.ptr[region + 1]; ++k) {
                for (int i = 0; i < 3 * kLanes; ++i) {
                    const int dof = (k - subdomains.ptr[region]) * 3 + i / kLanes;
                    expected[i % kLanes] +=
                        double(Q[dof * kRows + row]) * x[subdomains.node[k] * 3 * kLanes + i];
                }
            }
            for (int lane = 0; lane < kLanes; ++lane) {
                const float on_cpu = cpu[(region * kRows + row) * kLanes + lane];
                EXPECT_NEAR(on_cpu, expected[lane], 1e-6);
            }
        }
    }
}

TEST_F(RegionFit, ARegionOfManyNodesIsCompressedInPieces) {
    constexpr int kMany = 5003;
    Subdomains few;
    for (int node = 0; node < kMany; ++node) {
        few.node.push_back(kMany - 1 - node);
    }
    few.ptr = {0, 4999, kMany};
    const RegionLists lists(few, kMany, queue);
    const auto x = numbers<float>(std::size_t(kMany) * 3 * kLanes);
    const auto Q = numbers<float>(std::size_t(few.most_dofs()) * kRows);
    device::Buffer<float> out(std::size_t(lists.size) * kRows * kLanes);
    out.fill(NAN);

    compress_regions({lists, Q, kRows, x, out, {}}, queue);

    for (int region = 0; region < 2; ++region) {
        std::vector<double> expected(std::size_t(kRows) * kLanes, 0.0);
        for (std::int32_t k = few.ptr[region]; k < few.ptr[region + 1]; ++k) {
            for (int i = 0; i < 3 * kLanes; ++i) {
                const std::size_t dof = std::size_t(k - few.ptr[region]) * 3 + i / kLanes;
                for (int row = 0; row < kRows; ++row) {
                    expected[row * kLanes + i % kLanes] +=
                        double(Q[dof * kRows + row]) * x[few.node[k] * 3 * kLanes + i];
                }
            }
        }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(out[region * expected.size() + i], expected[i], 1e-5);
        }
    }
}

TEST_F(RegionFit, PiecesOfACompressionCoverTheLargestRegion) {
    for (const int regions : {1, 8, 9, 33, 117, 100'000}) {
        for (const std::int32_t most : {1, 16, 17, 8'172, 3'000'001}) {
            for (const int rows : {1, 96, 97, kMostFitRows}) {
                const body::CompressPlan plan(regions, rows, most);
                EXPECT_EQ(plan.nodes_of_piece % body::kTileNodes, 0);
                EXPECT_GE(std::int64_t(plan.pieces) * plan.nodes_of_piece, most);
                EXPECT_LT(std::int64_t(plan.pieces - 1) * plan.nodes_of_piece, most);
            }
        }
    }
    EXPECT_EQ(body::CompressPlan(0, 96, 0).pieces, 0);
    EXPECT_EQ(body::CompressPlan(1, 96, 0).pieces, 0);
}

TEST_F(RegionFit, LeavesOutColumnsThatSayNothingNew) {
    constexpr int kColumns = 7;
    constexpr int kRegions = 2;
    const std::size_t size = std::size_t(kRegions) * kRows * kLanes;
    std::vector<device::Buffer<float>> columns;
    for (int k = 0; k < kColumns; ++k) {
        columns.push_back(numbers<float>(size));
    }
    const auto b = numbers<float>(size);
    // Column 4 is column 1 again, column 2 is zero: both are left out.
    std::copy_n(columns[1].data(), size, columns[4].data());
    columns[2].fill(0.0F);
    device::Buffer<double> a(std::size_t(kRegions) * kColumns * kLanes);
    a.fill(NAN);
    FitArgs args{kRegions, kRows, kColumns, 1e-10, b.data(), {}, a};
    for (int k = 0; k < kColumns; ++k) {
        args.X[k] = columns[k].data();
    }

    fit_regions(args, queue);

    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t k = i / kLanes % kColumns;
        EXPECT_EQ(a[i] == 0.0, k == 2 || k == 4) << i;
    }
}

TEST_F(RegionFit, OneColumnThatIsNotANumberIsLeftOut) {
    const std::size_t size = std::size_t(kRows) * kLanes;
    const auto x0 = numbers<float>(size);
    auto x1 = numbers<float>(size);
    x1.fill(NAN);
    device::Buffer<double> a(2 * kLanes);
    const FitArgs args{1, kRows, 2, 1e-10, x0.data(), {x0.data(), x1.data()}, a};

    fit_regions(args, queue);

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_NEAR(a[lane], 1.0, 1e-12);
        EXPECT_EQ(a[kLanes + lane], 0.0);
    }
}

TEST_F(RegionFit, TheFitIsSummedWhereThereIsARegion) {
    constexpr int kColumns = 3;
    const RegionLists lists(subdomains, kNodes, queue);
    const std::size_t size = std::size_t(kNodes) * 3 * kLanes;
    const auto newest = numbers<double>(size);
    const auto before = numbers<double>(size);
    const auto a = numbers<double>(std::size_t(lists.size) * kColumns * kLanes);
    std::vector<device::Buffer<float>> x;
    device::Buffer<double> cpu(size);
    device::Buffer<double> gpu(size);
    cpu.fill(NAN);
    gpu.fill(NAN);
    SumFitArgs args{lists, kColumns, a, newest.data(), before.data(), {}, cpu};
    body::SumFit<> sum{lists.region_of.data(), kColumns, a.data(),  newest.data(),
                       before.data(),          {},       gpu.data()};
    for (int k = 0; k < kColumns; ++k) {
        x.push_back(numbers<float>(size));
        args.x[k] = sum.x[k] = x[k].data();
    }

    sum_fit(args, queue);
    lanes::run_threads(kNodes, sum);

    for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t region = lists.region_of[i / (3 * kLanes)];
        double expected = region < 0 ? 0.0 : 2.0 * newest[i] - before[i];
        for (int k = 0; k < kColumns && region >= 0; ++k) {
            expected += a[(region * kColumns + k) * kLanes + i % kLanes] * x[k][i];
        }
        EXPECT_NEAR(cpu[i], expected, 1e-15);
        EXPECT_NEAR(gpu[i], expected, 1e-15);
    }
}

TEST_F(RegionFit, SaysWhatShapesItCanFit) {
    EXPECT_NO_THROW(require_fit_shape(kMostFitRows, kMostFitColumns));
    EXPECT_THROW(require_fit_shape(96, 17), Error);
    EXPECT_THROW(require_fit_shape(96, 0), Error);
    EXPECT_THROW(require_fit_shape(15, 16), Error);
    EXPECT_THROW(require_fit_shape(257, 16), Error);
}

}  // namespace
}  // namespace kaname::predictors::region_fit_test
