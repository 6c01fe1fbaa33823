// SPDX-License-Identifier: BSD-3-Clause
// Predictors report their history and take it back.
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/p2/predictors/data_driven.hpp"
#include "solvers/p2/predictors/predictor.hpp"
#include "solvers/p2/predictors/projection.hpp"
#include "tests/unit/solvers/p2/predictors/history.hpp"

namespace kaname::predictors::earlier_increment_test {
namespace {

constexpr int kNodes = 60;
constexpr int kSteps = 9;
using lanes::kLanes;

class KeptHistory : public testing::TestWithParam<const char*> {
protected:
    KeptHistory() {
        std::iota(ids.begin(), ids.end(), 100);
        subdomains.ptr = {0, kNodes};
        subdomains.node.resize(kNodes);
        std::iota(subdomains.node.begin(), subdomains.node.end(), 0);
    }
    std::unique_ptr<Predictor> make() {
        const std::string name = GetParam();
        if (name == "projection") {
            return std::make_unique<Projection>(ids, std::span<const std::uint8_t>(),
                                                ProjectionParams{}, comm, queue);
        }
        if (name == "data_driven") {
            return std::make_unique<DataDriven>(subdomains, DataDrivenParams{}, relaxation.size(),
                                                halo, queue);
        }
        return std::make_unique<IncrementHistory>(Polynomial::Cubic, relaxation.size(), queue);
    }
    void feed(Predictor& predictor, int n) {
        const device::Buffer<double> zero(relaxation.size());
        for (int step = 0; step < n; ++step) {
            const device::Buffer<double> du = relaxation.increment(step);
            predictor.push(du, du, zero, queue);
        }
    }

    comm::SerialComm comm;
    device::Queue queue;
    comm::Halo halo;
    std::vector<std::int64_t> ids = std::vector<std::int64_t>(kNodes);
    Subdomains subdomains;
    Relaxation relaxation{kNodes, 4};
};

TEST_P(KeptHistory, TellsTheIncrementsThatWerePushed) {
    for (const int n : {1, 2, 3, kSteps}) {
        const auto predictor = make();
        feed(*predictor, n);
        ASSERT_GE(predictor->n_known(), std::min(n, 4));
        for (int back = 0; back < std::min(n, 4); ++back) {
            device::Buffer<double> du(relaxation.size());

            predictor->known(back, du, queue);

            for (int lane = 0; lane < kLanes; ++lane) {  // differences are kept in FP32
                EXPECT_LT(difference(du, relaxation.increment(n - 1 - back), lane), 1e-6)
                    << back << " before the newest of " << n;
            }
        }
    }
}

TEST_P(KeptHistory, PredictsTheSameBitsFromItsState) {
    const auto predictor = make();
    feed(*predictor, kSteps);
    StateBytes written;
    predictor->exchange(written, queue);

    const auto other = make();
    StateBytes read(written.bytes());
    other->exchange(read, queue);

    const device::Buffer<double> f = relaxation.increment(kSteps);
    device::Buffer<double> a(relaxation.size());
    device::Buffer<double> b(relaxation.size());
    predictor->predict(a, f, queue);
    other->predict(b, f, queue);
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i], b[i]);
    }
}

TEST_P(KeptHistory, StateThatEndsEarlyIsRefused) {
    const auto predictor = make();
    feed(*predictor, kSteps);
    StateBytes written;
    predictor->exchange(written, queue);
    auto bytes = written.bytes();
    bytes.resize(bytes.size() / 2);
    StateBytes half(std::move(bytes));

    EXPECT_THROW(make()->exchange(half, queue), Error);
}

INSTANTIATE_TEST_SUITE_P(Predictors, KeptHistory,
                         testing::Values("cubic", "projection", "data_driven"),
                         [](const auto& info) { return std::string(info.param); });

TEST(EarlierIncrement, OneThatWasNotKeptIsRefused) {
    device::Queue queue;
    device::Buffer<double> du(12);

    EXPECT_THROW(earlier_increment(2, du, du, {}, du, queue), Error);
}

}  // namespace
}  // namespace kaname::predictors::earlier_increment_test
