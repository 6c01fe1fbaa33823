// SPDX-License-Identifier: BSD-3-Clause
// The GPU's kernels of the data-driven predictor, thread by thread on the CPU, against the CPU's.
#include "solvers/p2/predictors/region_fit.hpp"

#include <barrier>
#include <cmath>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/p2/predictors/region_fit_body.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::predictors {
namespace {

using lanes::kLanes;

constexpr int kNodes = 43;
constexpr int kRows = 37;

/// Threads that add up their numbers in rounds, as those of a warp do.
class Team {
public:
    struct Shared {
        explicit Shared(int threads) : barrier(threads), value(threads) {}
        std::barrier<> barrier;
        std::vector<std::array<double, 4>> value;
    };
    Team(Shared& shared, int thread) : shared_(shared), thread_(thread) {}
    int thread() const { return thread_; }
    int size() const { return static_cast<int>(shared_.value.size()); }
    void sync() { shared_.barrier.arrive_and_wait(); }
    template <std::size_t K>
    void sum(double (&value)[K]) {
        std::copy_n(value, K, shared_.value[thread_].begin());
        sync();
        std::fill_n(value, K, 0.0);
        for (const auto& of_thread : shared_.value) {
            for (std::size_t k = 0; k < K; ++k) {
                value[k] += of_thread[k];
            }
        }
        sync();
    }

private:
    Shared& shared_;
    int thread_;
};

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
    static const body::LaneArray<float>* lane_arrays(const float* x) {
        return reinterpret_cast<const body::LaneArray<float>*>(x);
    }

    /// a of every region and lane by teams of `threads`.
    static std::vector<double> fit_by_teams(const FitArgs& args, int threads) {
        std::vector<double> result(args.a.size(), NAN);
        const std::size_t m = args.rows;
        for (int problem = 0; problem < args.regions * kLanes; ++problem) {
            const std::size_t at = problem / kLanes * m * kLanes + problem % kLanes;
            std::vector<double> memory(body::FitProblem::numbers(args.rows, args.columns));
            double* b = memory.data() + args.columns * m;
            for (std::size_t i = 0; i < m; ++i) {
                for (int k = 0; k < args.columns; ++k) {
                    memory[k * m + i] = args.X[k][at + i * kLanes];
                }
                b[i] = args.b[at + i * kLanes];
            }
            const body::FitProblem fit{
                args.rows,
                args.columns,
                args.drop,
                memory.data(),
                b,
                b + m,
                result.data() + problem / kLanes * args.columns * kLanes + problem % kLanes};
            Team::Shared shared(threads);
            std::vector<std::jthread> members;
            for (int thread = 0; thread < threads; ++thread) {
                members.emplace_back([&, thread] {
                    Team team(shared, thread);
                    body::fit_region(fit, team);
                });
            }
        }
        return result;
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
    compress_regions({lists, Q, kRows, x, cpu}, queue);
    const int parts = body::compress_parts(kRows);
    EXPECT_EQ(parts, 8);
    const body::CompressRow compress{
        lists.ptr.data(), lists.node.data(), Q.data(), lane_arrays(x.data()), kRows, parts};

    for (int region = 0; region < lists.size; ++region) {
        for (int row = 0; row < kRows; ++row) {
            double gpu[kLanes] = {};
            double expected[kLanes] = {};
            for (int part = 0; part < parts; ++part) {
                double sum[kLanes];
                compress(region, row, part, sum);
                for (int lane = 0; lane < kLanes; ++lane) {
                    gpu[lane] += sum[lane];
                }
            }
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
                EXPECT_NEAR(gpu[lane], expected[lane], 1e-13);
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

    compress_regions({lists, Q, kRows, x, out}, queue);

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

TEST_F(RegionFit, ABlockOfThreadsHoldsTheRowsOfACompression) {
    for (const int rows : {1, 16, 96, 128, 129, 200, kMostFitRows}) {
        const int parts = body::compress_parts(rows);
        EXPECT_GE(parts, 1);
        EXPECT_LE(parts, body::kCompressParts);
        EXPECT_LE(rows * parts, body::kCompressThreads);
    }
    // Shared memory of the largest fit: what a block of sm_80 can have.
    EXPECT_LE(kLanes * body::FitProblem::numbers(kMostFitRows, kMostFitColumns) * sizeof(double),
              163U * 1024U);
}

TEST_F(RegionFit, TeamsOfThreadsFindTheFitOfTheCpu) {
    constexpr int kColumns = 7;  // no multiple of the columns that are summed at once
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
    const std::vector<double> alone = fit_by_teams(args, 1);
    const std::vector<double> warp = fit_by_teams(args, 32);

    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t k = i / kLanes % kColumns;
        EXPECT_EQ(a[i] == 0.0, k == 2 || k == 4) << i;
        EXPECT_NEAR(alone[i], a[i], 1e-13) << i;
        EXPECT_NEAR(warp[i], a[i], 1e-13) << i;
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
    const std::vector<double> warp = fit_by_teams(args, 32);

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_NEAR(a[lane], 1.0, 1e-12);
        EXPECT_NEAR(warp[lane], 1.0, 1e-12);
        EXPECT_EQ(a[kLanes + lane], 0.0);
        EXPECT_EQ(warp[kLanes + lane], 0.0);
    }
}

TEST_F(RegionFit, TheFitIsAddedWhereThereIsARegion) {
    constexpr int kColumns = 3;
    const RegionLists lists(subdomains, kNodes, queue);
    const std::size_t size = std::size_t(kNodes) * 3 * kLanes;
    const auto start = numbers<double>(size);
    const auto a = numbers<double>(std::size_t(lists.size) * kColumns * kLanes);
    std::vector<device::Buffer<float>> x;
    device::Buffer<double> cpu(size);
    device::Buffer<double> gpu(size);
    std::copy_n(start.data(), size, cpu.data());
    std::copy_n(start.data(), size, gpu.data());
    AddFitArgs args{lists, kColumns, a, {}, cpu};
    body::AddFit<> add{lists.region_of.data(), kColumns, a.data(), {}, gpu.data()};
    for (int k = 0; k < kColumns; ++k) {
        x.push_back(numbers<float>(size));
        args.x[k] = add.x[k] = x[k].data();
    }

    add_fit(args, queue);
    lanes::run_threads(kNodes, add);

    for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t region = lists.region_of[i / (3 * kLanes)];
        double expected = region < 0 ? 0.0 : start[i];
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
}  // namespace kaname::predictors
