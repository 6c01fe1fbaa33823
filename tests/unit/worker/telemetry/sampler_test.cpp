// SPDX-License-Identifier: BSD-3-Clause
#include "worker/telemetry/sampler.hpp"

#include <future>

#include <gtest/gtest.h>

namespace kaname::telemetry::sampler_test {
namespace {

using namespace std::chrono_literals;

/// One GPU with an XID per reading; tells when it was read often enough.
class Counting final : public GpuTelemetry {
public:
    Counting(int enough, std::promise<void>& read) : enough_(enough), read_(read) {}
    std::vector<GpuReading> read() override {
        GpuReading reading;
        reading.uuid = "GPU-a";
        ++n_reads_;
        if (n_reads_ <= enough_) {
            reading.new_xids = {static_cast<std::uint32_t>(n_reads_)};
        }
        if (n_reads_ == enough_ + 1) {  // what came before has been kept
            read_.set_value();
        }
        return {reading};
    }

private:
    int enough_, n_reads_ = 0;
    std::promise<void>& read_;
};

TEST(Sampler, XidsBetweenTwoLooksAreAllTold) {
    std::promise<void> read;
    Sampler sampler(std::make_unique<Counting>(3, read), 0ms);
    read.get_future().wait();

    const std::vector<GpuReading> readings = sampler.take();

    ASSERT_EQ(readings.size(), 1U);
    EXPECT_EQ(readings[0].uuid, "GPU-a");
    EXPECT_EQ(readings[0].new_xids, (std::vector<std::uint32_t>{1, 2, 3}));
    EXPECT_TRUE(sampler.take().at(0).new_xids.empty());
}

/// A driver that never answers, until the test lets it.
class Hanging final : public GpuTelemetry {
public:
    Hanging(std::promise<void>& reading, std::shared_future<void> release)
        : reading_(reading), release_(std::move(release)) {}
    std::vector<GpuReading> read() override {
        reading_.set_value();
        release_.wait();
        return {};
    }

private:
    std::promise<void>& reading_;
    std::shared_future<void> release_;
};

TEST(Sampler, ADriverThatHangsKeepsNobodyWaiting) {
    std::promise<void> reading, release;
    {
        Sampler sampler(std::make_unique<Hanging>(reading, release.get_future().share()));
        reading.get_future().wait();

        EXPECT_TRUE(sampler.take().empty());
    }  // ends although the reading does not

    release.set_value();
}

}  // namespace
}  // namespace kaname::telemetry::sampler_test
