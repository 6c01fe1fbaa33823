// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/confinement.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

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
    /// What a confined shell prints, and whether its last command succeeded.
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

    TemporaryFolder folder_;
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
