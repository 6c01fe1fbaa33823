// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/halo_sum.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/lanes.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::linalg::halo_sum_test {
namespace {

/// Three ranks of overlapping ids: rank r holds 10 r .. 10 r + 14, and all hold 100.
std::vector<std::int64_t> ids_of(int rank) {
    std::vector<std::int64_t> ids = {100};
    for (int k = 14; k >= 0; --k) {
        ids.push_back(10 * rank + k);
    }
    return ids;
}

TEST(HaloSum, SharedItemsAloneGiveTheSameSums) {
    // The test does as a GPU does: it packs shared items, sums them by the compact halo, and writes
    // them back.
    constexpr int kWidth = 5 * lanes::kLanes;
    comm::run_as_threads(3, [](comm::Comm& comm) {
        device::Queue queue;
        const auto ids = ids_of(comm.rank());
        comm::Halo halo(comm, ids);
        std::vector<double> whole(ids.size() * kWidth);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            whole[i] = std::sin(1.0 + static_cast<double>(i) + 3.0 * comm.rank());
        }
        std::vector<double> by_parts = whole;

        HaloSum(halo, queue).sum<double>(whole, kWidth, queue);

        comm::Halo compact = halo.of_shared();
        std::vector<double> packed(halo.shared().size() * kWidth);
        lanes::gather_items<double>(halo.shared(), kWidth, by_parts, packed, queue);
        compact.sum(std::span<double>(packed), kWidth);
        lanes::scatter_items<double>(halo.shared(), kWidth, packed, by_parts, queue);
        EXPECT_EQ(by_parts, whole);
        EXPECT_EQ(compact.shared().size(), halo.shared().size());
        for (std::size_t k = 0; k < halo.shared().size(); ++k) {
            EXPECT_EQ(compact.owned(static_cast<std::int32_t>(k)), halo.owned(halo.shared()[k]));
        }
    });
}

TEST(HaloSum, NothingSharedNeedsNoExchange) {
    comm::run_as_threads(2, [](comm::Comm& comm) {
        device::Queue queue;
        const std::vector<std::int64_t> ids = {comm.rank() + std::int64_t{0},
                                               comm.rank() + std::int64_t{10}};
        comm::Halo halo(comm, ids);
        std::vector<float> values = {1.0F, 2.0F};
        HaloSum sum(halo, queue);
        sum.sum<float>(values, 1, queue);
        EXPECT_EQ(values, (std::vector<float>{1.0F, 2.0F}));
        EXPECT_TRUE(sum.owned().empty());
        EXPECT_TRUE(halo.of_shared().shared().empty());
    });
}

}  // namespace
}  // namespace kaname::linalg::halo_sum_test
