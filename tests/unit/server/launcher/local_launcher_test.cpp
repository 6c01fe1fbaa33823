// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include "server/launcher/launcher.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::launcher::local_launcher_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class LocalLauncherTest : public ::testing::Test {
protected:
    ~LocalLauncherTest() override { LocalLauncher::stop_all_in(agents, seconds(0)); }

    LocalLauncher make(const std::string& script = "exec sleep 60") {
        const fs::path program = folder.path() / "agent";
        write_file(program, "#!/bin/sh\n" + script + "\n");
        fs::permissions(program, fs::perms(0755));
        return LocalLauncher({.program = program,
                              .server = "127.0.0.1:7000",
                              .give_token =
                                  [this](const std::string& name, const fs::path& file) {
                                      given.push_back(name);
                                      write_file(file, "secret of " + name);
                                  },
                              .take_token =
                                  [this](const fs::path& file) {
                                      taken.push_back(file.stem().string());
                                      fs::remove(file);
                                  },
                              .folder = agents,
                              .ranks = 2,
                              .threads = 3,
                              .device = "cuda",
                              .idle_exit_s = 12.5});
    }

    static bool holds_within(seconds limit, const std::function<bool()>& condition) {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline) {
                return false;
            }
            ::usleep(10'000);
        }
        return true;
    }

    std::vector<std::string> given, taken;
    TemporaryFolder folder;
    fs::path agents = folder.path() / "agents";
};

TEST_F(LocalLauncherTest, StartsAnAgentWithItsSettings) {
    LocalLauncher launcher = make("echo \"$@\"");

    launcher.start();

    const std::string expected =
        "--server 127.0.0.1:7000 --token-file " + (agents / "local-1.token").string() + " --work " +
        (agents / "local-1").string() +
        " --name local-1 --ranks 2 --threads 3 --device cuda --idle-exit-s "
        "12.5\n";
    EXPECT_TRUE(holds_within(seconds(10), [&] {
        return read_file_if_any(agents / "local-1.log") == expected;
    })) << read_file_if_any(agents / "local-1.log");
}

TEST_F(LocalLauncherTest, TokensOfAgentsThatHaveGoneAreTakenBack) {
    LocalLauncher launcher = make();
    launcher.start();
    launcher.start();
    EXPECT_EQ(launcher.alive(), 2);
    EXPECT_EQ(taken, std::vector<std::string>{});
    const auto first = run::parse_process_id(read_file_if_any(agents / "local-1.pid"));
    run::send_signal(*first, SIGKILL);
    ASSERT_TRUE(run::wait_until_gone(*first, seconds(10)));

    EXPECT_EQ(launcher.alive(), 1);

    EXPECT_EQ(given, (std::vector<std::string>{"local-1", "local-2"}));
    EXPECT_EQ(taken, std::vector<std::string>{"local-1"});
    EXPECT_FALSE(fs::exists(agents / "local-1.token"));
    launcher.stop_all(seconds(5));
    EXPECT_EQ(taken, (std::vector<std::string>{"local-1", "local-2"}));
}

TEST_F(LocalLauncherTest, RunningAgentsHaveDifferentNamesAndEndedOnesGiveTheirsBack) {
    LocalLauncher launcher = make();
    launcher.start();
    launcher.start();
    const auto first = run::parse_process_id(read_file_if_any(agents / "local-1.pid"));
    ASSERT_TRUE(first.has_value());
    run::send_signal(*first, SIGKILL);
    ASSERT_TRUE(run::wait_until_gone(*first, seconds(10)));
    EXPECT_EQ(launcher.alive(), 1);

    launcher.start();

    EXPECT_EQ(launcher.alive(), 2);
    EXPECT_TRUE(fs::exists(agents / "local-2.pid"));
    EXPECT_FALSE(fs::exists(agents / "local-3.pid"));
}

TEST_F(LocalLauncherTest, RestartedServerKnowsTheAgentsOfTheOneBefore) {
    {
        LocalLauncher before = make();
        before.start();
    }

    LocalLauncher after = make();

    EXPECT_EQ(after.alive(), 1);
    after.stop_all(seconds(10));
    EXPECT_EQ(after.alive(), 0);
}

TEST_F(LocalLauncherTest, NeverSignalsAProcessThatGotAnAgentsNumber) {
    LocalLauncher launcher = make();
    run::ProcessId reused = *run::identify(::getpid());
    --reused.start_ticks;
    write_file(agents / "local-1.pid", run::to_text(reused));

    EXPECT_EQ(launcher.alive(), 0);
    launcher.stop_all(seconds(0));  // a signal would end this test

    launcher.start();
    EXPECT_EQ(launcher.alive(), 1);
    EXPECT_FALSE(fs::exists(agents / "local-2.pid"));
}

TEST_F(LocalLauncherTest, DamagedPidFileIsNoAgent) {
    LocalLauncher launcher = make();
    write_file(agents / "local-1.pid", "garbage");

    EXPECT_EQ(launcher.alive(), 0);
}

TEST_F(LocalLauncherTest, EndsAnAgentThatIgnoresTheRequestToLeave) {
    LocalLauncher launcher = make("trap '' TERM; echo deaf; while :; do sleep 0.1; done");
    launcher.start();
    ASSERT_TRUE(holds_within(seconds(10),
                             [&] { return read_file_if_any(agents / "local-1.log") == "deaf\n"; }));

    launcher.stop_all(seconds(0));

    EXPECT_EQ(launcher.alive(), 0);
}

TEST_F(LocalLauncherTest, MissingProgramIsAnErrorAndNoAgent) {
    LocalLauncher launcher(
        {.program = support::absent("kaname-agent"),
         .server = "127.0.0.1:7000",
         .give_token = [](const std::string&, const fs::path& file) { write_file(file, "secret"); },
         .take_token = [](const fs::path& file) { fs::remove(file); },
         .folder = agents});

    EXPECT_THROW(launcher.start(), Error);

    EXPECT_EQ(launcher.alive(), 0);
    EXPECT_FALSE(fs::exists(agents / "local-1.token"));
}

}  // namespace
}  // namespace kaname::launcher::local_launcher_test
