// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "server/run/daemon/access.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::daemon::api_socket_test {
namespace {

namespace fs = std::filesystem;

TEST(ApiSocket, LiesInAFolderOfItsUserAlone) {
    const TemporaryFolder state;

    const fs::path socket = make_api_socket(state.path());

    EXPECT_EQ(socket, state.path() / "socket" / "kaname");
    struct stat info {};
    ASSERT_EQ(::stat(socket.parent_path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    EXPECT_EQ(make_api_socket(state.path()), socket);
}

TEST(ApiSocket, ALongPathIsReplacedByAShortOneOfTheSameState) {
    const TemporaryFolder runtime;
    const fs::path state = runtime.path() / std::string(90, 'x');

    const fs::path socket = make_api_socket(state, runtime.path());

    EXPECT_EQ(socket.parent_path().parent_path(), runtime.path());
    EXPECT_LE(socket.native().size(), 107U);
    EXPECT_EQ(make_api_socket(state, runtime.path()), socket);
    EXPECT_NE(make_api_socket(state / "other", runtime.path()), socket);
}

TEST(ApiSocket, AFolderThatOthersMayEnterIsRefused) {
    const TemporaryFolder state;
    fs::create_directory(state.path() / "socket");
    fs::permissions(state.path() / "socket", fs::perms(0755));

    EXPECT_THROW((void)make_api_socket(state.path()), Error);
}

}  // namespace
}  // namespace kaname::daemon::api_socket_test
