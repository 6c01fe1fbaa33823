// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/service/workers/gpu_board.hpp"

namespace kaname::service::gpu_history_test {
namespace {

using std::chrono::seconds;

class GpuHistoryTest : public testing::Test {
protected:
    void tell(const std::string& uuid, double utilisation) {
        google::protobuf::RepeatedPtrField<v1::GpuStatus> gpus;
        v1::GpuStatus& gpu = *gpus.Add();
        gpu.set_uuid(uuid);
        gpu.set_utilisation_ratio(utilisation);
        gpu.set_memory_used_bytes(1);
        gpu.set_memory_total_bytes(4);
        history_.note("w1", gpus);
    }
    v1::GpuHistory only(const std::string& uuid) {
        const auto gpus = history_.list(uuid, "", 10);
        EXPECT_EQ(gpus.size(), 1U);
        return gpus.empty() ? v1::GpuHistory() : gpus[0];
    }

    GpuHistory::Clock::time_point now_{seconds(1500000000)};
    GpuHistory history_{[this] { return now_; }};
};

TEST_F(GpuHistoryTest, ASampleIsTheLastWordOfItsStep) {
    tell("GPU-1", 0.25);
    now_ += seconds(5);
    tell("GPU-1", 0.5);
    now_ += seconds(10);
    tell("GPU-1", 1.0);

    const v1::GpuHistory gpu = only("GPU-1");
    ASSERT_EQ(gpu.utilisation_ratio_size(), 2);
    EXPECT_EQ(gpu.utilisation_ratio(0), 0.5F);
    EXPECT_EQ(gpu.utilisation_ratio(1), 1.0F);
    EXPECT_EQ(gpu.memory_used_ratio(1), 0.25F);
    EXPECT_EQ(gpu.power_w(1), -1.0F);  // it did not say
    EXPECT_EQ(gpu.last_s(), 1500000015.0);
    EXPECT_EQ(gpu.every_s(), 15.0);
    EXPECT_EQ(gpu.worker(), "workers/w1");
}

TEST_F(GpuHistoryTest, StepsWithoutAWordAreGaps) {
    tell("GPU-1", 0.5);
    now_ += seconds(45);
    tell("GPU-1", 1.0);

    const v1::GpuHistory gpu = only("GPU-1");
    ASSERT_EQ(gpu.utilisation_ratio_size(), 4);
    EXPECT_EQ(gpu.utilisation_ratio(1), -1.0F);
    EXPECT_EQ(gpu.utilisation_ratio(3), 1.0F);
}

TEST_F(GpuHistoryTest, ItGoesBackForAnHourAndNoFurther) {
    for (int k = 0; k < 1000; ++k, now_ += seconds(15)) {
        tell("GPU-1", 0.001 * k);
    }
    const v1::GpuHistory gpu = only("GPU-1");
    ASSERT_EQ(gpu.utilisation_ratio_size(), 240);
    EXPECT_EQ(gpu.utilisation_ratio(239), 0.999F);

    tell("GPU-2", 0.5);
    now_ += seconds(3601);
    EXPECT_TRUE(history_.list("", "", 10).empty());
}

TEST_F(GpuHistoryTest, OfTooManyTheOldestGo) {
    for (std::size_t k = 0; k < GpuHistory::kMostGpus + 10; ++k) {
        tell("GPU-" + std::to_string(k), 0.5);
        now_ += seconds(k < 10 ? 15 : 0);
    }
    EXPECT_TRUE(history_.list("GPU-3", "", 10).empty());
    EXPECT_EQ(history_.list("", "", 100000).size(), GpuHistory::kMostGpus);
}

TEST_F(GpuHistoryTest, ListsGoOnBehindTheLast) {
    for (const char* uuid : {"GPU-1", "GPU-2", "GPU-3"}) {
        tell(uuid, 0.5);
    }
    EXPECT_EQ(history_.list("", "", 2).size(), 2U);
    const auto rest = history_.list("", "GPU-2", 2);
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(rest[0].status().uuid(), "GPU-3");
}

}  // namespace
}  // namespace kaname::service::gpu_history_test
