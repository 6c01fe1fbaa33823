// SPDX-License-Identifier: BSD-3-Clause
#include "server/daemon/access.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::daemon {
namespace {

namespace fs = std::filesystem;

std::string worker_token(const Access& access) {
    const std::string text = read_file_if_any(access.worker_token);
    return text.substr(0, text.find('\n'));
}

class AccessTest : public ::testing::Test {
protected:
    Access start() {
        Access access = prepare_access(state.path());
        write_client_file(state.path(), "127.0.0.1:7000", access.cli_token);
        return access;
    }

    TemporaryFolder state;
};

TEST_F(AccessTest, FirstStartIssuesAnAdminAndAWorkerToken) {
    const Access access = start();

    EXPECT_EQ(access.tokens.find(access.cli_token)->role, auth::Role::Admin);
    EXPECT_EQ(access.tokens.find(access.cli_token)->name, "cli");
    EXPECT_EQ(access.tokens.find(worker_token(access))->role, auth::Role::Worker);
    const auto client = nlohmann::json::parse(read_file_if_any(state.path() / "client.json"));
    EXPECT_EQ(client["address"], "127.0.0.1:7000");
    EXPECT_EQ(client["token"], access.cli_token);
}

TEST_F(AccessTest, NextStartKeepsTheTokensThatPeopleAndAgentsHave) {
    const Access first = start();
    const std::string worker = worker_token(first);

    const Access second = start();

    EXPECT_EQ(second.cli_token, first.cli_token);
    EXPECT_EQ(worker_token(second), worker);
    EXPECT_TRUE(second.tokens.find(first.cli_token).has_value());
}

TEST_F(AccessTest, LostOrDamagedClientFileGetsANewToken) {
    const Access first = start();
    write_file(state.path() / "client.json", "{ damaged");

    const Access second = start();

    EXPECT_NE(second.cli_token, first.cli_token);
    EXPECT_FALSE(second.tokens.find(first.cli_token).has_value());
}

TEST_F(AccessTest, FilesWithSecretsAreTheirOwnersAlone) {
    start();

    for (const char* name : {"tokens", "client.json", "worker.token"}) {
        struct stat info {};
        ASSERT_EQ(::stat((state.path() / name).c_str(), &info), 0) << name;
        EXPECT_EQ(info.st_mode & 0777, 0600U) << name;
    }
}

TEST_F(AccessTest, RestartListensOnThePortThatItHad) {
    EXPECT_EQ(listen_where_it_was("127.0.0.1:0", state.path()), "127.0.0.1:0");
    start();

    EXPECT_EQ(listen_where_it_was("127.0.0.1:0", state.path()), "127.0.0.1:7000");
    EXPECT_EQ(listen_where_it_was("127.0.0.1:8000", state.path()), "127.0.0.1:8000");
}

TEST_F(AccessTest, TheNetworkPlaceIsBesideTheSocket) {
    write_client_file(state.path(), "unix:/s/socket/kaname", "t", {"127.0.0.1:7400", "PEM"});

    const auto client = nlohmann::json::parse(read_file_if_any(state.path() / "client.json"));
    EXPECT_EQ(client["address"], "unix:/s/socket/kaname");
    EXPECT_EQ(client["ca"], "PEM");
    EXPECT_EQ(listen_where_it_was("127.0.0.1:0", state.path()), "127.0.0.1:7400");
    write_client_file(state.path(), "unix:/s/socket/kaname", "t");
    EXPECT_EQ(listen_where_it_was("127.0.0.1:0", state.path()), "127.0.0.1:0");
}

TEST_F(AccessTest, AddressThatIsNoneIsRefusedWithTheRule) {
    for (const char* text : {"", "7000", ":7000", "host", "host:", "host:x", "host:65536"}) {
        try {
            (void)listen_where_it_was(text, state.path());
            ADD_FAILURE() << "accepted " << text;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("HOST:PORT"), std::string::npos);
        }
    }
}

TEST_F(AccessTest, ServerForAllAddressesIsReachedOverLoopback) {
    EXPECT_EQ(local_address("0.0.0.0:0", 7000), "127.0.0.1:7000");
    EXPECT_EQ(local_address("[::]:0", 7000), "[::1]:7000");
    EXPECT_EQ(local_address("10.1.2.3:0", 7000), "10.1.2.3:7000");
}

}  // namespace
}  // namespace kaname::daemon
