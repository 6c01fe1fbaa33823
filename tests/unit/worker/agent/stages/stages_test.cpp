// SPDX-License-Identifier: BSD-3-Clause
// Stages without any server: files by hash and label go in, results come out.
#include "worker/agent/stages/stages.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_compute.hpp"
#include "tests/unit/worker/agent/fake_options.hpp"
#include "tests/unit/worker/agent/stages/fake_holder.hpp"

namespace kaname::agent::stages_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::string kAnswers = R"sh(
echo '@kaname {"type":"result","verb":"ready","result":{}}'
while read -r line; do
  id=$(echo "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  echo "$$" > "$work/a"
  echo state > "$work/state"
  echo '@kaname {"type":"checkpoint","step":3,"file":"'$work'/state","sources":["a"]}'
  ls "$work" | grep -c checkpoint.h5 | sed 's/^/found /'
  echo '@kaname {"type":"result","verb":"pack","result":{"id":"'$id'","sources":[{"id":"a","file":"'$work'/a"},{"id":"b","failed":true,"failure":"slow"}]}}'
done)sh";

class StagesTest : public testing::Test {
protected:
    v1::ClaimResponse claim(bool session, const std::vector<std::string>& labels) {
        v1::ClaimResponse claimed;
        claimed.set_spec_sha256(holder_.add_file("spec"));
        for (const std::string& label : labels) {
            v1::Task& task = *claimed.add_tasks();
            task.set_verb("dream");
            task.set_session(session);
            task.set_label(label);
            task.set_compat_key("key");
            task.mutable_ref()->set_task_id(claimed.tasks_size());
        }
        return claimed;
    }
    /// Returns the delivered outcomes, with the text of each result in place of its path.
    std::vector<StageOutcome> run(Stages& stages, const v1::ClaimResponse& claimed) {
        AttemptLog log(claimed, "me", holder_);
        std::vector<StageOutcome> delivered;
        stages.run(claimed, holder_, log, [&](const std::vector<StageOutcome>& made) {
            delivered = made;
            for (StageOutcome& one : delivered) {
                one.file = read_file_if_any(one.file);
            }
            log.end("done");
        });
        return delivered;
    }
    StageOptions options(const FakeCompute& compute) {
        return {.folder = folder_.path() / "tasks", .compute = compute.program()};
    }

    TemporaryFolder folder_;
    FakeHolder holder_;
    int n_settled_ = 0;
    std::function<void()> settle_ = [this] { ++n_settled_; };
};

TEST_F(StagesTest, OnceIsOneFileThatIsGoneAfterwards) {
    const FakeCompute compute(kOptions +
                              R"sh(echo "$verb: $(cat "$spec")" > "$out"; echo some words
echo '@kaname {"type":"progress","stage":"dream","fraction":0.5,"text":"half"}'
echo '@kaname {"type":"result","verb":"dream","result":{}}'; exit 4)sh");
    Stages stages(options(compute), settle_);

    const std::vector<StageOutcome> made = run(stages, claim(false, {"first"}));

    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].file, "dream: spec\n");
    EXPECT_TRUE(made[0].partial);
    EXPECT_EQ(made[0].ref.task_id(), 1);
    EXPECT_EQ(holder_.progress, std::vector<std::string>{"half"});
    EXPECT_NE(holder_.log.find("\nsome words\n== done after "), std::string::npos) << holder_.log;
    EXPECT_TRUE(fs::is_empty(folder_.path() / "tasks"));
    EXPECT_TRUE(stages.compat_key().empty());
}

TEST_F(StagesTest, ASessionIsKeptUntilItIsClosedAndItsFilesUntilTheyAreSettled) {
    const FakeCompute compute(kOptions + kAnswers);
    Stages stages(options(compute), settle_);

    const std::vector<StageOutcome> first = run(stages, claim(true, {"a", "b"}));
    const std::vector<StageOutcome> second = run(stages, claim(true, {"a"}));

    ASSERT_EQ(first.size(), 2U);
    EXPECT_FALSE(first[0].failed);
    EXPECT_EQ(first[1].failure, "slow");
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].file, first[0].file) << "another process";
    EXPECT_EQ(stages.compat_key(), "key");
    EXPECT_EQ(holder_.checkpoints.at(3), "state\n");
    EXPECT_TRUE(fs::exists(folder_.path() / "tasks/1/results/a"));
    EXPECT_FALSE(fs::exists(folder_.path() / "tasks/2"));
    EXPECT_EQ(n_settled_, 0);
    stages.close_session();
    EXPECT_EQ(n_settled_, 1);
    EXPECT_FALSE(fs::exists(folder_.path() / "tasks/1"));
}

TEST_F(StagesTest, ACheckpointIsOfferedWhereItIsAndAwaitedWhileTheServerIsAway) {
    const FakeCompute compute(kOptions + kAnswers);
    Stages stages(options(compute), settle_);
    v1::ClaimResponse claimed = claim(true, {"a"});
    v1::Input& checkpoint = *claimed.mutable_tasks(0)->mutable_checkpoint();

    checkpoint.set_sha256(holder_.add_file("state"));
    (void)run(stages, claimed);
    EXPECT_NE(holder_.log.find("\nfound 1\n"), std::string::npos) << holder_.log;

    checkpoint.set_sha256(std::string(64, '0'));
    (void)run(stages, claimed);
    EXPECT_NE(holder_.log.find("\nfound 0\n"), std::string::npos) << holder_.log;
    EXPECT_EQ(holder_.said.back(), "checkpoint not there: input checkpoint is lost");

    holder_.server_away = true;
    EXPECT_THROW((void)run(stages, claimed), InputMissing);
    EXPECT_EQ(stages.compat_key(), "key") << "the session can go on";
}

TEST_F(StagesTest, AStageReadsTheFilesOfItsTasksAndWritesToItsFolderAlone) {
    if (run::landlock_version() == 0) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    write_file(folder_.path() / "client.json", "canary");
    const std::string secret = (folder_.path() / "client.json").string();
    const std::string foreign = holder_.fetch("", holder_.add_file("of another task")).string();
    const FakeCompute compute(kOptions + "cat " + secret + ' ' + foreign +
                              " 2>/dev/null; echo x > " + secret + " 2>/dev/null\n" +
                              R"sh(echo "$(cat "$spec")" > "$out"; ulimit -v
echo '@kaname {"type":"result","verb":"dream","result":{}}')sh");
    StageOptions confined = options(compute);
    confined.confinement = run::Confinement{run::needed_to_start(compute.program()), {}};
    confined.memory_bytes = std::uint64_t{8} << 30U;
    Stages stages(confined, settle_);

    const std::vector<StageOutcome> made = run(stages, claim(false, {"first"}));

    EXPECT_EQ(made.at(0).file, "spec\n");
    EXPECT_EQ(holder_.log.find("canary"), std::string::npos) << holder_.log;
    EXPECT_EQ(holder_.log.find("of another task"), std::string::npos) << holder_.log;
    EXPECT_NE(holder_.log.find("\n8388608\n"), std::string::npos) << holder_.log;  // KiB
    EXPECT_EQ(read_file_if_any(secret), "canary");
}

TEST_F(StagesTest, ASessionOfGpusHasTheirDevicesAndNoBoundOfAddressSpace) {
    const FakeCompute compute(kOptions);
    StageOptions gpus = options(compute);
    gpus.confinement = run::Confinement{};
    gpus.memory_bytes = 1;
    gpus.gpus = true;
    const v1::ClaimResponse claimed = claim(true, {"a"});
    AttemptLog log(claimed, "me", holder_);
    Pack pack{claimed, holder_, log, folder_.path()};
    pack.readable = {"/input"};

    const run::ResourceLimits session = limits_of(gpus, pack, true);
    const run::ResourceLimits once = limits_of(gpus, pack, false);

    EXPECT_EQ(session.memory_bytes, 0U);
    EXPECT_EQ(once.memory_bytes, 1U);
    EXPECT_EQ(session.confinement->read, std::vector<fs::path>{"/input"});
    EXPECT_EQ(once.confinement->write, std::vector<fs::path>{folder_.path()});
    EXPECT_EQ(session.confinement->write.size(), 1 + run::gpu_devices().size());
}

TEST_F(StagesTest, AnInputThatIsLostStartsNothing) {
    const FakeCompute compute("touch \"$0.ran\"");
    Stages stages(options(compute), settle_);
    v1::ClaimResponse claimed = claim(false, {"first"});
    v1::Input& file = *claimed.add_files();
    file.set_label("stations.files[0]");
    file.set_sha256(std::string(64, '0'));

    try {
        (void)run(stages, claimed);
        FAIL() << "nothing was missed";
    } catch (const InputMissing& missing) {
        EXPECT_STREQ(missing.what(), "input stations.files[0] is lost");
    }
    EXPECT_FALSE(fs::exists(compute.program().string() + ".ran"));
}

TEST_F(StagesTest, ACrashClosesTheSessionAndTheNextPackOpensAnother) {
    const FakeCompute compute(
        kOptions + "if [ ! -e \"$0.crashed\" ]; then : > \"$0.crashed\"; kill -9 $$; fi\n" +
        kAnswers);
    Stages stages(options(compute), settle_);

    EXPECT_THROW((void)run(stages, claim(true, {"a"})), RunFailed);
    EXPECT_TRUE(stages.compat_key().empty());
    EXPECT_FALSE(fs::exists(folder_.path() / "tasks/1"));

    EXPECT_EQ(run(stages, claim(true, {"a"})).size(), 1U);
}

TEST_F(StagesTest, WhatIsNoLongerWantedEnds) {
    const FakeCompute compute("exec sleep 600");
    Stages stages(options(compute), settle_);
    holder_.dropped = true;
    EXPECT_THROW((void)run(stages, claim(false, {"first"})), TasksWithdrawn);

    holder_.stop = true;
    EXPECT_THROW((void)run(stages, claim(false, {"first"})), Stopped);
    EXPECT_THROW((void)run(stages, claim(true, {"first"})), Stopped);
}

TEST_F(StagesTest, ALogIsKeptWhileTheServerIsAwayAndGivenUpWhereItIsRefused) {
    const v1::ClaimResponse claimed = claim(false, {"first"});
    holder_.n_log_refusals = 2;
    AttemptLog late(claimed, "me", holder_);
    late.add("words");
    late.end("done");
    EXPECT_NE(holder_.log.find("of first, worker me, "), std::string::npos) << holder_.log;
    EXPECT_NE(holder_.log.find("\nwords\n== done"), std::string::npos) << holder_.log;

    holder_.log.clear();
    holder_.n_log_refusals = 1;
    holder_.log_error = ErrorCode::Aborted;
    AttemptLog refused(claimed, "me", holder_);
    refused.add("words");
    refused.end("done");
    EXPECT_EQ(holder_.log, "");
}

}  // namespace
}  // namespace kaname::agent::stages_test
