// SPDX-License-Identifier: BSD-3-Clause
// With the real programs of PostgreSQL: each test has a cluster of its own. Two have it made by
// initdb, which takes longer than all else; the others begin with a copy of the template.
#include "server/run/embedded/cluster.hpp"

#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/run/embedded/data_folder.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/postgres/cluster_template.hpp"
#include "worker/run/process.hpp"

namespace kaname::embedded::cluster_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class ClusterTest : public ::testing::Test {
protected:
    ClusterTest() {
        fs::permissions(folder.path(), fs::perms(0755));  // the database's user must get through
    }
    ~ClusterTest() override { stop_orphan(state); }

    std::unique_ptr<Cluster> make(const fs::path& runtime = {}) {
        fs::create_directories(state);
        return std::make_unique<Cluster>(ClusterOptions{.state = state,
                                                        .db_user = {},
                                                        .binaries = {},
                                                        .runtime = runtime,
                                                        .log = [this](const std::string& line) {
                                                            const std::lock_guard lock(mutex_);
                                                            if (line.starts_with("PostgreSQL ")) {
                                                                started_ = line;
                                                            }
                                                        }});
    }
    /// A cluster as the first start leaves it.
    std::unique_ptr<Cluster> make_started_before(const fs::path& runtime = {}) {
        fs::create_directories(state);
        support::copy_cluster_template(KANAME_TEST_DATABASE, state / "postgres");
        return make(runtime);
    }
    /// Returns true if the last start found the cluster running.
    bool adopted() {
        const std::lock_guard lock(mutex_);
        return started_.find(" adopted, pid ") != std::string::npos;
    }

    /// Standard output of psql, or its complaint.
    static std::string query(const Cluster& cluster, const std::string& sql) {
        run::Process run({.argv = {"psql", "-X", "-A", "-t", "-d", cluster.conninfo(), "-c", sql},
                          .env = clean_environment()});
        std::string text;
        while (run.read_lines(seconds(10), [&](run::Source, std::string_view line) {
            text += (text.empty() ? "" : "\n") + std::string(line);
        })) {
        }
        return text;
    }

    template <typename Condition>
    static bool holds_within(seconds limit, Condition condition) {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline) {
                return false;
            }
            ::usleep(20'000);
        }
        return true;
    }

    std::string message_of_failed_start(Cluster& cluster, ErrorCode expected) {
        try {
            cluster.start();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), expected) << error.what();
            return error.what();
        }
        ADD_FAILURE() << "the cluster was started";
        return {};
    }

    TemporaryFolder folder;
    fs::path state = folder.path() / "state";

private:
    std::mutex mutex_;
    std::string started_;
};

TEST_F(ClusterTest, KeepsItsDataFromOneStartToTheNext) {
    const auto cluster = make_started_before();
    cluster->start();
    EXPECT_EQ(query(*cluster, "create table t as select 42 as answer"), "SELECT 1");
    const run::ProcessId first = cluster->postmaster();
    cluster->stop();
    EXPECT_FALSE(run::is_running(first));

    const auto next = make();
    next->start();

    EXPECT_FALSE(adopted());
    EXPECT_EQ(query(*next, "select answer from t"), "42");
}

TEST_F(ClusterTest, IsDurableCheckedAndClosedToTheNetwork) {
    const auto cluster = make();

    cluster->start();

    EXPECT_EQ(query(*cluster,
                    "select current_setting('listen_addresses') || '|' || "
                    "current_setting('fsync') || '|' || "
                    "current_setting('data_checksums') || '|' || "
                    "current_setting('server_encoding') || '|' || current_user"),
              "|on|on|UTF8|kaname");
    struct stat info {};
    ASSERT_EQ(::stat((state / "postgres").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    ASSERT_EQ(::stat((state / "postgres-socket").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    EXPECT_NE(info.st_uid, 0U);
}

TEST_F(ClusterTest, IsStartedAgainAfterItsPostmasterWasKilled) {
    const auto cluster = make_started_before();
    cluster->start();
    query(*cluster, "create table t as select 42 as answer");
    const run::ProcessId killed = cluster->postmaster();

    ASSERT_TRUE(run::send_signal(killed, SIGKILL));

    EXPECT_TRUE(holds_within(seconds(30), [&] {
        return cluster->postmaster() != killed && query(*cluster, "select answer from t") == "42";
    }));
}

TEST_F(ClusterTest, IsAdoptedWhenItsServerDied) {
    auto abandoned = make_started_before();
    abandoned->start();
    const run::ProcessId running = abandoned->postmaster();
    abandoned.reset();

    const auto successor = make();
    successor->start();

    EXPECT_TRUE(adopted());
    EXPECT_EQ(successor->postmaster(), running);
    EXPECT_EQ(query(*successor, "select 1"), "1");
}

TEST_F(ClusterTest, StopOrphanEndsAnAbandonedClusterAndIsHarmlessLater) {
    auto abandoned = make_started_before();
    abandoned->start();
    const run::ProcessId running = abandoned->postmaster();
    abandoned.reset();

    EXPECT_TRUE(stop_orphan(state));

    EXPECT_FALSE(run::is_running(running));
    EXPECT_FALSE(stop_orphan(state));
}

TEST_F(ClusterTest, LongOrStrangeStatePathHasItsSocketElsewhere) {
    state = folder.path() / ("it's \"odd\", " + std::string(100, 'x'));
    const fs::path runtime = folder.path() / "run";
    fs::create_directory(runtime);
    fs::permissions(runtime, fs::perms(0777));
    auto abandoned = make_started_before(runtime);
    abandoned->start();
    abandoned.reset();

    const auto successor = make("/the/recorded/folder/is/used/instead");
    successor->start();

    EXPECT_TRUE(adopted());
    EXPECT_EQ(query(*successor, "select 1"), "1");
    EXPECT_EQ(fs::path(read_file_if_any(state / "postgres-socket.path")).parent_path(), runtime);
}

TEST_F(ClusterTest, LockFilesOfAReusedNumberDoNotBlockTheStart) {
    const auto cluster = make_started_before();
    cluster->start();
    const std::string pid_file = read_file_if_any(state / "postgres" / "postmaster.pid");
    cluster->stop();
    run::Process other(
        {.argv = {"/bin/sleep", "60"},
         .env = {},
         .user = ::geteuid() == 0 ? std::optional(run::find_user("postgres")) : std::nullopt});
    const std::string stale = std::to_string(other.pid()) + pid_file.substr(pid_file.find('\n'));
    for (const fs::path& lock : {state / "postgres" / "postmaster.pid",
                                 state / "postgres-socket" / ".s.PGSQL.5432.lock"}) {
        write_file(lock, stale);
        fs::permissions(lock, fs::perms(0644));
    }

    const auto next = make();
    next->start();

    EXPECT_FALSE(adopted());
    EXPECT_EQ(query(*next, "select 1"), "1");
    EXPECT_EQ(other.try_wait(), std::nullopt) << "the unrelated process was ended";
}

TEST_F(ClusterTest, HalfMadeFolderOfAnInterruptedFirstStartIsReplaced) {
    fs::create_directories(state / "postgres.new" / "base");

    const auto cluster = make();
    cluster->start();

    EXPECT_EQ(query(*cluster, "select 1"), "1");
    EXPECT_FALSE(fs::exists(state / "postgres.new"));
}

TEST_F(ClusterTest, OtherMajorVersionIsRefusedWithInstructions) {
    fs::create_directories(state / "postgres");
    write_file(state / "postgres" / "PG_VERSION", "9\n");
    if (::geteuid() == 0) {
        const run::User owner = run::find_user("postgres");
        ASSERT_EQ(::chown((state / "postgres").c_str(), owner.uid, owner.gid), 0);
    }

    const std::string message = message_of_failed_start(*make(), ErrorCode::NotReady);

    EXPECT_NE(message.find("PostgreSQL 9"), std::string::npos) << message;
    EXPECT_NE(message.find("pg_upgrade"), std::string::npos) << message;
}

TEST_F(ClusterTest, FolderThatIsNoDatabaseIsNotOverwritten) {
    fs::create_directories(state / "postgres");
    write_file(state / "postgres" / "notes", "mine");
    if (::geteuid() == 0) {
        const run::User owner = run::find_user("postgres");
        ASSERT_EQ(::chown((state / "postgres").c_str(), owner.uid, owner.gid), 0);
    }

    message_of_failed_start(*make(), ErrorCode::Conflict);

    EXPECT_EQ(read_file_if_any(state / "postgres" / "notes"), "mine");
}

TEST_F(ClusterTest, ParentThatTheDatabaseUserMayNotEnterIsNamed) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root runs the database as another user";
    }
    fs::permissions(folder.path(), fs::perms(0700));

    const std::string message = message_of_failed_start(*make(), ErrorCode::InvalidArgument);

    EXPECT_NE(message.find("folder " + folder.path().string() + " must be open"), std::string::npos)
        << message;
}

TEST_F(ClusterTest, MissingProgramsAreNamed) {
    fs::create_directories(state);
    Cluster cluster({.state = state,
                     .db_user = {},
                     .binaries = folder.path() / "nothing",
                     .runtime = {},
                     .log = {}});

    const std::string message = message_of_failed_start(cluster, ErrorCode::NotFound);

    EXPECT_NE(message.find("initdb"), std::string::npos) << message;
}

}  // namespace
}  // namespace kaname::embedded::cluster_test
