// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/held_tasks.hpp"

#include "tests/unit/worker/agent/lease/pack_of_two.hpp"

namespace kaname::agent::held_tasks_test {
namespace {

TEST(HeldTasks, HeartbeatsTellWhatIsHeldAndHowFarItIs) {
    HeldTasks held;
    const v1::ClaimResponse pack = pack_of_two();
    held.add(pack);
    held.set_progress({pack.tasks(0)}, 0.5, 3.0, "step 2/4");
    held.drop(2);

    v1::HeartbeatRequest beat;
    held.describe(beat);

    ASSERT_EQ(beat.held_size(), 1);
    ASSERT_EQ(beat.progress_size(), 1);
    EXPECT_EQ(beat.progress(0).content_key(), "key of a");
    EXPECT_EQ(beat.progress(0).fraction(), 0.5);
    EXPECT_EQ(held.refs().size(), 1U);
    EXPECT_FALSE(held.all_dropped({pack.tasks(0), pack.tasks(1)}));
    held.drop_all();
    EXPECT_TRUE(held.all_dropped({pack.tasks(0), pack.tasks(1)}));
}

TEST(HeldTasks, WhatIsNotHeldCountsAsDropped) {
    EXPECT_TRUE(HeldTasks().dropped(7));
}

}  // namespace
}  // namespace kaname::agent::held_tasks_test
