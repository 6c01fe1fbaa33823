// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/machine.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"

namespace kaname::machine_test {
namespace {

class ControlGroups : public ::testing::Test {
protected:
    void write(const std::string& file, const std::string& text) const {
        const auto path = folder_.path() / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    [[nodiscard]] ControlGroupLimits limits(const std::string& membership) const {
        return control_group_limits(membership, folder_.path());
    }
    TemporaryFolder folder_;
};

TEST_F(ControlGroups, OfTheSecondVersionTheTightestOfAllAboveHolds) {
    write("cpu.max", "max 100000\n");
    write("slurm/cpu.max", "150000 100000\n");
    write("slurm/memory.max", "8000000000\n");
    write("slurm/memory.current", "3000000000\n");
    write("slurm/memory.stat", "anon 2000000000\ninactive_file 500000000\n");
    write("slurm/job_7/cpu.max", "400000 100000\n");
    write("slurm/job_7/memory.max", "max\n");

    const ControlGroupLimits found = limits("0::/slurm/job_7\n");

    EXPECT_EQ(found.cores, 1.5);
    EXPECT_EQ(found.memory_bytes, 8e9);
    EXPECT_EQ(found.left_bytes, 5.5e9) << "what can be dropped is not in use";
}

TEST_F(ControlGroups, OfTheFirstVersionEachControllerHasItsOwn) {
    write("cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "50000\n");
    write("cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
    write("memory/docker/abc/memory.limit_in_bytes", "1000000000\n");
    write("memory/docker/abc/memory.usage_in_bytes", "1500000000\n");
    write("memory/memory.limit_in_bytes", "9223372036854771712\n");

    const ControlGroupLimits found = limits("4:cpu,cpuacct:/docker/abc\n5:memory:/docker/abc\n");

    EXPECT_EQ(found.cores, 0.5);
    EXPECT_EQ(found.memory_bytes, 1e9);
    EXPECT_EQ(found.left_bytes, 0.0);
}

TEST_F(ControlGroups, WhatIsMissingOrUnlimitedLimitsNothing) {
    write("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    write("cpu,cpuacct/cpu.cfs_period_us", "100000\n");

    for (const char* text : {"", "0::/\n", "4:cpu,cpuacct:/\n", "0::/not/there\n", "no colon\n"}) {
        const ControlGroupLimits found = limits(text);
        EXPECT_TRUE(std::isinf(found.cores) && std::isinf(found.memory_bytes)) << text;
    }
}

TEST(ThreadsByDefault, AreThoseOfTheEnvironmentOrACoreEach) {
    ::setenv("OMP_NUM_THREADS", "3,2", 1);
    EXPECT_EQ(threads_by_default(8), 3);
    ::setenv("OMP_NUM_THREADS", "none", 1);
    EXPECT_EQ(threads_by_default(1), this_machine().cores);
    ::unsetenv("OMP_NUM_THREADS");
    EXPECT_EQ(threads_by_default(100000), 1);
}

}  // namespace
}  // namespace kaname::machine_test
