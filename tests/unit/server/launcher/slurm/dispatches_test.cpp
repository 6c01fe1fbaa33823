// SPDX-License-Identifier: BSD-3-Clause
// The protocol with a Slurm that fails, is late, says nothing or lies.
#include "server/launcher/slurm/dispatches.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tests/support/memory_store/memory_store.hpp"
#include "tests/unit/server/launcher/slurm/fake_slurm.hpp"

namespace kaname::launcher::dispatches_test {
namespace {

using store::Dispatch;
using store::DispatchState;

class DispatchesTest : public ::testing::Test {
protected:
    static SlurmPool pool() {
        SlurmPool pool;
        pool.name = "gpu";
        pool.serves = {"solve"};
        pool.partition = "short";
        return pool;
    }

    DispatchesOptions options() {
        DispatchesOptions options;
        options.site.server = "login:7443";
        options.site.agent = "/opt/kaname-agent";
        options.site.folder = slurm.folder() / "jobs";
        options.site.poll_s = 30;
        options.site.command_s = 1;
        options.site.vanish_s = 120;
        options.place = "login:/s";
        options.marks = slurm.folder() / "marks";
        options.make_token = [this](const std::string& name) {
            tokens.insert(name);
            return "secret-of-" + name;
        };
        options.end_token = [this](const std::string& name) { tokens.erase(name); };
        options.log = [this](const std::string& line) { lines.push_back(line); };
        options.clock = [this] { return now_s; };
        return options;
    }

    /// The controller has taken the job `id`, whatever sbatch says of it.
    void take(const std::string& id, const std::string& then) {
        slurm.says("sbatch",
                   "cat > script; for a in \"$@\"; do case $a in --job-name=*) "
                   "printf '%s' \"${a#--job-name=}\" > name ;; esac; done\n"
                   "echo " +
                       id + " > id\n" + then);
    }
    void lists(const std::string& state, const std::string& reason = "None") {
        slurm.says("squeue",
                   "echo 'JOBID|NAME|STATE|REASON'; [ -e id ] && "
                   "echo \"$(cat id)|$(cat name)|" +
                       state + "|" + reason + "\"");
    }
    Dispatch only() {
        const auto rows = memory.list_dispatches("", 1e6);
        EXPECT_EQ(rows.size(), 1);
        return rows.empty() ? Dispatch{} : rows.front();
    }
    int look() {
        now_s += 31;
        return dispatches.alive("gpu");
    }
    void work() {
        store::RegisteredWorker worker;
        worker.worker_id = "w";
        worker.name = Dispatches::agent_name("gpu", only().dispatch_id);
        memory.register_worker(worker);
    }

    double now_s = 1000;
    FakeSlurm slurm;
    store::memory::MemoryStore memory{{.lease_s = 30}, [this] { return now_s; }};
    std::set<std::string> tokens;
    std::vector<std::string> lines;
    Dispatches dispatches{memory, options()};
};

/// A store in which nothing can be noted.
class DeafStore final : public store::memory::MemoryStore {
public:
    using MemoryStore::MemoryStore;
    void add_dispatch(const Dispatch&) override {
        throw Error(ErrorCode::Unavailable, "the database does not answer");
    }
};

TEST_F(DispatchesTest, JobIsSubmittedUnderTheNameOfItsIntent) {
    take("17", "echo '17;cluster'");

    dispatches.submit(pool());

    EXPECT_EQ(only().native_id, "17");
    EXPECT_EQ(only().state, DispatchState::Submitted);
    const std::string calls = slurm.calls("sbatch");
    EXPECT_NE(calls.find("--job-name=kaname-" + only().dispatch_id), std::string::npos);
    for (const char* option :
         {"--parsable", "--export=NONE", "--no-requeue", "--partition=short"}) {
        EXPECT_NE(calls.find(option), std::string::npos) << option;
    }
}

TEST_F(DispatchesTest, NothingIsSubmittedWithoutAnIntent) {
    DeafStore deaf({}, [this] { return now_s; });
    Dispatches unheard(deaf, options());

    EXPECT_THROW(unheard.submit(pool()), Error);

    EXPECT_EQ(slurm.n_calls("sbatch"), 0);
}

TEST_F(DispatchesTest, TokenIsInTheScriptAlone) {
    take("17", "env > environment; echo 17");

    dispatches.submit(pool());

    const std::string secret = "secret-of-" + Dispatches::agent_name("gpu", only().dispatch_id);
    EXPECT_NE(read_file_if_any(slurm.folder() / "script").find(secret), std::string::npos);
    EXPECT_EQ(slurm.calls("sbatch").find("secret"), std::string::npos);
    EXPECT_EQ(read_file_if_any(slurm.folder() / "environment").find("secret"), std::string::npos);
    lists("COMPLETED");
    EXPECT_EQ(look(), 0);
    EXPECT_TRUE(tokens.empty());
}

TEST_F(DispatchesTest, SbatchThatTimesOutAfterItSubmittedIsFoundByName) {
    take("18", "sleep 30");
    lists("PENDING", "Priority");

    dispatches.submit(pool());

    EXPECT_EQ(only().native_id, "18");
    EXPECT_EQ(only().reason, "Priority");
    EXPECT_EQ(dispatches.alive("gpu"), 1);
    EXPECT_EQ(slurm.n_calls("sbatch"), 1);
}

TEST_F(DispatchesTest, UnclearSubmissionCountsUntilTheQueueHasToldSeveralTimes) {
    slurm.says("sbatch",
               "echo 'sbatch: error: Batch job submission failed: Socket timed out on "
               "send/recv operation' >&2; exit 1");
    slurm.says("squeue", "exit 1");

    EXPECT_THROW(dispatches.submit(pool()), Error);
    for (int n = 0; n < 10; ++n) {
        EXPECT_EQ(look(), 1);  // nobody knows
    }
    EXPECT_EQ(only().state, DispatchState::Intended);

    slurm.queue("");
    EXPECT_EQ(look(), 1);
    EXPECT_EQ(look(), 1);
    EXPECT_EQ(look(), 0);
    EXPECT_EQ(only().state, DispatchState::Ended);
    EXPECT_NE(only().reason.find("Socket timed out"), std::string::npos);
}

TEST_F(DispatchesTest, JobThatComesAfterItWasGivenUpIsCancelled) {
    take("19", "echo 'sbatch: error: Unable to contact slurm controller' >&2; exit 1");
    EXPECT_THROW(dispatches.submit(pool()), Error);
    for (int n = 0; n < 3; ++n) {
        (void)look();
    }
    ASSERT_EQ(only().state, DispatchState::Ended);
    const std::string name = Dispatches::job_name(only().dispatch_id);

    slurm.says("sbatch", "echo 20");
    dispatches.submit(pool());
    slurm.queue("19|" + name + "|RUNNING|None\\n");
    (void)look();

    EXPECT_NE(slurm.calls("scancel").find("--name=" + name), std::string::npos);
}

TEST_F(DispatchesTest, RefusalEndsTheIntentWithSlurmsReason) {
    slurm.says("sbatch",
               "echo 'sbatch: error: Batch job submission failed: Invalid partition "
               "name specified' >&2; exit 1");

    try {
        dispatches.submit(pool());
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("Invalid partition"), std::string::npos);
    }
    EXPECT_EQ(only().state, DispatchState::Ended);
    EXPECT_NE(only().reason.find("Invalid partition"), std::string::npos);
    EXPECT_EQ(dispatches.alive("gpu"), 0);
    EXPECT_TRUE(tokens.empty());
}

TEST_F(DispatchesTest, SilentOrFailingSqueueIsUnknownAndNeverTheEnd) {
    take("17", "echo 17");
    dispatches.submit(pool());
    lists("RUNNING");
    EXPECT_EQ(look(), 1);
    EXPECT_EQ(only().state, DispatchState::Running);

    for (const char* lie : {"exit 0", "exit 1", "sleep 30",
                            "echo 'slurm_load_jobs error: Socket timed out' >&2; exit 0"}) {
        slurm.says("squeue", lie);
        for (int n = 0; n < 6; ++n) {
            EXPECT_EQ(look(), 1) << lie;
        }
        EXPECT_EQ(only().state, DispatchState::Unknown) << lie;
    }
    lists("RUNNING");
    EXPECT_EQ(look(), 1);
    EXPECT_EQ(only().state, DispatchState::Running);
}

TEST_F(DispatchesTest, HeartbeatIsBelievedBeforeTheQueue) {
    take("17", "echo 17");
    dispatches.submit(pool());
    work();
    lists("COMPLETED");

    EXPECT_EQ(look(), 1);
    EXPECT_EQ(only().state, DispatchState::Running);
    now_s += 31;
    (void)memory.reap();
    EXPECT_EQ(look(), 0);
    EXPECT_EQ(only().state, DispatchState::Ended);
}

TEST_F(DispatchesTest, ForeignJobWithItsNumberIsNotIt) {
    take("17", "echo 17");
    dispatches.submit(pool());

    slurm.queue("17|somebody-elses|FAILED|NonZeroExitCode\\n");

    EXPECT_EQ(look(), 1);
    EXPECT_EQ(only().state, DispatchState::Unknown);
    for (int n = 0; n < 5; ++n) {
        (void)look();
    }
    EXPECT_EQ(only().state, DispatchState::Ended);  // missing for two minutes of answers
    EXPECT_NE(only().reason.find("without a trace"), std::string::npos);
}

TEST_F(DispatchesTest, AccountingTellsOfAJobThatTheQueueForgot) {
    take("17", "echo 17");
    dispatches.submit(pool());
    slurm.says("sacct", "echo \"17|$(cat name)|TIMEOUT|0:15\"");

    EXPECT_EQ(look(), 0);
    EXPECT_EQ(only().reason, "TIMEOUT");
    EXPECT_NE(slurm.calls("sacct").find("--starttime="), std::string::npos);
    EXPECT_NE(lines.back().find("TIMEOUT"), std::string::npos);
}

TEST_F(DispatchesTest, ExitCodeOfItsScriptTellsWhereNothingElseDoes) {
    take("17", "echo 17");
    dispatches.submit(pool());
    write_file(slurm.folder() / "jobs" / (Dispatches::job_name(only().dispatch_id) + ".exit"),
               "3\n");

    EXPECT_EQ(look(), 0);
    EXPECT_EQ(only().exit_code, 3);
}

TEST_F(DispatchesTest, JobThatFailedTellsItsExitCodeAndTheLastLineOfItsLog) {
    take("17", "echo 17");
    dispatches.submit(pool());
    const std::string log =
        (slurm.folder() / "jobs" / (Dispatches::job_name(only().dispatch_id) + ".log")).string();
    write_file(log, "starting\n/opt/kaname-agent: No such file or directory\n\n");
    slurm.says("sacct", "echo \"17|$(cat name)|FAILED|127:0\"");

    EXPECT_EQ(look(), 0);

    EXPECT_EQ(only().exit_code, 127);
    EXPECT_TRUE(only().reason.starts_with("FAILED")) << only().reason;
    const std::string words =
        ", exit code 127; " + log + ": /opt/kaname-agent: No such file or directory";
    EXPECT_TRUE(only().reason.ends_with(words)) << only().reason;
    EXPECT_TRUE(lines.back().ends_with(words)) << lines.back();
}

/// Ended at that time.
Dispatch ended(const std::string& pool, const std::string& reason, double ended_s) {
    Dispatch dispatch{.dispatch_id = pool + std::to_string(ended_s), .place = "", .pool = pool};
    dispatch.state = DispatchState::Ended;
    dispatch.reason = reason;
    dispatch.ended_s = ended_s;
    return dispatch;
}

TEST(FailingPools, CountFailuresSinceTheLastJobThatWorked) {
    const auto failing = store::failing_pools({ended("gpu", "FAILED, exit code 1", 1),
                                               ended("gpu", "COMPLETED", 2),
                                               ended("gpu", "OUT_OF_MEMORY", 5),
                                               ended("cpu", "FAILED", 3),
                                               ended("gpu", "FAILED", 4),
                                               ended("gpu", "CANCELLED by 0", 6),
                                               ended("old", "FAILED", 1),
                                               ended("old", "", 2),
                                               {.dispatch_id = "a", .place = "", .pool = "gpu"}});

    ASSERT_EQ(failing.size(), 2U);
    EXPECT_EQ(failing[0].pool, "cpu");
    EXPECT_EQ(failing[0].n_in_a_row, 1);
    EXPECT_EQ(failing[1].pool, "gpu");
    EXPECT_EQ(failing[1].n_in_a_row, 2);
    EXPECT_EQ(failing[1].last.reason, "OUT_OF_MEMORY");
}

TEST_F(DispatchesTest, SecondCopyOfAJobIsCancelled) {
    take("17", "echo 17");
    dispatches.submit(pool());
    slurm.says("squeue",
               "echo 'JOBID|NAME|STATE|REASON'; echo \"16|$(cat name)|RUNNING|None\"; "
               "echo \"17|$(cat name)|RUNNING|None\"");

    EXPECT_EQ(look(), 1);

    EXPECT_NE(slurm.calls("scancel").find(" 16 "), std::string::npos);
    EXPECT_EQ(slurm.calls("scancel").find(" 17 "), std::string::npos);
}

TEST_F(DispatchesTest, RequeuedJobIsTheSameDispatch) {
    take("17", "echo 17");
    dispatches.submit(pool());
    lists("RUNNING");
    (void)look();

    lists("PENDING", "BeginTime");

    EXPECT_EQ(look(), 1);
    EXPECT_EQ(only().state, DispatchState::Submitted);
    EXPECT_EQ(dispatches.waiting("gpu"), 1);
}

TEST_F(DispatchesTest, NextServerGoesOnWithTheDispatchesOfTheOneBefore) {
    take("17", "echo 17");
    dispatches.submit(pool());
    lists("PENDING", "Resources");
    Dispatches next(memory, options());

    EXPECT_EQ(next.alive("gpu"), 1);
    EXPECT_EQ(next.alive("cpu"), 0);

    // This one died between the intent and sbatch.
    memory.add_dispatch({"11111111-1111-4111-8111-111111111111", "login:/s", "gpu"});
    now_s += 31;
    EXPECT_EQ(next.alive("gpu"), 2);
    for (int n = 0; n < 3; ++n) {
        now_s += 31;
        (void)next.alive("gpu");
    }
    EXPECT_EQ(next.alive("gpu"), 1);
}

TEST_F(DispatchesTest, OneLookPerIntervalForAllPools) {
    take("17", "echo 17");
    dispatches.submit(pool());
    lists("PENDING");
    (void)look();
    const int before = slurm.n_calls("squeue");

    for (int n = 0; n < 29; ++n) {
        now_s += 1;
        (void)dispatches.alive("gpu");
        (void)dispatches.alive("cpu");
    }

    EXPECT_EQ(slurm.n_calls("squeue"), before);
}

TEST_F(DispatchesTest, WhatNobodyNeedsIsTakenFromTheQueueOnlyWhileItWaits) {
    take("17", "echo 17");
    dispatches.submit(pool());
    lists("PENDING", "Priority");
    (void)look();

    dispatches.withdraw("gpu", 1);

    const std::string calls = slurm.calls("scancel");
    EXPECT_NE(calls.find("--state=PENDING"), std::string::npos);
    EXPECT_NE(calls.find("--name=kaname-" + only().dispatch_id), std::string::npos);
}

TEST_F(DispatchesTest, VariablesThatAreOptionsDoNotReachSbatch) {
    ::setenv("SBATCH_PARTITION", "wrong", 1);
    take("17", "env > environment; echo 17");

    dispatches.submit(pool());
    ::unsetenv("SBATCH_PARTITION");

    EXPECT_EQ(read_file_if_any(slurm.folder() / "environment").find("SBATCH_"), std::string::npos);
}

}  // namespace
}  // namespace kaname::launcher::dispatches_test
