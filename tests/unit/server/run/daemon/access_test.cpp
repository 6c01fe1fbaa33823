// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/daemon/access.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "server/auth/tokens.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/memory_store/memory_store.hpp"
#include "tests/support/token_list.hpp"

namespace kaname::daemon::access_test {
namespace {

namespace fs = std::filesystem;

std::string worker_token(const Access& access) {
    const std::string text = read_file_if_any(access.worker_token);
    return text.substr(0, text.find('\n'));
}

class AccessTest : public ::testing::Test {
protected:
    Access start() {
        Access access = prepare_access(state.path(), store, log);
        write_client_file(state.path(), "127.0.0.1:7000", access.cli_token);
        return access;
    }

    std::vector<std::string> said;
    std::function<void(const std::string&)> log = [this](const std::string& line) {
        said.push_back(line);
    };

    /// Role and name of a token that is good; nothing: it is not.
    std::string holder(const std::string& token) {
        for (const auto& entry : store.live_tokens({}).entries) {
            if (entry.sha256 == sha256_hex(token)) {
                return entry.role + ' ' + entry.name;
            }
        }
        return "";
    }
    TemporaryFolder state;
    store::memory::MemoryStore store{{}, [] { return 1000.0; }};
};

TEST_F(AccessTest, FirstStartIssuesAnAdminAndAWorkerToken) {
    const Access access = start();

    EXPECT_EQ(holder(access.cli_token), "admin cli");
    EXPECT_EQ(holder(worker_token(access)), "worker agent");
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
    EXPECT_EQ(holder(first.cli_token), "admin cli");
}

TEST_F(AccessTest, LostOrDamagedClientFileGetsANewToken) {
    const Access first = start();
    write_file(state.path() / "client.json", "{ damaged");

    const Access second = start();

    EXPECT_NE(second.cli_token, first.cli_token);
    EXPECT_EQ(holder(first.cli_token), "");
    EXPECT_EQ(holder(second.cli_token), "admin cli");
}

TEST_F(AccessTest, TokensFileOfAnEarlierVersionIsTakenOverOnce) {
    auth::TokenList earlier;
    const std::string admin = earlier.issue("cli", auth::Role::Admin);
    const std::string agent = earlier.issue("agent", auth::Role::Worker);
    const std::string ann = earlier.issue("ann", auth::Role::User);
    earlier.write(state.path() / "tokens");
    write_client_file(state.path(), "127.0.0.1:7000", admin);
    write_file(state.path() / "worker.token", agent + "\n");

    const Access first = start();

    EXPECT_EQ(first.cli_token, admin);
    EXPECT_EQ(worker_token(first), agent);
    EXPECT_EQ(holder(ann), "user ann");
    ASSERT_EQ(said.size(), 3U);
    EXPECT_NE(said.back().find("of ann, role user, is taken over from"), std::string::npos);
    const auto audit = store.list_audit(10, "", {.method = "TakeOverToken"});
    EXPECT_EQ(audit.rows.size(), 3U);
    EXPECT_FALSE(fs::exists(state.path() / "tokens"));
    (void)store.revoke_token("ann");
    fs::rename(state.path() / "tokens.taken-over", state.path() / "tokens");
    (void)start();
    EXPECT_EQ(holder(ann), "") << "a revoked token came back";
}

TEST_F(AccessTest, TokensFileThatOthersMayHaveWrittenMakesNobodyAnything) {
    auth::TokenList planted;
    const std::string mallory = planted.issue("mallory", auth::Role::Admin);
    const fs::path file = state.path() / "tokens";
    const auto refusal = [&]() -> std::string {
        try {
            (void)start();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::PermissionDenied);
            return error.what();
        }
        return "";
    };
    for (const auto& [mode, word] : {std::pair(0666, "mode 0666"), std::pair(0644, "mode 0644")}) {
        planted.write(file);
        ASSERT_EQ(::chmod(file.c_str(), static_cast<mode_t>(mode)), 0);
        const std::string said_no = refusal();
        EXPECT_NE(said_no.find(file.string()), std::string::npos);
        EXPECT_NE(said_no.find(word), std::string::npos) << said_no;
    }
    if (::geteuid() == 0) {
        ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
        ASSERT_EQ(::chown(file.c_str(), 4711, 4711), 0);
        EXPECT_NE(refusal().find("got user 4711"), std::string::npos);
    }
    fs::remove(file);
    (void)start();
    EXPECT_EQ(holder(mallory), "");
}

TEST_F(AccessTest, RevokedTokenOfThisMachineIsReplacedAndThoseOfOtherServersStay) {
    const Access mine = start();
    TemporaryFolder elsewhere;
    const Access theirs = prepare_access(elsewhere.path(), store, log);
    (void)store.revoke_token(store::token_id_of(sha256_hex(mine.cli_token)));

    const Access next = start();

    EXPECT_NE(next.cli_token, mine.cli_token);
    EXPECT_EQ(holder(next.cli_token), "admin cli");
    EXPECT_EQ(holder(theirs.cli_token), "admin cli");
}

TEST_F(AccessTest, AnotherDatabaseLearnsTheTokensThatTheFilesHave) {
    const Access first = start();
    store::memory::MemoryStore fresh{{}, [] { return 1000.0; }};

    const Access second = prepare_access(state.path(), fresh, log);

    EXPECT_EQ(second.cli_token, first.cli_token);
    EXPECT_EQ(fresh.live_tokens({}).entries.size(), 2U);
}

TEST_F(AccessTest, EveryAgentHasATokenOfItsOwnThatEndsWithIt) {
    const AgentTokens tokens(state.path(), store);
    const fs::path one = state.path() / "local-1.token", two = state.path() / "local-2.token";
    tokens.give("local-1", one);
    tokens.give("local-2", two);
    const auto read = [](const fs::path& file) {
        const std::string text = read_file_if_any(file);
        return text.substr(0, text.find('\n'));
    };
    const std::string first = read(one), second = read(two);
    EXPECT_EQ(holder(first), "worker local-1");
    EXPECT_EQ(holder(second), "worker local-2");
    EXPECT_EQ(fs::status(one).permissions(), fs::perms::owner_read | fs::perms::owner_write);

    tokens.take_back(one);

    EXPECT_EQ(holder(first), "");
    EXPECT_EQ(holder(second), "worker local-2");
    EXPECT_FALSE(fs::exists(one));
    tokens.give("local-2", two);  // its agent ended unseen
    EXPECT_EQ(holder(second), "");
    EXPECT_EQ(holder(read(two)), "worker local-2");
}

TEST_F(AccessTest, FilesWithSecretsAreTheirOwnersAlone) {
    start();

    for (const char* name : {"client.json", "worker.token"}) {
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

TEST_F(AccessTest, ThePageComesBackWhereItWas) {
    EXPECT_EQ(http_where_it_was("127.0.0.1:0", state.path()), "127.0.0.1:0");
    write_client_file(state.path(), "unix:/s/socket/kaname", "t",
                      {"127.0.0.1:7400", "PEM", "https://127.0.0.1:7500"});

    EXPECT_EQ(http_where_it_was("127.0.0.1:0", state.path()), "127.0.0.1:7500");
    EXPECT_EQ(http_where_it_was("0.0.0.0:0", state.path()), "0.0.0.0:7500");
    EXPECT_EQ(http_where_it_was("127.0.0.1:8000", state.path()), "127.0.0.1:8000");
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
}  // namespace kaname::daemon::access_test
