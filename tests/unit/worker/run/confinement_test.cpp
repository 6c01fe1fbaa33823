// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/confinement.hpp"

#include <algorithm>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solvers/base/files.hpp"
#include "worker/run/process.hpp"

namespace kaname::run::confinement_test {
namespace {

class ConfinementTest : public testing::Test {
protected:
    void SetUp() override {
        if (landlock_version() == 0) {
            GTEST_SKIP() << "this kernel has no Landlock";
        }
        for (const char* name : {"read", "write", "other"}) {
            std::filesystem::create_directory(folder_.path() / name);
            write_file(path(name) + "/file", std::string(name) + '\n');
        }
    }
    std::string path(const std::string& name) { return (folder_.path() / name).string(); }
    /// Runs a confined shell; returns its output, and true if its last command succeeded.
    std::pair<std::string, bool> run(const std::string& script) {
        Process process({.argv = {"/bin/bash", "-c", script},
                         .env = {},
                         .limits = {.confinement = Confinement{{path("read")}, {path("write")}}}});
        std::string said;
        while (process.read_lines(std::chrono::milliseconds(1000),
                                  [&](Source source, std::string_view line) {
                                      said += source == Source::Stdout ? std::string(line) : "";
                                  })) {
        }
        return {said, process.wait().ok()};
    }

    // A rank may touch shared memory, where temporary files may lie.
    TemporaryFolder folder_{"/var/tmp"};
};

TEST_F(ConfinementTest, AChildTouchesWhatItWasGivenAndNothingElse) {
    EXPECT_EQ(run("cat " + path("read/file")), std::pair(std::string("read"), true));
    EXPECT_TRUE(run("echo new > " + path("write/made") + " && rm " + path("write/file")).second);
    EXPECT_EQ(read_file_if_any(path("write/made")), "new\n");

    EXPECT_EQ(run("cat " + path("other/file")), std::pair(std::string(), false));
    for (const char* place : {"read/file", "other/file", "other/made"}) {
        EXPECT_FALSE(run("echo damage > " + path(place)).second) << place;
    }
    EXPECT_FALSE(run("rm " + path("read/file")).second);
    EXPECT_EQ(read_file_if_any(path("read/file")), "read\n");
    EXPECT_EQ(read_file_if_any(path("other/file")), "other\n");
    EXPECT_FALSE(std::filesystem::exists(path("other/made")));
}

TEST_F(ConfinementTest, ChildrenOfTheChildAreConfinedToo) {
    EXPECT_FALSE(run("bash -c 'cat " + path("other/file") + "'").second);
    EXPECT_EQ(run("grep NoNewPrivs /proc/self/status").first, "NoNewPrivs:\t1");
}

TEST_F(ConfinementTest, OfThisMachineItReadsWhatAStartNeedsAlone) {
    // A canary in the environment of this process, and its memory: readable to the same user.
    ::setenv("KANAME_TEST_CANARY", "canary-5f1b8d02", 1);
    const std::string self = "/proc/" + std::to_string(::getpid());
    for (const std::string& place :
         {std::string("/etc/passwd"), std::string("/etc/hostname"), std::string("/etc/shadow"),
          std::string("/etc/ssl/openssl.cnf"), std::string("/root/.bashrc"),
          std::string("/var/log/dpkg.log"), self + "/environ", self + "/maps",
          self + "/root/etc/passwd", self + "/cwd/."}) {
        const std::string read = place.ends_with('.') ? "ls " : "head -c 16 ";
        EXPECT_EQ(run(read + place), std::pair(std::string(), false)) << place;
    }
    for (const auto& entry : std::filesystem::directory_iterator("/dev")) {
        if (entry.is_block_file()) {
            EXPECT_FALSE(run("head -c 1 " + entry.path().string()).second) << entry.path();
        }
    }
    ::unsetenv("KANAME_TEST_CANARY");

    EXPECT_TRUE(run("head -c 1 /proc/cpuinfo && head -c 1 /dev/urandom > /dev/null").second);
}

TEST_F(ConfinementTest, OfRootsRightsThoseAreLeftThatOpenFiles) {
    const std::string left = run("grep CapEff /proc/self/status").first;

    ASSERT_TRUE(left.starts_with("CapEff:\t")) << left;
    EXPECT_EQ(std::stoull(left.substr(8), nullptr, 16) & ~0x80400eULL, 0U) << left;
}

TEST_F(ConfinementTest, NoProcessOutsideIsSignalled) {
    if (landlock_version() < 6) {
        GTEST_SKIP() << "this kernel's Landlock knows no signals";
    }
    EXPECT_FALSE(run("kill -0 " + std::to_string(::getpid())).second);
    EXPECT_TRUE(run("sleep 60 & kill $!").second);
}

TEST_F(ConfinementTest, ARankConfinesItselfAndKeepsItsArguments) {
    const auto rank = [&](const std::string& script) {
        std::vector<std::string> command =
            confined_rank("/agent", Confinement{{path("read")}, {path("write")}});
        EXPECT_EQ(command[1], kConfined);
        command.insert(command.end(), {"/bin/bash", "-c", script, "name", "an argument"});
        const pid_t child = ::fork();
        if (child == 0) {
            ::_exit(become_confined_rank({command.begin() + 2, command.end()}));
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    };

    EXPECT_EQ(rank("[ \"$1\" = 'an argument' ] && echo rank > " + path("write/made")), 0);
    EXPECT_EQ(read_file_if_any(path("write/made")), "rank\n");
    EXPECT_NE(rank("cat < " + path("other/file")), 0);
    EXPECT_EQ(become_confined_rank({"--everything"}), 2);
}

TEST_F(ConfinementTest, LibrariesOutsideUsrAreFoundBeforeTheStart) {
    const auto needed = needed_to_start("/bin/bash");

    EXPECT_NE(std::ranges::find(needed, "/bin/bash"), needed.end());
    EXPECT_TRUE(std::ranges::any_of(needed, [](const std::filesystem::path& folder) {
        return std::filesystem::exists(folder / "libc.so.6");
    }));
    EXPECT_EQ(why_not_confined("/bin/bash", {needed, {}}), "");
}

TEST_F(ConfinementTest, NoPortIsReached) {
    if (landlock_version() < 4) {
        GTEST_SKIP() << "this kernel's Landlock knows no ports";
    }
    const Fd listener(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    socklen_t size = sizeof address;
    ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    const std::string port = std::to_string(ntohs(address.sin_port));

    EXPECT_FALSE(run("exec 3<>/dev/tcp/127.0.0.1/" + port).second);
}

}  // namespace
}  // namespace kaname::run::confinement_test
