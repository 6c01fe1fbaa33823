// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/admin/server_options.hpp"

#include <gtest/gtest.h>

#include "client/cli/common/text.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/machine.hpp"

namespace kaname::cli::server_options_test {
namespace {

using nlohmann::json;

class ServerOptions : public ::testing::Test {
protected:
    TemporaryFolder folder;
    RunningServer running{folder.path(),
                          {{"workers", 2},
                           {"ranks", 1},
                           {"threads", 7000},
                           {"device", "cpu"},
                           {"lease-s", 30.0},
                           {"database", ""},
                           {"artifacts", (folder.path() / "artifacts").string()},
                           {"listen", "127.0.0.1:0"},
                           {"metrics", "127.0.0.1:9464"},
                           {"http", "127.0.0.1:9465"}},
                          "127.0.0.1:7000"};
    UpOptions asked;
};

TEST_F(ServerOptions, WhatWasNotSaidDoesNotDiffer) {
    EXPECT_EQ(differences(asked, running), "");
    EXPECT_EQ(differences(asked, {folder.path(), json(), "127.0.0.1:7000"}), "");
}

TEST_F(ServerOptions, TheSameValuesDoNotDiffer) {
    asked.workers = 2;
    asked.device = "cpu";
    asked.lease_s = 30;
    asked.artifacts = (folder.path() / "x" / ".." / "artifacts").string();
    asked.listen = "127.0.0.1:7000";  // the port that it got
    asked.metrics = "127.0.0.1:0";    // any port
    asked.http = "127.0.0.1:0";
    EXPECT_EQ(differences(asked, running), "");
    asked.listen = "127.0.0.1:0";
    EXPECT_EQ(differences(asked, running), "");
}

TEST_F(ServerOptions, ZeroThreadsAreTheCores) {
    asked.threads = 0;
    running.options["threads"] = this_machine().cores;
    EXPECT_EQ(differences(asked, running), "");
}

TEST_F(ServerOptions, EachDifferenceIsNamedWithBothValues) {
    asked.workers = 2;
    asked.ranks = 3;
    asked.listen = "127.0.0.1:7001";
    asked.database = R"(host=db user=k password='a \' b' dbname=k)";

    EXPECT_EQ(differences(asked, running),
              "\n  --ranks: it runs with 1, asked for 3"
              "\n  --database: it runs with its own, asked for host=db user=k password=*** dbname=k"
              "\n  --listen: it runs with 127.0.0.1:7000, asked for 127.0.0.1:7001");
}

TEST_F(ServerOptions, AServerThatWroteNoOptionsIsNotTakenForTheSame) {
    running.options = json();
    asked.ranks = 3;
    EXPECT_EQ(differences(asked, running),
              "\n  --ranks: it runs with an unknown value, asked for 3");
    EXPECT_EQ(merged_options(asked, running), " --ranks 3");
}

TEST_F(ServerOptions, PasswordsAreNotShown) {
    asked.database = "postgresql://k:secret@db/k";
    EXPECT_NE(differences(asked, running).find("for postgresql://k:***@db/k"), std::string::npos);
    asked.database = "postgresql://db/k?password=secret&sslmode=require";
    EXPECT_NE(differences(asked, running).find("/k?password=***&sslmode=require"),
              std::string::npos);
    EXPECT_EQ(merged_options(asked, running).find("secret"), std::string::npos);
}

TEST_F(ServerOptions, MergedOptionsKeepWhatWasNotSaid) {
    asked.ranks = 3;
    EXPECT_EQ(merged_options(asked, running),
              " --workers 2 --ranks 3 --threads 7000 --device cpu --listen 127.0.0.1:0 --metrics "
              "127.0.0.1:9464 --http 127.0.0.1:9465");
}

TEST_F(ServerOptions, MergedOptionsTakeBackToTheUsual) {
    running.options["threads"] = this_machine().cores;  // the usual, which follows the ranks
    asked.workers = 1;
    asked.device = "auto";
    EXPECT_EQ(merged_options(asked, running),
              " --workers 1 --device auto --listen 127.0.0.1:0 --metrics 127.0.0.1:9464 --http "
              "127.0.0.1:9465");
}

TEST_F(ServerOptions, TheNextServerIsAsTheLastOneWasButForWhatIsSaid) {
    running.options["database"] = "host=db password=secret";
    running.options["tls-cert"] = "/tls/a.pem";
    asked.metrics = "127.0.0.1:9000";
    asked.workers = 3;

    const UpOptions next = with_last_options(asked, running);

    EXPECT_EQ(next.database, "host=db password=secret");
    EXPECT_EQ(next.artifacts, "");  // in the state folder, as is usual
    EXPECT_EQ(next.listen, "127.0.0.1:0");
    EXPECT_EQ(next.tls_cert, "/tls/a.pem");
    EXPECT_EQ(next.metrics, "127.0.0.1:9000");
    EXPECT_EQ(next.http, "127.0.0.1:9465");
    EXPECT_EQ(next.workers, 3);
    EXPECT_EQ(next.ranks, 1);
    EXPECT_EQ(next.threads, 7000);
    EXPECT_EQ(next.device, "cpu");
    EXPECT_EQ(next.lease_s, 30.0);
}

TEST_F(ServerOptions, ThreadsThatWereNotSaidFollowTheRanks) {
    running.options["threads"] = this_machine().cores;
    asked.ranks = 2;
    EXPECT_EQ(with_last_options(asked, running).threads, std::nullopt);
}

TEST_F(ServerOptions, NoneTakesAnOptionBack) {
    running.options["database"] = "host=db";
    asked.database = asked.listen = asked.metrics = asked.http = kNone;

    EXPECT_NE(differences(asked, running).find("--database: it runs with host=db, asked for its"),
              std::string::npos);
    const UpOptions next = with_last_options(asked, running);

    EXPECT_EQ(next.database + next.listen + next.metrics, "");
    EXPECT_EQ(next.http, kNone);
}

TEST_F(ServerOptions, OfAConfiguredServerTheFileIsReadAnew) {
    running.options["config"] = "/etc/kaname.yaml";
    running.options["said"] = {"--state", "--config", "--listen"};

    const UpOptions next = with_last_options(asked, running);

    EXPECT_EQ(next.config, "/etc/kaname.yaml");
    EXPECT_EQ(next.listen, "127.0.0.1:0");
    EXPECT_EQ(next.metrics + next.http, "");
    EXPECT_EQ(next.workers, std::nullopt);
    EXPECT_EQ(next.threads, std::nullopt);
}

TEST_F(ServerOptions, NothingIsKnownOfAFolderWithoutAServer) {
    running.options = json();
    const UpOptions next = with_last_options(asked, running);
    EXPECT_EQ(next.database + next.listen + next.http + next.config, "");
    EXPECT_EQ(next.workers, std::nullopt);
}

TEST_F(ServerOptions, APageIsUsual) {
    running.options["http"] = "127.0.0.1:0";
    EXPECT_EQ(merged_options(asked, running).find("--http"), std::string::npos);
    asked.http = "none";
    EXPECT_EQ(differences(asked, running), "\n  --http: it runs with 127.0.0.1:0, asked for none");
    EXPECT_TRUE(merged_options(asked, running).ends_with(" --http none"));
    running.options["http"] = "";
    EXPECT_EQ(differences(asked, running), "");
    asked.http = "";
    EXPECT_TRUE(merged_options(asked, running).ends_with(" --http none"));
}

TEST_F(ServerOptions, MergedOptionsOfAPublicAddressAreAccepted) {
    running.options["listen"] = "0.0.0.0:7000";
    running.options["tls"] = "self-signed";
    asked.artifacts = "/a folder";
    const std::string merged = merged_options(asked, running);
    EXPECT_NE(merged.find(" --artifacts '/a folder'"), std::string::npos) << merged;
    EXPECT_NE(merged.find(" --listen 0.0.0.0:7000 --tls self-signed"), std::string::npos) << merged;
}

TEST(Typed, WordsAreQuotedForAShellWhereTheyMustBe) {
    EXPECT_EQ(shell_word("/tmp/a-b_1.x"), "/tmp/a-b_1.x");
    EXPECT_EQ(shell_word("a b"), "'a b'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(Typed, ThePlainNameIsTypedOnlyWherePathLeadsToThisProgram) {
    // This test is not called kaname, so that no PATH leads to it under that name.
    EXPECT_EQ(program_to_type("build/bin/kaname"), "build/bin/kaname");
    EXPECT_EQ(program_to_type("my builds/kaname"), "'my builds/kaname'");
}

}  // namespace
}  // namespace kaname::cli::server_options_test
