// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/sketch.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::linalg::sketch_test {
namespace {

using lanes::kLanes;

constexpr int kNodes = 500;
constexpr int kBuckets = 64;

class SketchTest : public testing::Test {
protected:
    SketchTest() {
        for (int node = 0; node < kNodes; ++node) {
            gid.push_back(7 * node + 3);
            owned.push_back(node % 11 == 4 ? 0 : 1);
        }
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = std::sin(1.0 + 0.9 * static_cast<double>(i));
        }
    }
    comm::SerialComm comm;
    device::Queue queue;
    std::vector<std::int64_t> gid;
    std::vector<std::uint8_t> owned;
    device::Buffer<double> v{std::size_t(kNodes) * 3 * kLanes};
};

TEST_F(SketchTest, KeepsTheNormNearly) {
    Sketch sketch(gid, {}, 4096, comm, queue);
    const auto s = sketch.of(v, queue);
    for (int lane = 0; lane < kLanes; ++lane) {
        double exact = 0.0;
        double projected = 0.0;
        for (std::size_t i = lane; i < v.size(); i += kLanes) {
            exact += v[i] * v[i];
        }
        for (int bucket = 0; bucket < 4096; ++bucket) {
            projected += std::pow(s[std::size_t(lane) * 4096 + bucket], 2);
        }
        EXPECT_NEAR(projected / exact, 1.0, 0.1);
    }
}

TEST_F(SketchTest, BucketsOfTheGpuHoldTheSameSums) {
    // A list of places is made from the sketches of unit vectors.
    Sketch sketch(gid, owned, kBuckets, comm, queue);
    std::vector<std::int32_t> place(std::size_t(kNodes) * 3, 0);
    for (std::size_t number = 0; number < place.size(); ++number) {
        device::Buffer<double> unit(v.size());
        unit[number * kLanes] = 1.0;
        const auto s = sketch.of(unit, queue);
        for (int bucket = 0; bucket < kBuckets; ++bucket) {
            if (s[bucket] != 0.0) {
                EXPECT_EQ(place[number], 0);
                place[number] = s[bucket] > 0.0 ? bucket + 1 : -(bucket + 1);
            }
        }
        EXPECT_EQ(place[number] == 0, owned[number / 3] == 0);
    }
    const SketchEntries entries = entries_by_bucket(place, kBuckets);
    const body::SketchBucket<> body{entries.ptr.data(), entries.entry.data(), v.data()};
    const auto on_cpu = sketch.of(v, queue);
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
        for (int lane = 0; lane < kLanes; ++lane) {
            const double sum = lanes::row_of_warp(body, bucket, lane)[0];
            double plain = 0.0;
            for (std::size_t number = 0; number < place.size(); ++number) {
                const double value = v[number * kLanes + lane];
                plain += place[number] == bucket + 1      ? value
                         : place[number] == -(bucket + 1) ? -value
                                                          : 0.0;
            }
            EXPECT_NEAR(sum, plain, 1e-12);
            EXPECT_NEAR(on_cpu[std::size_t(lane) * kBuckets + bucket], plain, 1e-12);
        }
    }
}

}  // namespace
}  // namespace kaname::linalg::sketch_test
