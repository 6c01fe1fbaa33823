// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/daemon/state_folder.hpp"

#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::daemon::state_folder_test {
namespace {

namespace fs = std::filesystem;

class StateFolderTest : public ::testing::Test {
protected:
    StateFolderTest() {
        ::unsetenv("KANAME_STATE");
        ::unsetenv("XDG_STATE_HOME");
        ::setenv("HOME", "/home/ada", 1);
    }
    TemporaryFolder folder;
};

TEST_F(StateFolderTest, OptionWinsOverEnvironmentAndHome) {
    EXPECT_EQ(state_folder(""),
              ::geteuid() == 0 ? "/var/lib/kaname" : "/home/ada/.local/state/kaname");
    ::setenv("XDG_STATE_HOME", "/xdg", 1);
    EXPECT_EQ(state_folder(""), "/xdg/kaname");
    ::setenv("KANAME_STATE", "/own", 1);
    EXPECT_EQ(state_folder(""), "/own");
    EXPECT_EQ(state_folder("/option/"), "/option");
}

TEST_F(StateFolderTest, WithoutHomeItMustBeNamed) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root's folder does not depend on HOME";
    }
    ::unsetenv("HOME");

    EXPECT_THROW((void)state_folder(""), Error);
}

TEST_F(StateFolderTest, LinkAndItsTargetAreTheSameFolder) {
    fs::create_directory(folder.path() / "real");
    fs::create_directory_symlink(folder.path() / "real", folder.path() / "link");

    EXPECT_EQ(state_folder(folder.path() / "link"), state_folder(folder.path() / "real"));
}

TEST_F(StateFolderTest, IsMadeForItsOwnerAlone) {
    const fs::path state = folder.path() / "a" / "state";

    make_state_folder(state);
    make_state_folder(state);

    struct stat info {};
    ASSERT_EQ(::stat(state.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST_F(StateFolderTest, ThatOthersMayWriteToIsRefused) {
    const fs::path state = folder.path() / "state";
    make_state_folder(state);
    fs::permissions(state, fs::perms::group_write, fs::perm_options::add);

    try {
        make_state_folder(state);
        FAIL() << "a folder of everybody was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::PermissionDenied);
        EXPECT_NE(std::string(error.what()).find(state.string()), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("mode 0720"), std::string::npos);
    }
}

TEST_F(StateFolderTest, FileInItsPlaceIsNamed) {
    write_file(folder.path() / "file", "text");

    try {
        make_state_folder(folder.path() / "file");
        FAIL() << "a file was taken for a folder";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
        EXPECT_NE(std::string(error.what()).find("must be a folder"), std::string::npos);
    }
}

TEST_F(StateFolderTest, PidFileIsThereWhileTheServerRuns) {
    const fs::path file = folder.path() / "server.pid";
    {
        const PidFile pid_file(folder.path());
        EXPECT_EQ(read_file_if_any(file), std::to_string(::getpid()) + "\n");
    }

    EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace kaname::daemon::state_folder_test
