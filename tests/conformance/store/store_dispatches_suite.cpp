// SPDX-License-Identifier: BSD-3-Clause
// Worker jobs of batch systems.
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"
#include "tests/conformance/suite_support.hpp"

namespace kaname::conformance::store_dispatches_suite {
namespace {

using store::Dispatch;
using store::DispatchState;

const std::string kA = "11111111-1111-4111-8111-111111111111";
const std::string kB = "22222222-2222-4222-8222-222222222222";

TEST_P(StoreConformance, DispatchIsNotedOnceAndEndsOnce) {
    store_.add_dispatch({kA, "login:/s", "gpu"});
    EXPECT_THROW(store_.add_dispatch({kA, "login:/s", "gpu"}), Error);

    Dispatch dispatch = store_.list_dispatches("login:/s", 0).at(0);
    EXPECT_EQ(dispatch.state, DispatchState::Intended);
    EXPECT_GT(dispatch.intended_s, 0);
    dispatch.native_id = "17";
    dispatch.state = DispatchState::Submitted;
    dispatch.reason = "Priority";
    EXPECT_TRUE(store_.change_dispatch(dispatch));
    dispatch.state = DispatchState::Ended;
    dispatch.exit_code = 3;
    EXPECT_TRUE(store_.change_dispatch(dispatch));
    dispatch.state = DispatchState::Running;
    EXPECT_FALSE(store_.change_dispatch(dispatch));

    const auto all = store_.list_dispatches("", 100);
    ASSERT_EQ(all.size(), 1);
    EXPECT_EQ(all[0].state, DispatchState::Ended);
    EXPECT_EQ(all[0].native_id, "17");
    EXPECT_EQ(all[0].reason, "Priority");
    EXPECT_EQ(all[0].exit_code, 3);
    EXPECT_GT(all[0].ended_s, 0);
}

TEST_P(StoreConformance, DispatchesAreListedByPlaceAndForgottenByAge) {
    store_.add_dispatch({kA, "one:/s", "gpu"});
    advance(1);
    store_.add_dispatch({kB, "two:/s", "cpu"});
    EXPECT_EQ(store_.list_dispatches("", 0).size(), 2);
    EXPECT_EQ(store_.list_dispatches("two:/s", 0).at(0).dispatch_id, kB);
    EXPECT_TRUE(store_.list_dispatches("three:/s", 0).empty());

    Dispatch ended = store_.list_dispatches("one:/s", 0).at(0);
    ended.state = DispatchState::Ended;
    EXPECT_TRUE(store_.change_dispatch(ended));
    advance(100);

    EXPECT_TRUE(store_.list_dispatches("one:/s", 50).empty());
    EXPECT_EQ(store_.list_dispatches("one:/s", 200).size(), 1);
    EXPECT_EQ(store_.forget_dispatches(200), 0);
    EXPECT_EQ(store_.forget_dispatches(50), 1);
    EXPECT_EQ(store_.list_dispatches("", 1e6).size(), 1);
}

TEST_P(StoreConformance, ReadyTasksAreCountedByPoolUpToALimit) {
    (void)submit({"a", "b", "c"});
    const std::vector<std::string> pools = {"gpu", "cpu"};

    EXPECT_EQ(store_.count_ready(pools, 100), (std::vector<std::int64_t>{3, 0}));
    EXPECT_EQ(store_.count_ready(pools, 2), (std::vector<std::int64_t>{2, 0}));
    (void)claim("w");
    EXPECT_EQ(store_.count_ready(pools, 100), (std::vector<std::int64_t>{0, 0}));
}

}  // namespace
}  // namespace kaname::conformance::store_dispatches_suite
