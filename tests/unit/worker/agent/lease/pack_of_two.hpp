// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "tests/unit/worker/agent/lease/fake_client.hpp"
#include "worker/agent/lease/held_tasks.hpp"

namespace kaname::agent {

inline v1::ClaimResponse pack_of_two() {
    v1::ClaimResponse pack;
    *pack.add_tasks() = task_of(1, "solve", "a", true);
    *pack.add_tasks() = task_of(2, "solve", "b", true);
    return pack;
}

class CacheTest : public testing::Test {
protected:
    TemporaryFolder folder_;
    FakeClient client_;
    InputCache cache_{folder_.path() / "cache", 1000, client_};
};

}  // namespace kaname::agent
