// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/detached.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::run::detached_test {
namespace {

using std::chrono::seconds;

class DetachedTest : public ::testing::Test {
protected:
    [[nodiscard]] std::string logged() const { return read_file_if_any(log); }

    /// Returns the output of the program, once it has ended.
    [[nodiscard]] std::string output_of(DetachedOptions options) const {
        options.log = log;
        EXPECT_TRUE(wait_until_gone(start_detached(options), seconds(10)));
        return logged();
    }

    TemporaryFolder folder;
    std::filesystem::path log = folder.path() / "log";
};

TEST_F(DetachedTest, OutlivesItsStarter) {
    const std::filesystem::path record = folder.path() / "pid";
    const pid_t starter = ::fork();
    if (starter == 0) {
        const ProcessId id = start_detached({.argv = {"/bin/sleep", "30"}, .log = log});
        write_file(record, to_text(id));
        ::_exit(0);
    }
    ::waitpid(starter, nullptr, 0);

    const std::optional<ProcessId> id = parse_process_id(read_file_if_any(record));

    ASSERT_TRUE(id.has_value());
    EXPECT_TRUE(is_running(*id));
    EXPECT_TRUE(send_signal(*id, SIGKILL));
    EXPECT_TRUE(wait_until_gone(*id, seconds(10)));
}

TEST_F(DetachedTest, AppendsBothStreamsToTheLog) {
    write_file(log, "before\n");

    const std::string text = output_of({.argv = {"/bin/sh", "-c", "echo out; echo err >&2"}});

    EXPECT_EQ(text, "before\nout\nerr\n");
}

TEST_F(DetachedTest, HasNoOpenDescriptorsOfTheStarter) {
    const std::ofstream open_here(folder.path() / "open");

    // Not a pipeline, whose ends the shell has open for a moment; not the last command, which the
    // shell may become.
    const std::string text = output_of({.argv = {"/bin/sh", "-c", "ls /proc/$$/fd; true"}});

    EXPECT_EQ(text, "0\n1\n2\n");
}

TEST_F(DetachedTest, LeadsItsOwnSessionWithEmptyInput) {
    const ProcessId id = start_detached({.argv = {"/bin/sleep", "30"}, .log = log});

    const pid_t session = ::getsid(id.pid);
    const std::string input =
        std::filesystem::read_symlink("/proc/" + std::to_string(id.pid) + "/fd/0").string();
    send_signal(id, SIGKILL);

    EXPECT_EQ(session, id.pid);
    EXPECT_EQ(input, "/dev/null");
}

TEST_F(DetachedTest, MissingProgramIsNotFound) {
    try {
        [[maybe_unused]] const ProcessId id =
            start_detached({.argv = {support::absent("program")}, .log = log});
        FAIL() << "was started";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NotFound);
        EXPECT_NE(std::string(error.what()).find(support::absent("program")), std::string::npos);
    }
}

TEST_F(DetachedTest, FileThatIsNoProgramIsUnavailable) {
    write_file(folder.path() / "text", "not a program");

    try {
        [[maybe_unused]] const ProcessId id =
            start_detached({.argv = {(folder.path() / "text").string()}, .log = log});
        FAIL() << "was started";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
    }
}

TEST_F(DetachedTest, ProgramNeverRunsWhenItsRecordCannotBeWritten) {
    std::optional<ProcessId> seen;
    const auto refuse = [&](const ProcessId& id) {
        seen = id;
        throw std::runtime_error("disk full");
    };

    EXPECT_THROW((void)start_detached(
                     {.argv = {"/bin/sh", "-c", "echo ran"}, .log = log, .before_exec = refuse}),
                 std::runtime_error);

    ASSERT_TRUE(seen.has_value());
    EXPECT_TRUE(wait_until_gone(*seen, seconds(10)));
    EXPECT_EQ(logged(), "");
}

TEST_F(DetachedTest, RunsAsTheUserThatIsNamed) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root may change the user";
    }
    const User user = find_user("nobody");

    const std::string text = output_of({.argv = {"/bin/sh", "-c", "id -u"}, .user = user});

    EXPECT_EQ(text, std::to_string(user.uid) + "\n");
}

TEST(ProcessId, NeverSignalsAnotherProcessOfTheSameNumber) {
    ProcessId stale = *identify(::getpid());
    --stale.start_ticks;

    EXPECT_FALSE(is_running(stale));
    EXPECT_FALSE(send_signal(stale, SIGKILL));
}

TEST(ProcessId, DoesNotTakeAThreadForAProcess) {
    pid_t thread_number = 0;
    std::optional<ProcessId> found;

    std::thread([&] {
        thread_number = static_cast<pid_t>(::syscall(SYS_gettid));
        found = identify(thread_number);
    }).join();

    EXPECT_NE(thread_number, ::getpid());
    EXPECT_EQ(found, std::nullopt);
}

TEST(ProcessId, DoesNotTakeAZombieForAProcess) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(0);
    }
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);

    const std::optional<ProcessId> found = identify(child);
    ::waitpid(child, nullptr, 0);

    EXPECT_EQ(found, std::nullopt);
}

TEST(ProcessId, TextIsReadBackAndOtherTextIsNot) {
    const ProcessId id = *identify(::getpid());

    EXPECT_EQ(parse_process_id(to_text(id)), id);
    EXPECT_EQ(parse_process_id("1234"), std::nullopt);
    EXPECT_EQ(parse_process_id(""), std::nullopt);
}

}  // namespace
}  // namespace kaname::run::detached_test
