// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/run/embedded/data_folder.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::embedded::state_lock_test {
namespace {

TEST(StateLock, SecondServerIsRefusedWithThePidOfTheFirst) {
    const TemporaryFolder state;
    const StateLock first(state.path());

    try {
        const StateLock second(state.path());
        FAIL() << "two servers hold one state folder";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Conflict);
        EXPECT_NE(std::string(error.what()).find("pid " + std::to_string(::getpid())),
                  std::string::npos)
            << error.what();
    }
}

TEST(StateLock, TellsItsHolder) {
    const TemporaryFolder state;
    EXPECT_EQ(StateLock::holder(state.path()), std::nullopt);

    std::optional<StateLock> lock(std::in_place, state.path());

    EXPECT_EQ(StateLock::holder(state.path()), run::identify(::getpid()));
    lock.reset();
    EXPECT_EQ(StateLock::holder(state.path()), std::nullopt);
}

TEST(StateLock, IsFreeAgainWhenItsHolderWasKilled) {
    const TemporaryFolder state;
    const pid_t child = ::fork();
    if (child == 0) {
        const StateLock lock(state.path());
        ::_exit(0);  // as abrupt as SIGKILL: no destructor runs
    }
    ::waitpid(child, nullptr, 0);

    EXPECT_NO_THROW(const StateLock lock(state.path()));
}

TEST(StateLock, FolderThatDoesNotExistHasNoHolder) {
    const TemporaryFolder state;

    EXPECT_EQ(StateLock::holder(state.path() / "none"), std::nullopt);
}

}  // namespace
}  // namespace kaname::embedded::state_lock_test
